// sandbox/runner/control.hpp: the page that a bench shares with its jail. The bench writes the upper part before the
// runner starts and the call's arguments before each bell. Everything here is within the candidate's reach: what the
// bench reads back (done, inside) is a hint, and the trouble is read only if the runner ended before it loaded the
// candidate.
#pragma once
#include <linux/filter.h>
#include <time.h>
#include <atomic>
#include <cstdint>

namespace hone {

// descriptors that the runner is started with
constexpr int jail_socket = 3, jail_control = 4, jail_library = 5, jail_regions = 6;
constexpr std::uint32_t max_regions = 64, max_tensors = 64, max_sizes = 64, max_filter = 1024;

struct JailRegion {
    std::uint64_t at, bytes;  // where the runner maps it
    std::int32_t writable;
};

struct JailControl {
    std::uint32_t n_regions, n_filter, threads, landlock, capabilities;
    JailRegion regions[max_regions];
    sock_filter filter[max_filter];  // empty: no seccomp
    char symbol[128];

    alignas(64) std::atomic<std::uint32_t> bell;  // number of the call to make; the runner waits for it to change
    alignas(64) std::atomic<std::uint32_t> done;  // 1: ready; otherwise the number of the last call that returned
    std::uint64_t inside;                         // its ticks (below)
    char trouble[256];                            // why the runner could not start

    alignas(64) std::uint64_t in[max_tensors], out[max_tensors];
    std::int64_t sizes[max_sizes];
};

// The processor's own counter. The kernel's clock would cost microseconds of every call, its pages being cold then: a
// candidate that takes the runner's place and reads no clock was seen to gain a tenth on a kernel of 30 us.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    std::uint64_t count;
    asm volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#else
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1000000000 + static_cast<std::uint64_t>(t.tv_nsec);
#endif
}

using JailEntry = void (*)(const void* const* in, void* const* out, const std::int64_t* sizes);

}  // namespace hone
