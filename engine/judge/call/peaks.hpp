// judge/call/peaks.hpp: what no program can exceed on a device, and how near to that a task's time is. Williams,
// Waterman and Patterson: Roofline, CACM 52(4), 2009.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>
#include "base/json.hpp"
#include "domain/task.hpp"

namespace hone {

struct DevicePeaks {
    struct Level {
        double bytes, bytes_per_second;
    };                            // what one core touches over and over; all cores together
    std::vector<Level> levels;    // growing; empty: unknown
    double flops_per_second = 0;  // all cores, fp32; 0: unknown
    int cores = 1;
    // of devices that are faster in some precisions: by tolerance class (judge/correctness/truth.hpp)
    std::map<std::string, double> flops_of_class{};

    // The most for a task that touches so many bytes in all: each core has its share of them.
    double bandwidth(double bytes) const;
    // 0: unknown, also for f16 and bf16 where the device tells no rate of theirs
    double flops(const std::string& tolerance_class) const;
};

// What a verifier tells of its device: hone/verifier.h has the names of the facts. Empty as far as it tells nothing.
DevicePeaks find_peaks(const Json& verifier_facts);

struct Roofline {
    double seconds;     // the least that moving the task's least bytes or doing its least flops takes
    const char* limit;  // which of them binds: "bytes", "flops"
    double rate;        // of that, a second
};
std::optional<Roofline> roofline(const Task&, const DevicePeaks&);  // nullopt: task or device tell nothing

// A floor must refuse no honest program, and these peaks were measured: perhaps at a lower clock, beside a busy sibling
// of the core, or by a loop that is not the best. Whoever claims to be more than twice as fast as the roofline lies.
constexpr double roofline_margin = 2;

}  // namespace hone
