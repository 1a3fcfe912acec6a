// cut.hpp: how the work of a model is cut among threads, and what NVRTC is told of it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "torch_lm/format/config.hpp"

namespace hone::lm::gpu {

struct Cut {
    unsigned norm_threads;  // a block's, of add_norm and norm_gradient
    // that a block of attention takes, of those that share a key head
    std::int64_t heads_of_few_rows, heads_of_many_rows;
    bool tensor_cores;  // attention has them
};

// arch: sm_90
Cut cut_of(const Config& config, bool bfloat16, const std::string& arch);
// Macros and flags: what the kernels are compiled with.
std::vector<std::string> options(const Config& config, bool bfloat16, const std::string& arch);
// Why the kernels cannot run the model; empty: they can.
std::string misfit(const Config& config);

}  // namespace hone::lm::gpu
