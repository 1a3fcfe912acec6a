// What no program can exceed on this machine's cores, measured: the roofline that a time is compared with.
#pragma once
#include <optional>
#include <vector>
#include "hone/plugin.hpp"

namespace hone::cpp {

struct Peaks {
    struct Level {
        double bytes, bytes_per_second;
        friend bool operator==(const Level&, const Level&) = default;
    };
    int measurings = 0;
    int cores = 1;
    double flops_per_second = 0;  // fp32, all cores together
    std::vector<Level> levels;    // growing: what one core touches over and over; all cores together
    friend bool operator==(const Peaks&, const Peaks&) = default;

    void tell(Out) const;  // as facts, by the names of hone/verifier.h
};

// What was measured since this machine booted; nullopt: nothing, or no cache folder. Reads one small file.
std::optional<Peaks> known_peaks();

// Fastest of many short runs: copies and reads in five footprints, fused multiply-adds in the widest vectors, on one
// core; times the cores. Some 50 ms, and nothing else should run. Readings on a busy machine are too low, so the best
// of four measurings is kept; from then on this reads them.
Peaks measured_peaks();

}  // namespace hone::cpp
