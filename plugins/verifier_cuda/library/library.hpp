// What runs a plan's library steps: LibTorch behind an interface without its headers, in a shared library of its own
// that is opened only for a plan that has such steps.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "verifier_cuda/runner/program.hpp"

namespace hone::cuda {

class Library {
public:
    enum class Outcome { done, without_memory, failed };
    virtual ~Library() = default;
    virtual void set_precision(bool tf32) = 0;
    // Puts the step on the queue that the library was opened for. Where it fails, `why` gets LibTorch's first line.
    virtual Outcome run(const LibraryStep&, const std::uint64_t* addresses, std::string& why) noexcept = 0;
    // Folders in which its libraries find the rest of themselves when they first need it.
    virtual std::vector<std::string> folders() const = 0;
};

// Opens LibTorch for a device and a queue of its driver, and lets it do what a first use does: before the process is
// confined. device -1: operators run on the host's memory, for tests. null: `why` tells.
using OpenLibrary = Library* (*)(int device, void* queue, std::string& why);
constexpr const char* open_library_symbol = "hone_open_library";

}  // namespace hone::cuda
