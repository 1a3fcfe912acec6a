// How hone-jail-cuda confines itself once its device is open and before it looks at a candidate.
#pragma once

namespace hone::cuda {

// No files, powers, programs, processes or connections from here on, and nobody looks into this process; ioctl, mmap
// and futex stay, the driver lives by them. Binds the calling thread and those it starts later. False: the kernel
// refused.
bool lock_runner();

}  // namespace hone::cuda
