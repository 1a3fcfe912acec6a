// A process of somebody else's child, held and let go.
#pragma once
#include <sys/types.h>

namespace hone::python {

// Stops all threads of a process and waits until none runs, 2 s at most; false: one still does. A process that has
// ended counts as stopped.
bool stop_process(pid_t);
void let_go(pid_t);

}  // namespace hone::python
