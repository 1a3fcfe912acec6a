#include "base/core_waits.hpp"
#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

namespace hone {
namespace {

// The second number: nanoseconds in the queue of a core. Negative: the thread has ended.
double waited_by(const Fd& schedstat) {
    char text[64] = "";
    if (pread(schedstat.get(), text, sizeof text - 1, 0) <= 0) return -1;
    char* worked_end = text;
    std::strtod(text, &worked_end);
    return 1e-9 * std::strtod(worked_end, nullptr);
}

}  // namespace

// A thread that has begun since is known from here on, with all that it waited.
void CoreWaits::look() {
    for (const pid_t process : processes_) {
        std::error_code gone;
        const std::filesystem::path tasks = "/proc/" + std::to_string(process) + "/task";
        for (std::filesystem::directory_iterator task(tasks, gone), none; !gone && task != none; task.increment(gone)) {
            Thread& thread = threads_[static_cast<pid_t>(std::atoi(task->path().filename().c_str()))];
            if (!thread.file) thread.file = Fd(open((task->path() / "schedstat").c_str(), O_RDONLY | O_CLOEXEC));
        }
    }
}

void CoreWaits::begin(std::vector<pid_t> processes) {
    if (processes != processes_) threads_.clear();
    processes_ = std::move(processes);
    look();
    for (auto& [number, thread] : threads_) thread.before = waited_by(thread.file);
    std::erase_if(threads_, [](const auto& thread) { return thread.second.before < 0; });
}

double CoreWaits::longest() {
    look();
    double longest = 0;
    for (const auto& [number, thread] : threads_) longest = std::max(longest, waited_by(thread.file) - thread.before);
    return longest;
}

}  // namespace hone
