#include "verifier_cuda/runner/trial_memory.hpp"
#include <algorithm>

namespace hone::cuda {
namespace {

constexpr std::uint64_t alignment = 256;

// Bytes of each tensor that a library step of the list reaches.
std::vector<std::uint64_t> reached(const Program& program, const StepList& list) {
    std::vector<std::uint64_t> bytes(program.n_tensors);
    const auto reach = [&](const Operand& operand) {
        if (!operand.bytes) return;
        std::uint64_t& most = bytes[operand.spot.tensor];
        most = std::max(most, operand.spot.offset + operand.bytes);
    };
    for (std::uint32_t s = list.first; s < list.first + list.n; ++s) {
        if (program.steps[s].kind != StepKind::library) continue;
        const LibraryStep& step = program.library_steps[program.steps[s].library];
        reach(step.out);
        for (const Operand& operand : step.in) reach(operand);
    }
    return bytes;
}

}  // namespace

TrialMemory::TrialMemory(const Driver& driver, const Program& program, const StepList& list) : driver_(driver) {
    std::uint64_t end = 0;
    for (const std::uint64_t bytes : reached(program, list)) {
        addresses_.push_back(end);
        end += (bytes + alignment - 1) / alignment * alignment;
    }
    if (end == 0 || driver_.allocate(&at_, end) != 0) at_ = 0;
    for (std::uint64_t& address : addresses_) address += at_;
}

TrialMemory::~TrialMemory() {
    if (at_) driver_.free(at_);
}

}  // namespace hone::cuda
