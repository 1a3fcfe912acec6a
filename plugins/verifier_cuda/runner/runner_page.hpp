// What verifier.cuda and its runner hone-jail-cuda say to each other. The runner's half is within the reach of the
// driver bugs a kernel might find, so everything it writes is a hint; the verifier copies before it checks.
#pragma once
#include <atomic>
#include <cstdint>
#include "verifier_cuda/runner/program.hpp"

namespace hone::cuda {

constexpr std::uint32_t max_mapped = 32;
// Results of a call beside CUDA's: an operator of LibTorch refused its work, or had no memory for its scratch.
constexpr int library_failed = -2, library_without_memory = -3;
constexpr std::uint64_t aligned_bytes(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }

// The one message of host->tell, answered when the runner is ready for calls. Its files: the page, the code (Program,
// then the modules), then one for each memory.
struct OpenMessage {
    std::uint64_t code_bytes;
    std::uint64_t module_bytes[max_modules];  // each begins at aligned_bytes of what is before it
    std::uint32_t n_memories, unused;
    struct {
        std::uint64_t bytes;
        std::int32_t writable;
        std::int32_t unused;
    } memories[max_mapped];
};

struct KernelFacts {
    std::int32_t registers = 0, shared_bytes = 0, local_bytes = 0, max_threads = 0;
    std::int32_t blocks = 0;  // of its first step at once on a multiprocessor
};

struct OpenReply {
    std::uint64_t addresses[max_mapped] = {};  // of the memories in the runner
    KernelFacts kernels[max_kernels];          // of the timed shape's
    char verdict[24] = {};                     // why there is nothing to call; empty: ready
    char reason[488] = {};
};

enum class Work : std::uint32_t { steps, prepack, nothing, prepare, trial };

// Shared memory. The verifier fills the first part, then raises `go`; the runner answers with the same number.
struct RunnerPage {
    Work work;
    std::uint32_t shape;                   // of a trial the runner says it: where it ended
    std::uint64_t addresses[max_tensors];  // in the runner

    alignas(64) std::atomic<std::uint32_t> go;
    alignas(64) std::atomic<std::uint32_t> launched;  // the launch call has returned
    alignas(64) std::atomic<std::uint32_t> done;      // the runner's driver says that the work is finished
    std::int32_t result;                              // a CUDA error of that call
    // of its shape's steps, from 1, the one whose launch gave that error; 0: none
    std::uint32_t refused;
    float milliseconds;  // by the runner's events; NaN: they do not say
    double recorded;     // seconds by CUPTI; NaN: nothing was recorded
    char words[256];     // of library_failed: what LibTorch said
};

}  // namespace hone::cuda
