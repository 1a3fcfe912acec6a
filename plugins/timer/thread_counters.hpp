// A counter of the kernel's for each thread of a process, summed: what the process did, whoever else has the cores.
#pragma once
#include <sys/types.h>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace hone::perf {

// What perf_event_open counts: type and config as in linux/perf_event.h, in user space alone.
struct Event {
    std::uint32_t type;
    std::uint64_t config;
};

// Why this machine does not count it for the calling thread; nothing: it does.
std::optional<std::string> refusal(const Event&);

// Counts the threads that the process has at the first follow(), and all that those start later.
class ThreadCounters {
public:
    ThreadCounters(pid_t process, const Event& event) : process_(process), event_(event) {}
    ~ThreadCounters();
    ThreadCounters(const ThreadCounters&) = delete;
    // Opens a counter for each thread, once. false: one could not be opened, see `why`.
    bool follow(std::string& why);
    // Sum over all threads, also of those that have ended; a counter that did not run all the time is scaled up.
    double read() const;

private:
    pid_t process_;
    Event event_;
    std::map<pid_t, int> files_;  // by thread
};

}  // namespace hone::perf
