// What the process of a Python program takes of a CUDA device from C++: the bench's memory, and the empty call.
#include <cstdint>
#include <cstdio>
#include <exception>
#include "cuda/driver.hpp"

namespace {

hone::cuda::Function pause_kernel = nullptr;

// The body's exception goes to standard error; the caller gets `otherwise`.
template <class Result, class Body> Result guarded(Result otherwise, Body&& body) {
    try {
        return body();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "hone: %s\n", e.what());
        return otherwise;
    }
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// In the context that is current, torch's: where a piece of the bench's memory lies in it; 0: it could not be mapped.
std::uint64_t hone_python_map(int device, int file, std::uint64_t bytes, int writable) {
    return guarded(std::uint64_t{0},
                   [&] { return hone::cuda::map_file(hone::cuda::Driver::get(), device, file, bytes, writable != 0); });
}

// Queues a kernel that only waits for HONE_NULL_CALL_SECONDS. 0, or not.
int hone_python_pause(void* stream) {
    return guarded(1, [&] {
        const hone::cuda::Driver& driver = hone::cuda::Driver::get();
        if (!pause_kernel) pause_kernel = hone::cuda::load_pause(driver);
        return driver.launch(pause_kernel, 1, 1, 1, 1, 1, 1, 0, static_cast<hone::cuda::Stream>(stream), nullptr,
                             nullptr);
    });
}

}  // extern "C"
#pragma GCC visibility pop
