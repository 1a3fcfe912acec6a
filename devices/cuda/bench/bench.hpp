// The bench's own end of a device, and the judge's memory there.
#pragma once
#include <cstdint>
#include "cuda/driver.hpp"
#include "cuda/nvml.hpp"

namespace hone::cuda {

// The judge's memory as the verifier keeps it.
struct Reserved {
    Mapped memory;
    int writable = 0;         // 0, 1: the candidate reads, writes; 2: it has no such memory
    std::uint64_t asked = 0;  // bytes; memory has whole granules
};

// The bench's own end of the device.
struct Bench {
    const Driver* driver = nullptr;
    Device device = 0;
    Context context = nullptr;
    Function empty = nullptr;  // a kernel that does nothing
    Nvml* management = nullptr;

    // Whether another context has work on the device, although nobody should: three turns in a row that had to wait.
    bool works_for_another() const;
    double turn() const;  // seconds until a kernel of the bench's own has run, once all that it had queued is done
};

}  // namespace hone::cuda
