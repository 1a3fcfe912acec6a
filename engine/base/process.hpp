// base/process.hpp: child processes and file descriptors that clean up after themselves.
#pragma once
#include <sys/types.h>
#include <functional>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace hone {

class Fd {  // owns one descriptor
public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept;
    ~Fd();
    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    void close();

private:
    int fd_ = -1;
};

struct SpawnPlan {
    std::vector<std::string> argv;  // argv[0]: path of the program
    std::vector<std::pair<int, int>>
        files;  // (descriptor here, descriptor there); all others are closed there, 0..2 read and write nothing
    std::vector<std::string> environment;  // "NAME=value"; exactly these
    std::function<bool()> in_child;  // after fork, before exec: limits, Landlock, seccomp. Async-signal-safe only.
                                     // False: the program is not started; errno says why
    bool own_group = true;           // process group of its own, so that kill reaches grandchildren
};

class Child {  // dies with its parent (PR_SET_PDEATHSIG: the thread that made it); killed and reaped by the destructor
public:
    Child() = default;
    explicit Child(const SpawnPlan&);  // throws Error(environment)
    Child(Child&&) noexcept;
    Child& operator=(Child&&) noexcept;
    ~Child();
    pid_t pid() const { return pid_; }
    bool running() const { return pid_ > 0; }
    // true if it ended (then its group is killed too); status as waitpid's; negative: for ever
    bool wait(double seconds, int* status);
    void kill();  // SIGKILL to its group, then reap
private:
    pid_t pid_ = -1;
    Fd pidfd_;
    bool own_group_ = false;
};

std::pair<Fd, Fd> make_pipe();  // read end, write end; close-on-exec
double monotonic_seconds();
// Since boot, of the core that the caller is on: while it had work, the host of this virtual machine gave it to others.
// In steps of 10 ms; 0: not told.
double stolen_seconds();
double stolen_seconds(std::istream& stat, int core);  // as the kernel's /proc/stat has it

}  // namespace hone
