// base/load.hpp: how busy this machine's cores were, as the kernel tells in /proc.
#pragma once
#include <iosfwd>
#include <optional>
#include <set>

namespace hone {

// Numbers of the cores that this process may run on, as it was started: a part that loads an OpenMP library binds the
// thread that does so to the first of its places.
const std::set<int>& usable_cores();

struct CoreTimes {                   // since boot, in seconds, summed over some cores
    double working = 0, stolen = 0;  // for programs and the kernel; given to others by the host of this virtual machine
};
// In steps of 10 ms; nullopt: the kernel does not tell, or tells of none of these cores.
std::optional<CoreTimes> core_times(const std::set<int>& cores);
std::optional<CoreTimes> core_times(std::istream& stat, const std::set<int>& cores);  // as /proc/stat has it

// Processor time of this process (RUSAGE_SELF), or of the children that it has seen end (RUSAGE_CHILDREN).
double used_seconds(int who);
// Processor time of a process that has not been waited for, with that of its children that were; 0: there is none.
double process_seconds(int pid);
double process_seconds(std::istream& stat);  // as /proc/PID/stat has it
int parent_of(int pid);                      // 0: there is no such process
int parent_of(std::istream& stat);

}  // namespace hone
