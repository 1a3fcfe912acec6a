// The names by which programs know all this.
#define TORCH_CHECK(condition, ...)                            \
    do {                                                       \
        if (!(condition)) ::hone_extension::fail(__VA_ARGS__); \
    } while (0)
#define TORCH_INTERNAL_ASSERT(condition, ...) TORCH_CHECK(condition, "" __VA_ARGS__)
#define AT_ASSERTM(condition, ...) TORCH_CHECK(condition, __VA_ARGS__)
#define AT_ASSERT(condition) TORCH_CHECK(condition, #condition)
#define AT_ERROR(...) ::hone_extension::fail(__VA_ARGS__)

#define HONE_CASE(name, type, ...) \
    case ::at::ScalarType::name: { \
        using scalar_t = type;     \
        __VA_ARGS__();             \
        break;                     \
    }
#define HONE_DISPATCH(of, word, cases)                                                                      \
    do {                                                                                                    \
        const ::at::ScalarType hone_type = (of);                                                            \
        switch (hone_type) { cases default : ::hone_extension::fail(word, " has no case for this dtype"); } \
    } while (0)
#define HONE_FLOATS(...) HONE_CASE(Float, float, __VA_ARGS__) HONE_CASE(Double, double, __VA_ARGS__)
#define HONE_INTEGERS(...)                      \
    HONE_CASE(Byte, std::uint8_t, __VA_ARGS__)  \
    HONE_CASE(Char, std::int8_t, __VA_ARGS__)   \
    HONE_CASE(Short, std::int16_t, __VA_ARGS__) \
    HONE_CASE(Int, std::int32_t, __VA_ARGS__) HONE_CASE(Long, std::int64_t, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES(of, word, ...) HONE_DISPATCH(of, word, HONE_FLOATS(__VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(of, word, ...) HONE_DISPATCH(of, word, HONE_INTEGERS(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(of, word, ...) \
    HONE_DISPATCH(of, word, HONE_FLOATS(__VA_ARGS__) HONE_INTEGERS(__VA_ARGS__))
#ifdef __CUDACC__
#define HONE_HALF(...) HONE_CASE(Half, __half, __VA_ARGS__)
#define HONE_BFLOAT(...) HONE_CASE(BFloat16, __nv_bfloat16, __VA_ARGS__)
#else
#define HONE_HALF(...)
#define HONE_BFLOAT(...)
#endif
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(of, word, ...) \
    HONE_DISPATCH(of, word, HONE_FLOATS(__VA_ARGS__) HONE_HALF(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND(one, of, word, ...) \
    HONE_DISPATCH(of, word, HONE_FLOATS(__VA_ARGS__) HONE_HALF(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(one, two, of, word, ...) \
    HONE_DISPATCH(of, word, HONE_FLOATS(__VA_ARGS__) HONE_HALF(__VA_ARGS__) HONE_BFLOAT(__VA_ARGS__))

namespace c10 {
using at::Device;
using at::DeviceIndex;
using at::DeviceType;
using at::IntArrayRef;
using at::kCPU;
using at::kCUDA;
using at::MemoryFormat;
using at::ScalarType;
using at::TensorOptions;
#ifdef __CUDACC__
using at::BFloat16;
using at::Half;
#endif
template <class T> using optional = std::optional<T>;
constexpr std::nullopt_t nullopt = std::nullopt;
}  // namespace c10
namespace torch {
using namespace at;
namespace nn {
namespace functional {}
}  // namespace nn
template <class T> using optional = std::optional<T>;
inline TensorOptions dtype(ScalarType of) { return of; }
inline TensorOptions device(Device where) { return where; }
struct NoGradGuard {};
}  // namespace torch
namespace at {
struct NoGradGuard {};
template <class T> using optional = std::optional<T>;
}  // namespace at

#ifdef HONE_CUDA  // nvcc compiles both halves
#include <cuda_runtime.h>
namespace c10 {
namespace cuda {
struct CUDAStream {
    cudaStream_t raw;
    operator cudaStream_t() const { return raw; }
    cudaStream_t stream() const { return raw; }
};
inline CUDAStream getCurrentCUDAStream(DeviceIndex = -1) {
    return {reinterpret_cast<cudaStream_t>(hone_extension::ask<std::int64_t>("hone.stream"))};
}
// The process of a program has one device.
struct CUDAGuard {
    template <class T> explicit CUDAGuard(const T&) {}
};
struct OptionalCUDAGuard {
    template <class... T> explicit OptionalCUDAGuard(const T&...) {}
};
}  // namespace cuda
}  // namespace c10
namespace at {
inline std::optional<Device> device_of(const Tensor& tensor) { return tensor.device(); }
namespace cuda {
using namespace c10::cuda;
}
}  // namespace at
#define C10_CUDA_CHECK(call)                                                        \
    do {                                                                            \
        if (const cudaError_t hone_error = (call))                                  \
            ::hone_extension::fail("CUDA error: ", cudaGetErrorString(hone_error)); \
    } while (0)
#define AT_CUDA_CHECK(call) C10_CUDA_CHECK(call)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
namespace at {
namespace cuda {
inline cublasHandle_t getCurrentCUDABlasHandle() {
    return reinterpret_cast<cublasHandle_t>(hone_extension::ask<std::int64_t>("hone.blas"));
}
}  // namespace cuda
}  // namespace at
#endif
#endif
