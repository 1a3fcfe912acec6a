// The kernel's side of a jail: refused system calls and deaths, and what they mean.
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>
#include "judge/filters.hpp"
#include "judge/jail.hpp"

namespace hone {
namespace {

std::size_t count_threads(pid_t pid) {
    std::error_code gone;
    std::size_t threads = 0;
    for (std::filesystem::directory_iterator at("/proc/" + std::to_string(pid) + "/task", gone), end; !gone && at != end;
         at.increment(gone))
        ++threads;
    return threads;
}

bool is_thread_of(pid_t pid, std::uint64_t thread) {
    std::error_code gone;
    return std::filesystem::exists("/proc/" + std::to_string(pid) + "/task/" + std::to_string(static_cast<pid_t>(thread)), gone);
}

std::uint64_t address_space(pid_t pid) {
    std::uint64_t pages = 0;
    std::ifstream("/proc/" + std::to_string(pid) + "/statm") >> pages;
    return pages * static_cast<std::uint64_t>(getpagesize());
}

void go_on(int listener, const seccomp_notif& asked) {
    seccomp_notif_resp answer{};
    answer.id = asked.id;
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

void refuse(int listener, const seccomp_notif& asked) {
    seccomp_notif_resp answer{};
    answer.id = asked.id;
    answer.error = -EPERM;
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

}  // namespace

std::string signal_text(int number) {
    const char* name = sigabbrev_np(number);
    return name ? "SIG" + std::string(name) + " (" + sigdescr_np(number) + ")" : "signal " + std::to_string(number);
}

bool Jail::answer_questions(int patience_ms) {
    for (pollfd asking{listener_.get(), POLLIN, 0}; !end_ && listener_ && poll(&asking, 1, patience_ms) > 0 && (asking.revents & POLLIN);
         patience_ms = 0) {
        seccomp_notif asked{};
        if (ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_RECV, &asked) == 0) answer(asked);
    }
    return !end_;
}

bool Jail::look() {
    memory_seen_ = std::max(memory_seen_, address_space(child_.pid()));
    if (!answer_questions(0)) return false;
    explain_death();
    return !end_;
}

// Only register values are judged, never memory that another thread could change meanwhile.
void Jail::answer(seccomp_notif& asked) {
    const int number = asked.data.nr;
    const auto& argument = asked.data.args;
    if (number == SYS_openat && !opened_library_) {  // the loader's own: no line of the candidate has run yet
        opened_library_ = true;
        return go_on(listener_.get(), asked);
    }
    if (number == SYS_newfstatat && (argument[3] & AT_EMPTY_PATH)) {
        // glibc's fstat. The loader's goes on; later ones (stdio's, which does without) may name any path: the text lies in memory
        const bool loaders = !std::exchange(looked_at_library_, true);
        return loaders ? go_on(listener_.get(), asked) : refuse(listener_.get(), asked);
    }
    // a parent that waits in the kernel as vfork's does cannot be stopped, and hold() would wait for it
    const bool thread = number == SYS_clone && (argument[0] & (CLONE_THREAD | CLONE_VFORK)) == CLONE_THREAD;
    if (thread && count_threads(child_.pid()) < threads_) return go_on(listener_.get(), asked);  // the team, grown again
    // OpenMP puts the threads of a team that grows again on their places
    if (number == SYS_sched_setaffinity && is_thread_of(child_.pid(), argument[0])) return go_on(listener_.get(), asked);
    const bool raised = (number == SYS_tgkill || number == SYS_kill) && static_cast<pid_t>(argument[0]) == child_.pid();
    if (raised) return explain_signal(static_cast<int>(argument[number == SYS_tgkill ? 2 : 1]), true);
    const std::string kind = thread ? "threads" : call_kind(number);
    finish("REWARD_HACK", kind, kind + ": tried the system call " + call_name(number));
}

void Jail::explain_death() {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(child_.pid()), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    if (info.si_code == CLD_EXITED) explain_exit();
    else explain_signal(info.si_status, false);
}

void Jail::explain_exit() {
    // Once it has seen a call's arguments, nothing that it chose becomes text: reasons reach prompts, and hidden cases must not.
    std::string trouble(control_->trouble, strnlen(control_->trouble, sizeof control_->trouble));
    std::replace_if(trouble.begin(), trouble.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');  // a terminal would obey
    if (!started_ && !trouble.empty()) return finish("LAUNCH_ERROR", "", "the library cannot be loaded: " + trouble);
    if (without_.contains("watch")) return control_->done.store(calls_);
    finish("RUNTIME_ERROR", "", "ended its process instead of returning");
}

void Jail::explain_signal(int number, bool raised) {
    if (number == SIGXCPU) return finish("TIMEOUT", "", "used up its processor time");
    if (number == SIGSYS) return finish("REWARD_HACK", "system call", "system call: one of another architecture");
    if ((number == SIGKILL && !raised) || memory_seen_ > memory_limit_ / 4 * 3)
        return finish("OUT_OF_MEMORY", "",
                      "ended by " + signal_text(number) + "; it may have " + std::to_string(memory_limit_ >> 20) + " MiB of address space");
    finish("RUNTIME_ERROR", "", "ended by " + signal_text(number));
}

}  // namespace hone
