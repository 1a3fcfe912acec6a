#include "timer/thread_counters.hpp"
#include <dirent.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace hone::perf {
namespace {

int open_counter(const Event& event, pid_t thread) {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = event.type;
    attr.config = event.config;
    attr.exclude_kernel = attr.exclude_hv = 1;
    attr.inherit = 1;  // threads that a counted thread starts are counted from their first instruction
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return static_cast<int>(syscall(SYS_perf_event_open, &attr, thread, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

std::string words_of(int error) {
    if (error == ENOENT || error == EOPNOTSUPP)
        return "this machine has no such counter (a virtual machine seldom has one)";
    if (error == EACCES || error == EPERM)
        return "the kernel does not let this user count; kernel.perf_event_paranoid must be 2 or less";
    return std::string("perf_event_open: ") + std::strerror(error);
}

}  // namespace

std::optional<std::string> refusal(const Event& event) {
    const int file = open_counter(event, 0);
    if (file < 0) return words_of(errno);
    close(file);
    return std::nullopt;
}

ThreadCounters::~ThreadCounters() {
    for (const auto& [thread, file] : files_) close(file);
}

bool ThreadCounters::follow(std::string& why) {
    if (!files_.empty()) return true;
    const std::string folder = "/proc/" + std::to_string(process_) + "/task";
    DIR* const threads = opendir(folder.c_str());
    if (!threads) return why = folder + ": " + std::strerror(errno), false;
    bool all = true;
    while (const dirent* entry = readdir(threads)) {
        const pid_t thread = std::atoi(entry->d_name);
        if (thread <= 0 || files_.count(thread)) continue;
        const int file = open_counter(event_, thread);
        if (file >= 0) files_.emplace(thread, file);
        else if (errno != ESRCH) all = false, why = words_of(errno);  // ESRCH: it has just ended
    }
    closedir(threads);
    return all && !files_.empty();
}

double ThreadCounters::read() const {
    double sum = 0;
    for (const auto& [thread, file] : files_) {
        std::uint64_t seen[3] = {};  // value, nanoseconds enabled and running
        if (::read(file, seen, sizeof seen) != sizeof seen || seen[2] == 0) continue;
        sum += static_cast<double>(seen[0]) * (static_cast<double>(seen[1]) / static_cast<double>(seen[2]));
    }
    return sum;
}

}  // namespace hone::perf
