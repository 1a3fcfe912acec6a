#include "base/process.hpp"
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include "base/error.hpp"
#include "hone/confine.hpp"

namespace hone {

namespace {

[[noreturn]] void fail(const std::string& place, const char* what, int error) {
    throw Error(Blame::environment, place, what + std::string(std::strerror(error)));
}

// What a child that could not become its program tells its parent.
struct Trouble {
    int error = 0;
    bool unconfined = false;  // in_child failed
};

// Everything the child needs, laid out before fork: after it only async-signal-safe calls are allowed.
struct Launch {
    explicit Launch(const SpawnPlan& spawn)
        : plan(spawn), null_device(open("/dev/null", O_RDWR | O_CLOEXEC)), parent(getpid()) {
        for (const std::string& word : spawn.argv) argv.push_back(const_cast<char*>(word.c_str()));
        for (const std::string& line : spawn.environment) environment.push_back(const_cast<char*>(line.c_str()));
        argv.push_back(nullptr);
        environment.push_back(nullptr);
        files = spawn.files;
        // a program whose descriptor 1 is free writes into the next file it opens
        for (int standard = 0; standard <= 2; ++standard)
            if (std::none_of(files.begin(), files.end(), [&](const auto& file) { return file.second == standard; }))
                files.emplace_back(null_device.get(), standard);
        for (const auto& [here, there] : files) above = std::max(above, there + 1);
    }
    const SpawnPlan& plan;
    Fd null_device;
    pid_t parent;
    std::vector<char*> argv, environment;
    std::vector<std::pair<int, int>> files;
    int above = 3;  // first descriptor that no target uses
};

bool arrange_files(Launch& launch) {
    // two rounds, so that a target may be another one's source
    for (auto& [here, there] : launch.files)
        if ((here = fcntl(here, F_DUPFD, launch.above)) < 0) return false;
    if (!confine::close_when_a_program_starts(3)) return false;
    for (const auto& [here, there] : launch.files)
        if (dup2(here, there) < 0) return false;
    return true;
}

[[noreturn]] void run_child(Launch& launch, int report) {
    confine::end_with_parent();
    if (getppid() != launch.parent) _exit(127);  // it died before the line above
    if (launch.plan.own_group) setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int ignored : {SIGPIPE, SIGINT}) signal(ignored, SIG_DFL);
    report = fcntl(report, F_DUPFD_CLOEXEC, launch.above);
    bool confined = true;
    if (arrange_files(launch)) {
        confined = !launch.plan.in_child || launch.plan.in_child();
        if (confined) execve(launch.argv[0], launch.argv.data(), launch.environment.data());
    }
    const Trouble trouble{errno, !confined};
    (void)!write(report, &trouble, sizeof trouble);
    _exit(127);
}

}  // namespace

Fd& Fd::operator=(Fd&& other) noexcept {
    if (this != &other) {
        close();
        fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
}

Fd::~Fd() { close(); }

void Fd::close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Child::Child(const SpawnPlan& plan) : own_group_(plan.own_group) {
    Launch launch(plan);
    auto [told, tell] = make_pipe();
    pid_ = fork();
    if (pid_ < 0) fail(plan.argv[0], "cannot be started: ", errno);
    if (pid_ == 0) run_child(launch, tell.get());
    if (own_group_) setpgid(pid_, pid_);  // on both sides: whoever comes first
    // glibc 2.36 declares its wrapper without extern "C"
    pidfd_ = Fd(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
    const int unwatched = pidfd_ ? 0 : errno;
    tell.close();
    Trouble trouble;
    ssize_t got;
    while ((got = read(told.get(), &trouble, sizeof trouble)) < 0 && errno == EINTR) {
    }
    if (got == 0) trouble.error = unwatched;  // closed by exec
    if (trouble.error != 0 || trouble.unconfined) {
        kill();
        fail(plan.argv[0],
             trouble.unconfined ? "is not started, its confinement failed: " : "cannot be started: ", trouble.error);
    }
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pidfd_(std::move(other.pidfd_)), own_group_(other.own_group_) {}

Child& Child::operator=(Child&& other) noexcept {
    if (this != &other) {
        kill();
        pid_ = std::exchange(other.pid_, -1);
        pidfd_ = std::move(other.pidfd_);
        own_group_ = other.own_group_;
    }
    return *this;
}

Child::~Child() { kill(); }

bool Child::wait(double seconds, int* status) {
    if (pid_ <= 0) return true;
    const double deadline = monotonic_seconds() + seconds;
    pollfd ended{pidfd_.get(), POLLIN, 0};
    int ready;
    do {
        const double left = std::clamp(deadline - monotonic_seconds(), 0.0, 1e6);
        ready = poll(&ended, 1, seconds < 0 ? -1 : static_cast<int>(left * 1000 + 0.999));
    } while (ready < 0 && errno == EINTR);
    if (ready <= 0) return false;
    // before reaping: the zombie keeps the group's number from being used again
    if (own_group_) ::kill(-pid_, SIGKILL);
    int ignored;
    while (waitpid(pid_, status ? status : &ignored, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    pidfd_.close();
    return true;
}

void Child::kill() {
    if (pid_ <= 0) return;
    if (own_group_) ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    pidfd_.close();
}

std::pair<Fd, Fd> make_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw Error(Blame::environment, "pipe", std::strerror(errno));
    return {Fd(ends[0]), Fd(ends[1])};
}

double stolen_seconds() {
    std::ifstream stat("/proc/stat");
    return stolen_seconds(stat, sched_getcpu());
}

double stolen_seconds(std::istream& stat, int core) {
    const std::string own = "cpu" + std::to_string(core) + " ";
    for (std::string line; std::getline(stat, line);) {
        if (!line.starts_with(own)) continue;
        std::istringstream words(line);
        std::string name;
        double user, nice, system, idle, iowait, irq, softirq, steal;
        const bool told =
            static_cast<bool>(words >> name >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal);
        return told ? steal / static_cast<double>(sysconf(_SC_CLK_TCK)) : 0;
    }
    return 0;
}

double monotonic_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace hone
