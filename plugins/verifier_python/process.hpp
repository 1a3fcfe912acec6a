// A process of somebody else's child: held, let go, and the time that it works.
#pragma once
#include <sys/types.h>
#include <optional>

namespace hone::python {

// Stops all threads of a process and waits until none runs, 2 s at most: how many there are; nullopt: one still runs. A
// process that has ended has none.
std::optional<int> stop_process(pid_t);
void let_go(pid_t);

// The time that the first thread of a process has had a core. It costs a look at one open file.
class WorkedTime {
public:
    explicit WorkedTime(pid_t);
    ~WorkedTime();
    WorkedTime(const WorkedTime&) = delete;
    double seconds() const;  // 0: it cannot be read

private:
    int file_;
};

// Whether a call may go on no longer that began `passed` seconds ago and has worked so much since. Who had a core for
// less than half of its limit may have been kept from it by others: it gets as long as a program in a jail does.
bool is_late(double passed, double worked, double limit);

}  // namespace hone::python
