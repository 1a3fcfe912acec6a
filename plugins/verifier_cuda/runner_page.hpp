// What verifier.cuda and its runner hone-jail-cuda say to each other. The runner's half is within the reach of the driver bugs a kernel
// might find, so everything it writes is a hint; the verifier copies before it checks.
#pragma once
#include <atomic>
#include <cstdint>

namespace hone::cuda {

constexpr std::uint32_t max_mapped = 32, max_arguments = 96;

// The one message of host->tell, answered when the runner is ready for calls. Its files: the page, the cubin, then one for each memory.
struct OpenMessage {
    std::uint64_t cubin_bytes;
    std::int32_t device;
    std::uint32_t n_memories;
    struct { std::uint64_t bytes; std::int32_t writable; std::int32_t unused; } memories[max_mapped];
};

struct OpenReply {
    std::int32_t parameters = -1;                // of the kernel; -1: this driver cannot tell
    std::int32_t registers = 0, shared_bytes = 0, local_bytes = 0, max_threads = 0;
    std::uint64_t addresses[max_mapped] = {};    // of the memories in the runner
    char verdict[24] = {};                       // why there is no kernel to call; empty: ready
    char reason[232] = {};
};

enum class Work : std::uint32_t { kernel, nothing };

// Shared memory. The verifier fills the first part, then raises `go`; the runner answers with the same number.
struct RunnerPage {
    Work work;
    std::uint32_t grid, block, n_arguments;
    std::uint64_t arguments[max_arguments];      // as the kernel takes them: addresses in the runner, then sizes

    alignas(64) std::atomic<std::uint32_t> go;
    alignas(64) std::atomic<std::uint32_t> launched;  // the launch call has returned
    alignas(64) std::atomic<std::uint32_t> done;      // the runner's driver says that the work is finished
    std::int32_t result;                              // a CUDA error of that call
    float milliseconds;                               // by the runner's events
};

}  // namespace hone::cuda
