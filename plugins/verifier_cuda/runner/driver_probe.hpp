// What the walls between bench and candidate rest on, tried out when a worker starts by a program in a candidate's
// place: the driver's documentation promises none of it.
#pragma once
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>
#include "hone/plugin.hpp"

namespace hone::cuda {

// Did the timer's flush remove lines that a kernel asked to keep (evict_last)? By the clocks that loads take, of lines
// that are surely in the L2 and of lines that surely are not.
struct FlushFinding {
    double hit = 0, miss = 0;  // clocks, medians
    // share of the kept lines that were still there; half of all where hits and misses take as long
    double left = 0;

    FlushFinding() = default;
    FlushFinding(std::vector<float> hits, std::vector<float> misses, const std::vector<float>& flushed) {
        const auto median = [](std::vector<float>& clocks) {
            std::nth_element(clocks.begin(), clocks.begin() + clocks.size() / 2, clocks.end());
            return clocks[clocks.size() / 2];
        };
        hit = median(hits), miss = median(misses);
        const double between = (hit + miss) / 2;
        const auto there =
            std::count_if(flushed.begin(), flushed.end(), [&](float clocks) { return clocks < between; });
        left = static_cast<double>(there) / static_cast<double>(flushed.size());
    }
    bool tells() const { return miss > hit + 100; }
};

struct DriverProbe {
    double hand_over = 0;       // seconds: from the bench to a runner and back
    double slice = 0;           // seconds that a kernel has before others have a turn; 0: no end was seen
    bool stores_fault = false;  // a store to an input ends its program,
    bool inputs_last = false;   // and does not change it
    // share of the words in shared memory that the same call finds again, and the next
    double shared_kept = 0, shared_left = 0;
    std::optional<FlushFinding> flush;  // of a timer that has one

    std::string weak() const;  // what does not hold, in words; empty: all does
    void tell(Out) const;
};

}  // namespace hone::cuda
