// base/core_waits.hpp: how long threads of some processes were ready to run and had no core, as the kernel tells in
// /proc/PID/task/N/schedstat.
#pragma once
#include <sys/types.h>
#include <map>
#include <vector>
#include "base/process.hpp"

namespace hone {

// Between begin() and longest(). Costs two system calls a thread and look; both are to lie outside of
// what is timed. For one thread of the caller at a time.
class CoreWaits {
public:
    void begin(std::vector<pid_t> processes);
    // Seconds that the thread which waited longest has waited since begin(); 0: none did, or the kernel does not tell.
    double longest();

private:
    struct Thread {
        Fd file;
        double before = 0;  // seconds that it had waited at begin()
    };
    void look();
    std::vector<pid_t> processes_;
    std::map<pid_t, Thread> threads_;
};

}  // namespace hone
