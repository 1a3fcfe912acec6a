// judge/call/settings.hpp: the judge's options, and as typed values.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>
#include "base/json.hpp"
#include "base/options.hpp"

namespace hone {

const std::vector<Option>& judge_options();

struct Settings {
    int benches;                        // 0: one a core
    bool cuda_l1;                       // the paper's protocol, see judge/timing/cuda_l1.hpp
    double precision;                   // half width of the interval of ln(speedup) at which timing stops
    double level;                       // of the interval
    double seconds;                     // of timing a candidate at most
    int pairs;                          // at most
    bool fresh;                         // each block of pairs is timed in a fresh process
    double planted;                     // share by which its timed calls are prolonged
    double deadline;                    // seconds a phase of one judging may take
    int refresh;                        // uses after which a timing is taken again
    std::size_t pool_bytes;             // input sets with their truth, a bench
    bool reveal;                        // failures tell values, and their tensors are written to files
    std::optional<std::uint64_t> seed;  // replay key
    std::set<std::string> without;      // defences switched off, for tests

    bool has(const char* defence) const { return !without.contains(defence); }
    static Settings from_json(const Json& checked);
};

}  // namespace hone
