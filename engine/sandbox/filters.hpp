// sandbox/filters.hpp: which system calls confined processes may make. The programs are written here, in the bench; a
// confined process only installs them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "hone/filter.hpp"

namespace hone {

// For a jail of the standard runner: what arithmetic, memory, the loader and an OpenMP team need is let through. What
// changes or reaches others stops its thread and is reported to the bench (SECCOMP_RET_USER_NOTIF), as are ends and
// starts of threads; all else gets an error number.
const Filter& jail_filter();
// For compilers and a verifier's own runner: everything but what reaches other processes, the network or the kernel's
// settings (EPERM).
const Filter& deny_filter();

// Whether a file that is opened with these flags is only looked at.
bool only_reads(std::uint64_t flags);

// Offences (offences.cpp): the calls that are one with any argument, and of a call that was reported the kind
// ("network", "files", "processes", "signals", "memory of others", "code", "scheduling") and the name.
std::vector<const char*> always_reported();
std::string call_kind(int number);
std::string call_name(int number);

}  // namespace hone
