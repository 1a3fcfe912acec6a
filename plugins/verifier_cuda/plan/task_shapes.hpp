// A task's shapes as numbers: what a launch plan is evaluated for, and how large its tensors are then.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "hone/plugin.hpp"

namespace hone::cuda {

struct TensorSizes {
    std::string name, dtype;
    std::uint64_t element_bytes = 4;
    bool constant = false;
    bool scalar = false;                            // passed by value
    bool started = false;                           // an input that an output starts as: no argument
    std::vector<std::vector<std::int64_t>> shapes;  // one for each shape of the task
    std::uint64_t elements(std::size_t shape) const;
    std::uint64_t bytes(std::size_t shape) const { return elements(shape) * element_bytes; }
};

struct TaskShapes {
    std::vector<std::string> names;                // of the sizes
    std::vector<std::vector<std::int64_t>> sizes;  // one list for each shape, the timed one first
    std::vector<TensorSizes> inputs, outputs;
};

// Throws Refused for what is no task or has more than max_shapes shapes.
TaskShapes read_shapes(Doc task);

}  // namespace hone::cuda
