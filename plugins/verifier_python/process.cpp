#include "verifier_python/process.hpp"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace hone::python {
namespace {

constexpr auto patience = std::chrono::seconds(2);
constexpr double stall_seconds = 0.75;  // that a machine may stand still, as engine/sandbox/jail.cpp has it

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

WorkedTime::WorkedTime(pid_t process)
    : file_(open(("/proc/" + std::to_string(process) + "/schedstat").c_str(), O_RDONLY | O_CLOEXEC)) {}

WorkedTime::~WorkedTime() {
    if (file_ >= 0) close(file_);
}

double WorkedTime::seconds() const {
    char text[64] = "";
    return pread(file_, text, sizeof text - 1, 0) <= 0 ? 0 : 1e-9 * std::strtod(text, nullptr);
}

bool is_late(double passed, double worked, double limit) {
    return passed > limit && (worked > limit / 2 || passed > stall_seconds);
}

}  // namespace hone::python
