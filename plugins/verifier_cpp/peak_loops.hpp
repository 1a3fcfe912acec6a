// Loops that drive one core to its limits.
#pragma once
#include <cstddef>
#include <cstdint>

namespace hone::cpp {

struct PeakLoops {
    float (*multiply_add)(long rounds, float factor);  // does rounds x flops_a_round floating-point operations
    long flops_a_round;
    std::uint64_t (*read)(const void* from, std::size_t bytes);  // of a multiple of 1024, aligned to 64
};

PeakLoops peak_loops();  // in the widest vectors of this processor

}  // namespace hone::cpp
