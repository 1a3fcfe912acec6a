// The kernel's side of a jail: refused system calls and deaths, and what they mean.
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>
#include "sandbox/filters.hpp"
#include "sandbox/jail.hpp"

namespace hone {
namespace {

constexpr double replace_seconds = 0.25;
constexpr const char* own_threads =
    "starts threads of its own, as std::thread and \"omp target parallel\" do; use #pragma omp parallel, outside of "
    "any other, whose threads are there";
constexpr const char* not_loaded =
    "its library cannot be loaded: it has more static or thread-local data than there is memory, it needs a library "
    "that is not there, or a constructor ended the process";
constexpr std::size_t most_answers = 64;  // at once: two threads that ask for ever would keep the bench from its clock

std::uint64_t address_space(pid_t pid) {
    std::uint64_t pages = 0;
    std::ifstream("/proc/" + std::to_string(pid) + "/statm") >> pages;
    return pages * static_cast<std::uint64_t>(getpagesize());
}

// A device that keeps nothing. The path may be another one by now: the call is refused whatever it says.
bool opens_empty_device(pid_t process, const seccomp_data& asked) {
    if (asked.nr != SYS_open && asked.nr != SYS_openat) return false;
    const std::uint64_t address = asked.args[asked.nr == SYS_openat ? 1 : 0];
    char path[16] = "";
    const iovec here{path, sizeof path - 1}, there{reinterpret_cast<void*>(address), sizeof path - 1};
    process_vm_readv(process, &here, 1, &there, 1, 0);
    return std::strcmp(path, "/dev/null") == 0 || std::strcmp(path, "/dev/zero") == 0;
}

// A descriptor that no file has: where its opening was refused.
bool writes_nowhere(const seccomp_data& asked) {
    constexpr int writing[] = {SYS_write, SYS_writev, SYS_pwrite64, SYS_ftruncate, SYS_fallocate};
    return std::find(std::begin(writing), std::end(writing), asked.nr) != std::end(writing) &&
           static_cast<int>(asked.args[0]) < 0;
}

bool is_lower_class(std::uint64_t policy) {
    return policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE;
}

void go_on(int listener, std::uint64_t question) {
    seccomp_notif_resp answer{};
    answer.id = question;
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

void refuse(int listener, std::uint64_t question, int error) {
    seccomp_notif_resp answer{};
    answer.id = question;
    answer.error = -error;
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

}  // namespace

std::string signal_text(int number) {
    const char* name = sigabbrev_np(number);
    return name ? "SIG" + std::string(name) + " (" + sigdescr_np(number) + ")" : "signal " + std::to_string(number);
}

std::size_t Jail::answer_questions(int patience_ms) {
    std::size_t answered = 0;
    for (pollfd asking{listener_.get(), POLLIN, 0}; answered < most_answers && !end_ && listener_; patience_ms = 0) {
        if (poll(&asking, 1, patience_ms) <= 0 || !(asking.revents & POLLIN)) break;
        ++answered;
        seccomp_notif asked{};
        if (ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_RECV, &asked) == 0) answer(asked);
    }
    return answered;
}

bool Jail::look() {
    if (end_) return false;
    memory_seen_ = std::max(memory_seen_, address_space(child_.pid()));
    explain_death();
    return !end_;
}

// Only register values decide whether a call goes on, never memory that another thread could change meanwhile.
void Jail::answer(const seccomp_notif& asked) {
    const int number = asked.data.nr;
    const auto& argument = asked.data.args;
    if (number == SYS_exit) return end_thread(asked);
    // a parent that waits in the kernel as vfork's does cannot be stopped, and suspend() would wait for it
    if (number == SYS_clone && (argument[0] & (CLONE_THREAD | CLONE_VFORK)) == CLONE_THREAD) return start_thread(asked);
    if (number == SYS_openat && only_reads(argument[2])) {  // the loader's own: no line of the candidate has run yet
        const bool loaders = !std::exchange(opened_library_, true);
        return loaders ? go_on(listener_.get(), asked.id) : refuse(listener_.get(), asked.id, EACCES);
    }
    if (number == SYS_newfstatat) {
        // glibc's fstat. The loader's goes on; later ones (stdio's, which does without) may name any path: the text
        // lies in memory
        const bool loaders = !std::exchange(looked_at_library_, true);
        return loaders ? go_on(listener_.get(), asked.id) : refuse(listener_.get(), asked.id, EACCES);
    }
    if (const auto error = harmless(asked.data)) return refuse(listener_.get(), asked.id, *error);
    const bool raised = (number == SYS_tgkill || number == SYS_kill) && static_cast<pid_t>(argument[0]) == child_.pid();
    if (raised) return explain_raised(static_cast<int>(argument[number == SYS_tgkill ? 2 : 1]));
    const std::string kind = call_kind(number);
    finish("REWARD_HACK", kind, kind + ": tried the system call " + call_name(number));
}

// What programs do to themselves, or to ask: its error number (0: done), and no verdict.
std::optional<int> Jail::harmless(const seccomp_data& asked) const {
    const auto& argument = asked.args;
    const bool to_itself = static_cast<pid_t>(argument[0]) == child_.pid();
    const auto own = [&](std::uint64_t id) { return static_cast<pid_t>(id) == 0 || team_.has(static_cast<pid_t>(id)); };
    if (asked.nr == SYS_kill && to_itself && argument[1] == 0) return 0;
    if (asked.nr == SYS_tgkill && to_itself && argument[2] == 0) return 0;
    // of the system's services: names of users, its log
    if (asked.nr == SYS_socket && argument[0] == AF_UNIX) return EAFNOSUPPORT;
    // priorities of its own: no higher ones, and a lower one would slow it
    if (asked.nr == SYS_sched_setscheduler && own(argument[0]) && is_lower_class(argument[1])) return EPERM;
    if (asked.nr == SYS_sched_setparam && own(argument[0])) return EPERM;
    if (asked.nr == SYS_setpriority && argument[0] != PRIO_USER && own(argument[1]) &&
        static_cast<int>(argument[2]) >= 0)
        return EPERM;
    if (asked.nr == SYS_prlimit64 && own(argument[0])) return ENOSYS;  // as of the number 0 (filters.cpp)
    if (opens_empty_device(child_.pid(), asked)) return EACCES;
    if (writes_nowhere(asked)) return EBADF;
    if (asked.nr == SYS_madvise && !is_shared(argument[0])) return ENOSYS;
    return std::nullopt;
}

bool Jail::is_shared(std::uint64_t address) const {
    for (std::size_t i = 0; i < regions_.size(); ++i)
        if (address - bases_[i] < regions_[i].bytes) return true;
    return false;
}

// The team may grow again. std::thread and pthread_create are no offence, and no use either.
void Jail::start_thread(const seccomp_notif& asked) {
    const auto thread = static_cast<pid_t>(asked.pid);
    if (starting_ && starting_->thread != thread) return finish("RUNTIME_ERROR", "", own_threads);
    starting_ = {thread, asked.id, starting_ ? starting_->since : monotonic_seconds()};
    replace_thread();
}

// The thread whose place the new one takes may still be on its way out.
void Jail::replace_thread() {
    if (!starting_ || end_) return;
    const auto replaced = team_.replace();
    if (!replaced && monotonic_seconds() - starting_->since > replace_seconds)
        return finish("RUNTIME_ERROR", "", own_threads);
    if (!replaced) return;
    go_on(listener_.get(), starting_->question);
    go_on(listener_.get(), *replaced);
    starting_.reset();
}

void Jail::end_thread(const seccomp_notif& asked) {
    const auto thread = static_cast<pid_t>(asked.pid);
    if (thread == child_.pid()) return finish("RUNTIME_ERROR", "", "ended its first thread instead of returning");
    if (!team_.park(thread, asked.id)) go_on(listener_.get(), asked.id);
}

void Jail::explain_death() {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(child_.pid()), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
        return;
    if (info.si_code == CLD_EXITED) explain_exit();
    else explain_signal(info.si_status);
}

void Jail::explain_exit() {
    // Nothing that it wrote becomes text, neither its loader's words nor its own: reasons reach prompts, and hidden
    // cases must not.
    if (!started_) return finish("LAUNCH_ERROR", "", not_loaded);
    if (without_.contains("watch")) return control_->done.store(calls_);
    finish("RUNTIME_ERROR", "", "ended its process instead of returning");
}

// abort() does it, of failed assertions too. Which other signal it chose is not told: it could stand for a hidden size.
void Jail::explain_raised(int number) {
    finish("RUNTIME_ERROR", "",
           number == SIGABRT ? "ended by " + signal_text(number) : "raised a signal in its own process");
}

void Jail::explain_signal(int number) {
    if (number == SIGXCPU) return finish("TIMEOUT", "", "used up its processor time");
    if (number == SIGSYS) return finish("REWARD_HACK", "system call", "system call: one of another architecture");
    if (number == SIGKILL || memory_seen_ > memory_limit_ / 4 * 3)
        return finish("OUT_OF_MEMORY", "",
                      "ended by " + signal_text(number) + "; it may have " + std::to_string(memory_limit_ >> 20) +
                          " MiB of address space");
    finish("RUNTIME_ERROR", "", "ended by " + signal_text(number));
}

}  // namespace hone
