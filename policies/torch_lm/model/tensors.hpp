// tensors.hpp: where a tensor of a model lies, as LibTorch says it, and memory of ours as a tensor.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include "torch_lm/model/place.hpp"

namespace hone::lm {

inline c10::Device device_of(Place place) {
    return place.gpu == on_host ? c10::Device(c10::kCPU)
                                : c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(place.gpu));
}

inline at::TensorOptions options_of(Place place) {  // of weights
    return at::TensorOptions(place.bfloat16 ? at::kBFloat16 : at::kFloat).device(device_of(place));
}

inline at::TensorOptions activations_of(Place place) {
    return place.gpu == on_host ? at::TensorOptions(at::kFloat) : options_of(place);
}

// Numbers of the host, nothing copied: they outlive the tensor.
template <class T> at::Tensor view_of(const T* at, at::IntArrayRef sizes) {
    return at::from_blob(const_cast<T*>(at), sizes, at::TensorOptions(c10::CppTypeToScalarType<T>::value));
}

}  // namespace hone::lm
