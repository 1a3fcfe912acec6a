// sandbox/sandbox.hpp: what this machine offers to confine a process with, found by doing. hone/confine.hpp has the
// steps by which a child confines itself between fork and exec.
#pragma once
#include <sys/resource.h>
#include <string>

namespace hone {

struct Sandbox {
    bool namespaces = false;  // the network is an empty one: enter_namespaces() worked in this process or an ancestor
    int landlock = 0;         // its version; 0: none
    bool seccomp = false;     // filters whose refusals this process can see
    bool limits = false;      // of memory, file sizes and open files
    bool powerless = true;    // capabilities can be given up for good

    // 3: namespaces, Landlock, seccomp and limits; 2: without namespaces; 1: seccomp and limits; 0: host code must be
    // refused (also where powers stay)
    int level() const;
    std::string text() const;  // "L3 (namespaces, Landlock 7, seccomp, limits)"
};

// Tries each mechanism in a forked child; about 2 ms.
Sandbox probe_sandbox();
// The same, tried once a process: after enter_namespaces, if that is wanted.
const Sandbox& sandbox();

// Leaves the network and System V objects of the machine behind, for this process and all that it starts. A worker
// calls it first thing, while it has one thread. False: the machine does not allow it.
bool enter_namespaces();

// For RLIMIT_CORE: too small for a dump, and the one value at which the kernel does not start a crash handler's program
// either (core(5): it ignores 0 there), which would read the memory of every candidate that crashes and keep the
// machine busy.
constexpr rlim_t no_core = 1;

// Makes the calling process the first that the kernel ends when memory runs out. Async-signal-safe.
void be_expendable();
// Lets the calling process run on every core again, wherever its parent keeps to. Async-signal-safe.
void leave_core();

}  // namespace hone
