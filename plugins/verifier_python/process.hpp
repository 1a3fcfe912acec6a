// A process of somebody else's child, held and let go.
#pragma once
#include <sys/types.h>
#include <optional>

namespace hone::python {

// Stops all threads of a process and waits until none runs, 2 s at most: how many there are; nullopt: one still runs. A
// process that has ended has none.
std::optional<int> stop_process(pid_t);
void let_go(pid_t);

}  // namespace hone::python
