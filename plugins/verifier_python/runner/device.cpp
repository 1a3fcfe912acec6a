// What the process of a Python program takes of a CUDA device from C++: the bench's memory, and the empty call.
#include <cstdint>
#include <cstdio>
#include <exception>
#include "cuda/driver.hpp"
#include "lock.hpp"
#include "verifier_python/page.hpp"

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

// Until the device has done all that this process gave it. 0, or not.
int hone_python_finish() {
    return guarded(1, [] { return hone::cuda::Driver::get().finish(); });
}

// Answers the empty calls of a page for good, with the least that any program can do: one kernel, queued. What Python,
// the making of views and the wait for the device's end take is a program's own time: it may do without them.
void hone_python_answer_empty_calls(hone::python::Page* page, void* stream) {
    bool soon = false;
    for (std::uint32_t number = 0;;) {
        number = hone_python_await(&page->go, number, soon);
        soon = page->work == hone::python::Work::wake;
        if (!soon) page->failed = hone_python_pause(stream) == 0 ? 0 : 1;
        hone_python_answer(&page->done, number);
    }
}

}  // extern "C"
#pragma GCC visibility pop
