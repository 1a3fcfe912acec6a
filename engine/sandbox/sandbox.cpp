#include "sandbox/sandbox.hpp"
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include "base/error.hpp"
#include "base/process.hpp"
#include "hone/confine.hpp"
#include "hone/landlock.hpp"
#include "sandbox/filters.hpp"

namespace hone {
namespace {

// Runs body in a forked child, so that what it gives up is given up there only.
template <class Body> bool works(Body&& body) {
    const pid_t child = fork();
    if (child == 0) _exit(body() ? 0 : 1);
    int status = 1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool landlock_works() {
    const int ruleset = landlock::make_ruleset();
    return confine::enter_ruleset(ruleset) && open("/", O_RDONLY | O_DIRECTORY) < 0 && errno == EACCES;
}

// libseccomp asks the kernel what it has, and writes no filter for one without seccomp.
const Filter* filter_if_writable() {
    try {
        return &deny_filter();
    } catch (const Error&) {
        return nullptr;
    }
}

bool seccomp_works(const Filter& filter) {
    const unsigned flags =
        SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_TSYNC_ESRCH;
    return confine::install_filter(filter, flags) >= 0 && socket(AF_INET, SOCK_DGRAM, 0) < 0 && errno == EPERM;
}

// Memory, the size of a file and the number of open ones are refused beyond their limits.
bool limits_work() {
    constexpr std::size_t gibibyte = std::size_t{1} << 30;
    signal(SIGXFSZ, SIG_IGN);
    const int file = memfd_create("limited", MFD_CLOEXEC);
    const bool memory = confine::limit(RLIMIT_AS, gibibyte, gibibyte) &&
                        mmap(nullptr, 2 * gibibyte, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
    const bool size = file >= 0 && confine::limit(RLIMIT_FSIZE, 1, 1) && pwrite(file, "..", 1, 1) < 0 && errno == EFBIG;
    const rlim_t open_files = static_cast<rlim_t>(file) + 1;
    const bool number = confine::limit(RLIMIT_NOFILE, open_files, open_files) && dup(file) < 0 && errno == EMFILE;
    return memory && size && number;
}

// In a fresh network namespace even the loopback device is down.
bool network_is_empty() {
    const Fd probe(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(9);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return !probe ||
           (connect(probe.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 && errno == ENETUNREACH);
}

bool write_line(const char* path, std::string_view line) {
    const Fd file(open(path, O_WRONLY | O_CLOEXEC));
    return file && write(file.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

std::string same_id(unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1"; }

// Root's powers can be given up, and no program that is started later brings any back.
bool powers_end() {
    return confine::drop_capabilities() && confine::no_new_powers() && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 &&
           chroot("/") < 0 && errno == EPERM;
}

}  // namespace

int Sandbox::level() const {
    if (!seccomp || !limits || !powerless) return 0;
    return !landlock ? 1 : !namespaces ? 2 : 3;
}

std::string Sandbox::text() const {
    std::string parts;
    const auto add = [&](bool there, const std::string& name) {
        if (there) parts += (parts.empty() ? "" : ", ") + name;
    };
    add(namespaces, "namespaces");
    add(landlock, "Landlock " + std::to_string(landlock));
    add(seccomp, "seccomp");
    add(limits, "limits");
    add(!powerless, "powers that cannot be given up");
    return "L" + std::to_string(level()) + " (" + (parts.empty() ? "nothing" : parts) + ")";
}

Sandbox probe_sandbox() {
    const Filter* filter = filter_if_writable();
    Sandbox found;
    found.namespaces = network_is_empty();
    found.landlock = works(landlock_works) ? landlock::version() : 0;
    found.seccomp = filter && works([&] { return seccomp_works(*filter); });
    found.limits = works(limits_work);
    found.powerless = works(powers_end);
    return found;
}

const Sandbox& sandbox() {
    static const Sandbox found = probe_sandbox();
    return found;
}

bool enter_namespaces() {
    constexpr int wanted = CLONE_NEWNET | CLONE_NEWIPC;
    const unsigned user = geteuid(), group = getegid();
    if (unshare(wanted) == 0) return true;  // root: a user namespace would hide other users' files from us
    if (unshare(CLONE_NEWUSER | wanted) != 0) return false;
    return write_line("/proc/self/uid_map", same_id(user)) && write_line("/proc/self/setgroups", "deny") &&
           write_line("/proc/self/gid_map", same_id(group));
}

void leave_core() {
    cpu_set_t all;
    std::memset(&all, 255, sizeof all);
    sched_setaffinity(0, sizeof all, &all);
}

void be_expendable() { write_line("/proc/self/oom_score_adj", "1000"); }

}  // namespace hone
