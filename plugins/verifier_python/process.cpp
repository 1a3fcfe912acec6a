#include "verifier_python/process.hpp"
#include <sched.h>
#include <signal.h>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace hone::python {
namespace {

constexpr auto patience = std::chrono::seconds(2);

// The state of a thread: the letter behind its name, which may hold any character.
char state_of(const std::filesystem::path& thread) {
    std::ifstream file(thread / "stat");
    std::stringstream text;
    text << file.rdbuf();
    const std::string line = text.str();
    const std::size_t name_end = line.rfind(')');
    return name_end == std::string::npos || name_end + 2 >= line.size() ? 'X' : line[name_end + 2];
}

// The number of its threads; nullopt: one runs.
std::optional<int> standing(pid_t process) {
    std::error_code gone;
    std::filesystem::directory_iterator thread("/proc/" + std::to_string(process) + "/task", gone), none;
    int threads = 0;
    for (; !gone && thread != none; thread.increment(gone), ++threads)
        if (const char state = state_of(thread->path()); state != 'T' && state != 'Z' && state != 'X')
            return std::nullopt;
    return threads;
}

}  // namespace

std::optional<int> stop_process(pid_t process) {
    if (kill(process, SIGSTOP) != 0) return 0;
    const auto until = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() <= until) {
        if (const std::optional<int> threads = standing(process)) return threads;
        sched_yield();
    }
    return std::nullopt;
}

void let_go(pid_t process) { kill(process, SIGCONT); }

}  // namespace hone::python
