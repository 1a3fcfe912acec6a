// Memory in which the library steps of a shape are tried before there is a call.
#pragma once
#include <vector>
#include "cuda/driver.hpp"
#include "verifier_cuda/runner/program.hpp"

namespace hone::cuda {

class TrialMemory {
public:
    // As much as the tensors of these steps take. Where the device has no room for it, the calls will tell what is
    // wrong.
    TrialMemory(const Driver&, const Program&, const StepList&);
    ~TrialMemory();
    TrialMemory(const TrialMemory&) = delete;
    bool is_there() const { return at_ != 0; }
    const std::uint64_t* addresses() const { return addresses_.data(); }

private:
    const Driver& driver_;
    Address at_ = 0;
    std::vector<std::uint64_t> addresses_;  // of each tensor of the program
};

}  // namespace hone::cuda
