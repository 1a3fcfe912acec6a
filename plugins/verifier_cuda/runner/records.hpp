// What CUPTI, NVIDIA's profiling interface, records of the kernels of this process, by the device's own clock: a second
// opinion on events for programs that are trusted. Opened at run time; one a process.
#pragma once
#include <cstdint>
#include <string>

namespace hone::cuda {

struct CuptiRecord {  // the head of every kind that is read; nanoseconds
    std::int32_t kind;
    char of_its_kind[12];
    std::uint64_t start, end;
};
constexpr int cupti_copy = 1, cupti_set = 2, cupti_kernel = 10;

class Records {
public:
    // Before the process's first context. Throws std::runtime_error that names what is missing.
    explicit Records(const std::string& library);
    // Seconds from the first start to the last end of the kernels, copies and sets since this was last asked, which
    // must have ended; NaN: none. Takes the host tens of microseconds, so it is asked when a call is over and not
    // before one.
    double take();

private:
    int (*flush_)(unsigned flags) = nullptr;
};

}  // namespace hone::cuda
