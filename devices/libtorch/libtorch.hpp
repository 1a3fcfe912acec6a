// What every program shares that runs LibTorch's operators on the judge's memory: tensors that are views of it, the
// precision of float32, the library of CUDA's operators, the queue that they work on.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <cstdint>
#include <exception>
#include <string>
#include "hone/call.h"

namespace hone::libtorch {

at::ScalarType scalar_type(std::int32_t dtype);  // HONE_F32, ...; throws Refused

// Memory as a tensor, nothing copied. strides in elements.
at::Tensor view(std::uint64_t at, std::int32_t dtype, at::IntArrayRef shape, at::IntArrayRef strides, c10::Device);
at::Tensor view(const hone_tensor&, c10::Device);

// float32 means float32: on a GPU cuDNN would round factors to TF32 unasked. Tasks of class tf32 allow it to both
// libraries.
void set_precision(bool tf32);

// Must come before torch's first operator: it remembers for good whether CUDA was there. Throws Refused, with the cure.
void open_cuda();

std::string first_line(const std::exception&);  // of what torch says, whose own code follows

// While it lives, torch works on a stream of somebody else's; stream: of the driver.
class OnQueue {
public:
    OnQueue(c10::Device, void* stream);
    ~OnQueue();
    OnQueue(const OnQueue&) = delete;

private:
    c10::Stream before_;
};

}  // namespace hone::libtorch
