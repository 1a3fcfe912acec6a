// How hone-jail-cuda confines itself once its device is open and before it looks at a candidate.
#pragma once
#include <string>
#include <vector>

namespace hone::cuda {

// No files, powers, programs, processes or connections from here on, and nobody looks into this process; ioctl, mmap
// and futex stay, the driver lives by them. Binds the calling thread and those it starts later. False: the kernel
// refused. libraries: folders of LibTorch, where it is there: its libraries may be read there, and whatever else they
// ask for is refused instead of ending the process.
bool lock_runner(const std::vector<std::string>& libraries = {});

}  // namespace hone::cuda
