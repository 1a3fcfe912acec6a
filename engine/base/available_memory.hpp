// base/available_memory.hpp: how much memory programs could have now.
#pragma once

namespace hone {

double available_memory();  // bytes; infinite: the kernel does not tell

}  // namespace hone
