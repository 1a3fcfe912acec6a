// cuda.hpp: the option `device`, and what only a GPU needs. LibTorch's part for CUDA is opened at run time.
#pragma once
#include <string>
#include "torch_lm/device/device.hpp"

namespace hone::lm {

// "cpu", "cuda" or "cuda:N". Throws Refused where there is no such GPU, or no LibTorch for it.
Place place_of(const std::string& device);
std::string device_name(Place place);
void finish(Place place);  // returns when the GPU has done all that was asked for

}  // namespace hone::lm
