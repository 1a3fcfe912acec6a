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

bool stands(pid_t process) {
    std::error_code gone;
    std::filesystem::directory_iterator thread("/proc/" + std::to_string(process) + "/task", gone), none;
    for (; !gone && thread != none; thread.increment(gone))
        if (const char state = state_of(thread->path()); state != 'T' && state != 'Z' && state != 'X') return false;
    return true;
}

}  // namespace

bool stop_process(pid_t process) {
    if (kill(process, SIGSTOP) != 0) return true;
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!stands(process)) {
        if (std::chrono::steady_clock::now() > until) return false;
        sched_yield();
    }
    return true;
}

void let_go(pid_t process) { kill(process, SIGCONT); }

}  // namespace hone::python
