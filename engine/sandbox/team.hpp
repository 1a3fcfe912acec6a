// sandbox/team.hpp: the threads of a jail, by the kernel's word. A candidate keeps as many as it was started with, on
// the cores where they were put: to stop and continue a process takes longer with a thread on another core than without
// (14 of 19 us were seen), and what it is compared with has all of its own.
#pragma once
#include <sched.h>
#include <sys/types.h>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace hone {

class Team {
public:
    Team() = default;
    Team(pid_t process, std::size_t threads);  // as the runner has started it, before the candidate's code is loaded

    // A thread asks (by a question to the bench) to end. It waits instead, without an answer, and costs what an idle
    // one does. OpenMP's own do so where a smaller team follows a larger one. False: another has taken its place, and
    // it may go.
    bool park(pid_t thread, std::uint64_t question);
    // A thread is about to be started in the place of one that waits to end: that one's question. None: nobody waits.
    std::optional<std::uint64_t> replace();
    // Puts threads that were started in place of others on the cores of those, wherever the candidate would have them.
    void settle();
    // A thread of the process, wherever it sits.
    bool has(pid_t thread) const;
    // As many live threads as at the start.
    bool complete() const;

private:
    struct Seat {
        pid_t thread;  // 0: free
        cpu_set_t cores;
        std::optional<std::uint64_t> question;  // of one that waits to end
    };
    std::vector<pid_t> listed() const;
    bool sits(pid_t thread) const;

    pid_t process_ = 0;
    std::size_t size_ = 0;
    std::vector<Seat> seats_;
    std::set<pid_t> leaving_;  // whose place is taken
};

}  // namespace hone
