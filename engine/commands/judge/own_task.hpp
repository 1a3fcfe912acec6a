// commands/judge/own_task.hpp: a task that belongs to no suite: does it tell right programs from trivial ones?
#pragma once
#include "domain/task.hpp"

namespace hone {

// Says on standard error why `hone lint` refuses the task, if it does. A task of large tensors takes the linter about a
// minute: the person is sent there. A task of a suite is none of this: suites are linted as a whole.
void tell_of_own_task(const Task&);

}  // namespace hone
