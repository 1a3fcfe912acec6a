#include "verifier_cuda/runner/endings.hpp"
#include <algorithm>
#include <iterator>
#include "verifier_cuda/runner/runner_page.hpp"

namespace hone::cuda {
namespace {

constexpr int device_unavailable = 46, memory_error = 214;
constexpr int context_enders[] = {700, 710, 714, 715, 716, 717, 718, 719};
// memory, row remapping, NVLink, bus, firmware
constexpr unsigned of_hardware[] = {48, 62, 64, 74, 79, 92, 94, 95, 119, 120, 140};
constexpr unsigned of_cleaning_up[] = {45, 154};
constexpr int xid_patience = 20;  // milliseconds
constexpr std::size_t most_xids = 16;

template <class Number, std::size_t n> bool is_one_of(const Number (&list)[n], Number number) {
    return std::find(std::begin(list), std::end(list), number) != std::end(list);
}

std::vector<unsigned> told(Nvml* management, int milliseconds) {
    std::vector<unsigned> xids;
    while (management && xids.size() < most_xids) {
        const unsigned next = management->xid(milliseconds);
        if (!next) break;
        xids.push_back(next);
    }
    return xids;
}

}  // namespace

std::pair<const char*, std::string> explain(int result) {
    switch (result) {
        case library_failed:
            return {"RUNTIME_ERROR", "an operator of the plan failed"};
        case library_without_memory:
            return {"OUT_OF_MEMORY",
                    "an operator of the plan had no memory for its scratch, which may take an eighth of the device's"};
        case 1:
            return {"LAUNCH_ERROR",
                    "a launch was refused: its grid, block, cluster or shared memory is not possible on this device"};
        case 2:
            return {"OUT_OF_MEMORY", "the device had no memory for the kernel's local memory"};
        case 700:
            return {"RUNTIME_ERROR",
                    "illegal address: the kernel wrote an input, or touched memory outside the tensors"};
        case 701:
            return {"LAUNCH_ERROR", "too many registers or too much shared memory for this block size"};
        case 702:
            return {"TIMEOUT", "the driver ended the kernel for its run time"};
        case 710:
            return {"RUNTIME_ERROR", "an assertion in the kernel failed"};
        case 714:
        case 715:
            return {"RUNTIME_ERROR", "illegal instruction or shared memory out of range"};
        case 716:
            return {"RUNTIME_ERROR", "misaligned address"};
        case 720:
            return {"LAUNCH_ERROR", "the cooperative grid has more blocks than the device holds at once"};
        case 912:
            return {"LAUNCH_ERROR", "no multiprocessors hold a cluster of this size with these blocks"};
        case 719:
            return {"RUNTIME_ERROR", "the kernel ended itself (trap)"};
        default:
            return {"RUNTIME_ERROR", "CUDA error " + std::to_string(result)};
    }
}

bool blames_the_device(int result) { return result == device_unavailable || result == memory_error; }
bool ends_context(int result) { return is_one_of(context_enders, result); }

Cause cause_of(const std::vector<unsigned>& xids) {
    Cause cause;
    for (const unsigned xid : xids) {
        if (is_one_of(of_hardware, xid)) return {xid, true};
        if (!is_one_of(of_cleaning_up, xid)) cause.xid = xid;
    }
    return cause;
}

std::vector<unsigned> wait_for_xids(Nvml* management) { return told(management, xid_patience); }
void forget_xids(Nvml* management) { told(management, 0); }

}  // namespace hone::cuda
