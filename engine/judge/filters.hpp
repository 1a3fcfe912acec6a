// judge/filters.hpp: which system calls confined processes may make. libseccomp writes the programs here, in the bench; a confined process
// only installs them.
#pragma once
#include <linux/filter.h>
#include <string>
#include <vector>

namespace hone {

using Filter = std::vector<sock_filter>;

// For a jail of the standard runner: what arithmetic, memory, the loader and an OpenMP team need. Any other call stops its thread and is
// reported to the bench (SECCOMP_RET_USER_NOTIF).
const Filter& jail_filter();
// For compilers and a verifier's own runner: everything but what reaches other processes, the network or the kernel's settings (EPERM).
const Filter& deny_filter();
// Installs a filter on the calling thread. Async-signal-safe.
bool install_filter(const Filter&);

// The kind of offence that a call outside the list is: "network", "files", "processes", "threads", "signals", "memory of others",
// "code", "scheduling" or "system call"; and its name.
std::string call_kind(int number);
std::string call_name(int number);

}  // namespace hone
