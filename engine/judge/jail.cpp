#include "judge/jail.hpp"
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include "base/error.hpp"
#include "base/paths.hpp"
#include "judge/sandbox.hpp"

namespace hone {
namespace {

constexpr double start_seconds = 5, stop_seconds = 2;
constexpr double stall_seconds = 0.75;  // that a machine may stand still
constexpr std::uint64_t page = 4096, guard_bytes = 2 << 20, first_address = 0x100000000000, mebibyte = 1 << 20;

[[noreturn]] void refuse(const std::string& cause) { throw Error(Blame::environment, "jail", cause); }

Fd sealed_bytes(hone_text bytes) {
    Fd file(memfd_create("candidate", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file || write(file.get(), bytes.at, bytes.len) != static_cast<ssize_t>(bytes.len)) refuse(std::strerror(errno));
    fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    return file;
}

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, double seconds = 0) {
    const timespec limit{static_cast<time_t>(seconds), static_cast<long>(std::fmod(seconds, 1.0) * 1e9)};
    syscall(SYS_futex, &word, operation, value, operation == FUTEX_WAIT ? &limit : nullptr, nullptr, 0);
}

// The bench's manners with the plan's size.
std::vector<std::string> jail_environment(std::size_t threads) {
    std::vector<std::string> all = {"OMP_NUM_THREADS=" + std::to_string(threads), "OMP_THREAD_LIMIT=" + std::to_string(threads)};
    for (const char* name : {"OMP_DYNAMIC", "OMP_STACKSIZE", "OMP_PLACES", "OMP_PROC_BIND", "GOMP_SPINCOUNT"})
        if (const char* value = std::getenv(name)) all.push_back(name + ("=" + std::string(value)));
    return all;
}

}  // namespace

std::vector<std::string> team_environment(int threads, int bench) {
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    std::vector<int> cores;
    for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &allowed)) cores.push_back(core);
    std::rotate(cores.begin(), cores.begin() + bench % static_cast<int>(cores.size()), cores.end());
    std::string places;
    for (int core : cores) places += (places.empty() ? "{" : ",{") + std::to_string(core) + "}";
    const std::string n = std::to_string(threads);
    return {"OMP_NUM_THREADS=" + n, "OMP_THREAD_LIMIT=" + n, "OMP_DYNAMIC=false",   "OMP_STACKSIZE=2M",
            "OMP_PLACES=" + places, "OMP_PROC_BIND=close",   "GOMP_SPINCOUNT=10000"};
}

void keep_to_first_place() {
    const char* places = std::getenv("OMP_PLACES");
    if (!places || *places != '{') return;
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(std::atoi(places + 1), &own);
    sched_setaffinity(0, sizeof own, &own);
}

void require_confinement(const std::set<std::string>& without) {
    if (sandbox().level() == 0 && !without.contains("seccomp"))
        throw Error(Blame::environment, "jail", "this machine cannot confine host code: " + sandbox().text(),
                    "judge on a machine with seccomp, or set judge.without=seccomp for code that you trust (no score then)");
}

Jail::Jail(const hone_jail_plan& plan, const std::set<std::string>& without) : without_(without) {
    require_confinement(without_);
    const std::uint64_t first_tick = ticks();
    const double begun = monotonic_seconds();
    library_ = sealed_bytes(plan.library);
    prepare(plan);
    spawn();
    receive_listener();
    if (!end_) await(start_seconds, start_seconds);
    started_ = !end_;
    seconds_per_tick_ = (monotonic_seconds() - begun) / static_cast<double>(ticks() - first_tick);  // over the milliseconds of a start
}

Jail::~Jail() {
    child_.kill();
    if (control_) munmap(control_, sizeof(JailControl));
}

void Jail::prepare(const hone_jail_plan& plan) {
    if (plan.n_regions > max_regions) refuse("more than " + std::to_string(max_regions) + " regions");
    control_file_ = Fd(memfd_create("control", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!control_file_ || ftruncate(control_file_.get(), sizeof(JailControl)) != 0) refuse(std::strerror(errno));
    fcntl(control_file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    void* at = mmap(nullptr, sizeof(JailControl), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, control_file_.get(), 0);
    if (at == MAP_FAILED) refuse(std::strerror(errno));
    control_ = static_cast<JailControl*>(at);

    regions_.assign(plan.regions, plan.regions + plan.n_regions);
    std::uint64_t next = first_address;
    for (std::size_t i = 0; i < regions_.size(); ++i) {  // unmapped space between them: a stray write far out ends the candidate
        control_->regions[i] = {next, regions_[i].bytes, regions_[i].writable};
        bases_.push_back(next);
        next += (regions_[i].bytes + page - 1) / page * page + guard_bytes;
    }
    control_->n_regions = plan.n_regions;
    threads_ = static_cast<std::size_t>(std::max(plan.threads, 1));
    control_->threads = static_cast<std::uint32_t>(threads_);
    control_->landlock = sandbox().landlock != 0 && !without_.contains("landlock");
    control_->capabilities = without_.contains("capabilities");
    std::strncpy(control_->symbol, plan.symbol, sizeof control_->symbol - 1);
    control_->bell.store(1);
    if (without_.contains("seccomp")) return;
    const Filter& filter = jail_filter();
    control_->n_filter = static_cast<std::uint32_t>(filter.size());
    std::copy(filter.begin(), filter.end(), control_->filter);
}

void Jail::spawn() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) refuse(std::strerror(errno));
    socket_ = Fd(ends[0]);
    const Fd other(ends[1]);
    memory_limit_ = 1024 * mebibyte + 160 * mebibyte * threads_;  // about 1 GiB beyond what is shared and its threads' stacks and heaps
    for (const hone_region& region : regions_) memory_limit_ += region.bytes;
    Confinement limits;
    limits.capabilities = true;  // the runner gives them up: to start it may take them
    if (!without_.contains("rlimits") && sandbox().limits)
        limits.limits = {{RLIMIT_AS, memory_limit_}, {RLIMIT_FSIZE, 0}, {RLIMIT_CORE, no_core}, {RLIMIT_CPU, 600}, {RLIMIT_NOFILE, 128}};
    SpawnPlan child;
    child.argv = {runner_path().string()};
    child.files = {{other.get(), jail_socket}, {control_file_.get(), jail_control}, {library_.get(), jail_library}};
    for (std::size_t i = 0; i < regions_.size(); ++i) child.files.emplace_back(regions_[i].file, jail_regions + static_cast<int>(i));
    child.environment = jail_environment(threads_);
    child.in_child = [&limits] { return leave_core(), be_expendable(), confine(limits); };
    child_ = Child(child);
    const std::string thread = "/proc/" + std::to_string(child_.pid()) + "/schedstat";
    schedule_ = Fd(open(thread.c_str(), O_RDONLY | O_CLOEXEC));
    library_.close();
    control_file_.close();
}

// The runner hands its listener over as the last act before the candidate's code is loaded; nothing is read from the socket after that.
void Jail::receive_listener() {
    char byte, room[CMSG_SPACE(sizeof(int))] = {};
    iovec part{&byte, 1};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    const timeval limit{static_cast<time_t>(start_seconds), 0};
    setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    const ssize_t got = recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC);
    socket_.close();
    if (got != 1) {
        child_.kill();
        refuse(control_->trouble[0] ? std::string(control_->trouble, strnlen(control_->trouble, sizeof control_->trouble))
                                    : "the runner " + runner_path().string() + " did not start");
    }
    const cmsghdr* head = CMSG_FIRSTHDR(&message);
    if (!head || head->cmsg_type != SCM_RIGHTS) return;  // no seccomp
    int file;
    std::memcpy(&file, CMSG_DATA(head), sizeof file);
    listener_ = Fd(file);
    answer_questions(static_cast<int>(start_seconds * 1000));  // the loader opens the library
}

std::uint64_t Jail::map(std::uint64_t at) const {
    for (std::size_t i = 0; i < regions_.size(); ++i) {
        const auto begin = reinterpret_cast<std::uint64_t>(regions_[i].at);
        if (at >= begin && at < begin + regions_[i].bytes) return bases_[i] + (at - begin);
    }
    throw Error(Blame::input, "jail", "a tensor lies outside the memory that was shared with the candidate");
}

void Jail::call(const hone_call& call) {
    if (call.n_in > max_tensors || call.n_out > max_tensors || call.n_sizes > max_sizes)
        refuse("more tensors or sizes than a call can take");
    for (std::uint32_t i = 0; i < call.n_in; ++i) control_->in[i] = map(call.in[i].at);
    for (std::uint32_t i = 0; i < call.n_out; ++i) control_->out[i] = map(call.out[i].at);
    std::copy(call.sizes, call.sizes + call.n_sizes, control_->sizes);
    if (!asked_) answer_questions(0);  // else that was done outside the timed interval
    asked_ = false;
    at_bell_ = processor_seconds();
    control_->bell.store(++calls_);
    if (stopped_) release();  // its wait begins again and finds the bell changed
    else futex(control_->bell, FUTEX_WAKE, 1);
}

bool Jail::wait(double seconds, double* inside) {
    if (!end_ && await(seconds, std::max(seconds, stall_seconds)) && inside) *inside = static_cast<double>(control_->inside) * seconds_per_tick_;
    return !end_;
}

// Sleeps until the runner says that it has finished; looks at the kernel's side every few milliseconds.
bool Jail::await(double seconds, double starved_seconds) {
    constexpr double slice = 5e-3;
    const double begun = monotonic_seconds();
    for (;;) {
        const std::uint32_t done = control_->done.load();
        if (done == calls_) return true;
        futex(control_->done, FUTEX_WAIT, done, slice);
        if (control_->done.load() == calls_) return true;
        if (!look()) return false;
        const double passed = monotonic_seconds() - begun;
        const bool worked = processor_seconds() - at_bell_ > seconds / 2;
        if (const double limit = worked ? seconds : starved_seconds; control_->done.load() != calls_ && passed > limit) {
            finish("TIMEOUT", "", "no answer within " + std::to_string(limit).substr(0, 5) + " s");
            return false;
        }
    }
}

void Jail::hold(bool held) {
    if (end_ || (held && stopped_)) return;
    if (!held) {
        if (stopped_ && without_.contains("bell")) release();
        return;
    }
    if (!answer_questions(0)) return;  // first: stopping a thread withdraws its question
    asked_ = stopped_ = true;
    ::kill(child_.pid(), SIGSTOP);
    if (!wait_until_stopped()) finish("RUNTIME_ERROR", "", "could not be stopped");
}

void Jail::release() {
    stopped_ = false;
    ::kill(child_.pid(), SIGCONT);
}

double Jail::processor_seconds() const {
    char text[64] = "";
    if (pread(schedule_.get(), text, sizeof text - 1, 0) <= 0) return 0;
    return 1e-9 * std::strtod(text, nullptr);
}

// A thread on the same core stops as soon as it gets that core; one that the kernel keeps longer (a large mapping being filled) is waited for.
bool Jail::wait_until_stopped() {
    const double deadline = monotonic_seconds() + stop_seconds;
    for (int tries = 0; monotonic_seconds() < deadline; ++tries) {
        siginfo_t info{};
        if (waitid(P_PID, static_cast<id_t>(child_.pid()), &info, WSTOPPED | WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid != 0) {
            if (info.si_code == CLD_STOPPED) waitid(P_PID, static_cast<id_t>(child_.pid()), &info, WSTOPPED | WNOHANG);  // told once
            return true;
        }
        if (tries < 1000) sched_yield();
        else usleep(100);
    }
    return false;
}

void Jail::finish(std::string verdict, std::string kind, std::string reason) {
    if (end_) return;
    end_ = {std::move(verdict), std::move(kind), std::move(reason)};
    child_.kill();
    listener_.close();
}

}  // namespace hone
