#include "libtorch/libtorch.hpp"
#include <ATen/Context.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <torch/version.h>
#include "hone/plugin.hpp"

namespace hone::libtorch {

at::ScalarType scalar_type(std::int32_t dtype) {
    switch (dtype) {
        case HONE_F64:
            return at::kDouble;
        case HONE_F32:
            return at::kFloat;
        case HONE_F16:
            return at::kHalf;
        case HONE_BF16:
            return at::kBFloat16;
        case HONE_I64:
            return at::kLong;
        case HONE_I32:
            return at::kInt;
        case HONE_I8:
            return at::kChar;
        case HONE_U8:
            return at::kByte;
        case HONE_BOOL:
            return at::kBool;
        default:
            throw Refused("unknown dtype code " + std::to_string(dtype));
    }
}

at::Tensor view(std::uint64_t at, std::int32_t dtype, at::IntArrayRef shape, at::IntArrayRef strides,
                c10::Device device) {
    return at::from_blob(
        reinterpret_cast<void*>(at), shape, strides, [](void*) {},
        at::TensorOptions().dtype(scalar_type(dtype)).device(device), device);
}

at::Tensor view(const hone_tensor& t, c10::Device device) {
    return at::from_blob(
        reinterpret_cast<void*>(t.at), at::IntArrayRef(t.shape, static_cast<std::size_t>(t.rank)), [](void*) {},
        at::TensorOptions().dtype(scalar_type(t.dtype)).device(device), device);
}

void set_precision(bool tf32) {
    at::globalContext().setAllowTF32CuBLAS(tf32);
    at::globalContext().setAllowTF32CuDNN(tf32);
}

void open_cuda() {
    if (!dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL))
        throw Refused(std::string("libtorch_cuda.so cannot be loaded: ") + dlerror() +
                      "; a GPU needs the whole of torch (pip install torch==" TORCH_VERSION
                      ") and HONE_TORCH_DIR=.../site-packages");
}

std::string first_line(const std::exception& e) {
    const std::string text = e.what();
    return text.substr(0, text.find('\n'));
}

// A stream that torch has not made has its address for a number (c10/cuda/CUDAStream.cpp).
OnQueue::OnQueue(c10::Device device, void* stream)
    : before_(c10::impl::VirtualGuardImpl(device.type())
                  .exchangeStream(c10::Stream(c10::Stream::UNSAFE, device, reinterpret_cast<c10::StreamId>(stream)))) {}

OnQueue::~OnQueue() { c10::impl::VirtualGuardImpl(before_.device_type()).exchangeStream(before_); }

}  // namespace hone::libtorch
