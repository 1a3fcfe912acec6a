#include "sandbox/own_runner.hpp"
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>
#include "base/error.hpp"
#include "hone/confine.hpp"
#include "sandbox/filters.hpp"
#include "sandbox/sandbox.hpp"

namespace hone {
namespace {

constexpr int runner_socket = 3;
constexpr std::size_t most_files = 253;  // SCM_MAX_FD

// Nothing of this process's environment but where libraries are and what the verifier names.
// What confines itself reads HONE_WITHOUT: defences that a test has switched off, with a space around each.
std::vector<std::string> runner_environment(const char* const* keeps, const std::set<std::string>& without) {
    std::string off = "HONE_WITHOUT= ";
    for (const std::string& defence : without) off += defence + " ";
    std::vector<std::string> entries = {"PATH=/usr/bin:/bin", "LC_ALL=C", off};
    const auto keep = [&](const char* name) {
        if (const char* value = std::getenv(name)) entries.push_back(std::string(name) + "=" + value);
    };
    keep("LD_LIBRARY_PATH");
    for (; keeps && *keeps; ++keeps) keep(*keeps);
    return entries;
}

bool send_message(int socket, std::span<const char> bytes, std::span<const int> files) {
    std::vector<char> room(CMSG_SPACE(files.size_bytes()));
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!files.empty()) {
        message.msg_control = room.data();
        message.msg_controllen = room.size();
        cmsghdr* head = CMSG_FIRSTHDR(&message);
        head->cmsg_len = CMSG_LEN(files.size_bytes());
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        std::memcpy(CMSG_DATA(head), files.data(), files.size_bytes());
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

}  // namespace

OwnRunner::OwnRunner(const hone_jail_plan& asked, const std::set<std::string>& without) {
    const std::string program = asked.runner, argument = asked.symbol ? asked.symbol : "";
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        throw Error(Blame::environment, program, std::strerror(errno));
    socket_ = Fd(ends[0]);
    const Fd other(ends[1]);
    confine::Plan limits;
    limits.capabilities = true;  // device drivers look at them; its own lock comes after the device is open
    if (!without.contains("seccomp") && sandbox().seccomp) limits.filter = &deny_filter();
    limits.filter_flags = confine::keep_speculation;
    if (!without.contains("rlimits") && sandbox().limits)
        limits.limits = {{RLIMIT_CORE, no_core}, {RLIMIT_NOFILE, 1024}};  // no RLIMIT_AS: drivers reserve terabytes
    SpawnPlan plan;
    plan.argv = {program};
    if (!argument.empty()) plan.argv.push_back(argument);
    plan.files = {{other.get(), runner_socket}, {STDERR_FILENO, STDERR_FILENO}};
    plan.environment = runner_environment(asked.keeps, without);
    plan.in_child = [&limits] { return be_expendable(), confine::enter(limits); };
    child_ = Child(plan);
}

std::optional<JailEnd> OwnRunner::tell(std::span<const char> bytes, std::span<const int> files, std::span<char> reply,
                                       std::uint64_t& got, double seconds) {
    got = 0;
    if (files.size() > most_files)
        throw Error(Blame::input, "jail", "more than " + std::to_string(most_files) + " files in one message");
    if (!send_message(socket_.get(), bytes, files)) return death();
    const double deadline = monotonic_seconds() + seconds;
    pollfd answer{socket_.get(), POLLIN, 0};
    int ready = 0;
    do ready = poll(&answer, 1, static_cast<int>(std::max(0.0, deadline - monotonic_seconds()) * 1000 + 0.999));
    while (ready < 0 && errno == EINTR);
    if (ready == 0) {
        child_.kill();
        return JailEnd{"TIMEOUT", "", "no answer within " + seconds_text(seconds)};
    }
    const ssize_t size = recv(socket_.get(), reply.data(), reply.size(), 0);
    if (size <= 0) return death();
    got = static_cast<std::uint64_t>(size);
    return std::nullopt;
}

std::optional<JailEnd> OwnRunner::watch() {
    pollfd peer{socket_.get(), 0, 0};
    if (poll(&peer, 1, 0) <= 0 || !(peer.revents & POLLHUP)) return std::nullopt;
    return death();
}

void OwnRunner::suspend(bool held) {
    if (child_.running()) ::kill(child_.pid(), held ? SIGSTOP : SIGCONT);
}

JailEnd OwnRunner::death() {
    int status = 0;
    if (!child_.running() || !child_.wait(1, &status)) return {"RUNTIME_ERROR", "", "the runner closed its connection"};
    if (!WIFSIGNALED(status))
        return {"RUNTIME_ERROR", "", "the runner ended with exit code " + std::to_string(WEXITSTATUS(status))};
    if (WTERMSIG(status) == SIGSYS) return {"REWARD_HACK", "system call", "system call: one that the runner forbids"};
    return {"RUNTIME_ERROR", "", "the runner was ended by " + signal_text(WTERMSIG(status))};
}

}  // namespace hone
