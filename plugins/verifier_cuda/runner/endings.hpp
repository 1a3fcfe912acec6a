// How a candidate's kernels end badly: the driver's codes as verdicts, and the driver's own word for the cause (Xid).
#pragma once
#include <string>
#include <utility>
#include <vector>
#include "cuda/nvml.hpp"

namespace hone::cuda {

// Verdict and reason that a CUDA error of the runner says about the kernel that caused it.
std::pair<const char*, std::string> explain(int result);
bool blames_the_device(int result);  // it is nobody's kernel
bool ends_context(int result);       // and the driver then tells a cause

struct Cause {
    unsigned xid = 0;       // 0: none was told
    bool hardware = false;  // nobody's kernel is to blame
};
// Of all causes told since the candidate was opened, some of which may be another bench's candidate's: one of the
// hardware is the one, whatever follows it; else the last that is not of cleaning up.
Cause cause_of(const std::vector<unsigned>& xids);
std::vector<unsigned> wait_for_xids(Nvml*);  // null: none
void forget_xids(Nvml*);

}  // namespace hone::cuda
