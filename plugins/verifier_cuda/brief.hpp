// What a writer of CUDA kernels is told.
#pragma once
#include <string>
#include "hone/plugin.hpp"

namespace hone::cuda {

std::string prototype(Doc task);                            // of the one kernel of a program without a plan
std::string brief_text(Doc task, int block, bool library);  // library: whether plans may have library steps

}  // namespace hone::cuda
