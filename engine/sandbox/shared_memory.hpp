// sandbox/shared_memory.hpp: memory that a bench shares with jails: a sealed memfd. The bench maps it for writing
// first; a region that jails may only read is then sealed against any further writable mapping, so that no jail can
// regain the right.
#pragma once
#include <cstdint>
#include "hone/abi.h"

namespace hone {

// seal false: a jail may write even where writable is 0 (defence "input-seal" off). Throws Error(environment) if there
// is no memory.
hone_region share_memory(std::uint64_t bytes, bool writable, bool seal);
void unshare_memory(const hone_region&);

}  // namespace hone
