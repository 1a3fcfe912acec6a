// tensor_view.hpp: floats at an address as a tensor, nothing copied.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include "torch_lm/model/block.hpp"

namespace hone::lm {

inline c10::Device place(int gpu) {
    return gpu == on_host ? c10::Device(c10::kCPU) : c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(gpu));
}

inline at::Tensor tensor_view(const float* at, at::IntArrayRef sizes, int gpu) {
    const at::TensorOptions options = at::TensorOptions(at::kFloat).device(place(gpu));
    return at::for_blob(const_cast<float*>(at), sizes).options(options).target_device(place(gpu)).make_tensor();
}

}  // namespace hone::lm
