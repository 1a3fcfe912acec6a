// How a jail starts: what bench and runner agree on, the process, its lock, and the candidate's library.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include "base/error.hpp"
#include "base/paths.hpp"
#include "hone/confine.hpp"
#include "sandbox/filters.hpp"
#include "sandbox/jail.hpp"
#include "sandbox/sandbox.hpp"

namespace hone {
namespace {

constexpr double start_seconds = 5;
// for a library, of what the runner itself takes to start
constexpr double least_load_seconds = 0.25, load_factor = 20;
// between two looks, at most, of a bench that has its core
constexpr double usual_gap = 0.02;
constexpr std::uint64_t page = 4096, guard_bytes = 2 << 20, first_address = 0x100000000000, mebibyte = 1 << 20;

[[noreturn]] void refuse(const std::string& cause) { throw Error(Blame::environment, "jail", cause); }

Fd sealed_bytes(hone_text bytes) {
    Fd file(memfd_create("candidate", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file || write(file.get(), bytes.at, bytes.len) != static_cast<ssize_t>(bytes.len))
        refuse(std::strerror(errno));
    fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    return file;
}

// The bench's manners with the plan's size.
std::vector<std::string> jail_environment(std::size_t threads) {
    std::vector<std::string> all = {"OMP_NUM_THREADS=" + std::to_string(threads),
                                    "OMP_THREAD_LIMIT=" + std::to_string(threads)};
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
    return {"OMP_NUM_THREADS=" + n, "OMP_THREAD_LIMIT=" + n, "OMP_DYNAMIC=false",   "OMP_STACKSIZE=8M",
            "OMP_PLACES=" + places, "OMP_PROC_BIND=close",   "GOMP_SPINCOUNT=10000"};
}

// Of the first thread: as OMP_STACKSIZE gives the others, whatever the user's shell says, if the user may have it.
rlim_t first_stack() {
    rlimit now{};
    return getrlimit(RLIMIT_STACK, &now) == 0 ? std::min<rlim_t>(8 * mebibyte, now.rlim_max) : 8 * mebibyte;
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
        throw Error(
            Blame::environment, "jail", "this machine cannot confine host code: " + sandbox().text(),
            "judge on a machine with seccomp, or set judge.without=seccomp for code that you trust (no score then)");
}

Jail::Jail(const hone_jail_plan& plan, const std::set<std::string>& without) : without_(without) {
    require_confinement(without_);
    const std::uint64_t first_tick = ticks();
    const double begun = monotonic_seconds();
    library_ = sealed_bytes(plan.library);
    prepare(plan);
    const double spawned = monotonic_seconds();
    spawn();
    receive_listener();
    team_ = Team(child_.pid(), threads_);
    load(monotonic_seconds() - spawned - schedule().waited);
    started_ = !end_;
    // over the milliseconds of a start
    seconds_per_tick_ = (monotonic_seconds() - begun) / static_cast<double>(ticks() - first_tick);
}

void Jail::prepare(const hone_jail_plan& plan) {
    if (plan.n_regions > max_regions) refuse("more than " + std::to_string(max_regions) + " regions");
    control_file_ = Fd(memfd_create("control", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!control_file_ || ftruncate(control_file_.get(), sizeof(JailControl)) != 0) refuse(std::strerror(errno));
    fcntl(control_file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    void* at =
        mmap(nullptr, sizeof(JailControl), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, control_file_.get(), 0);
    if (at == MAP_FAILED) refuse(std::strerror(errno));
    control_ = static_cast<JailControl*>(at);

    regions_.assign(plan.regions, plan.regions + plan.n_regions);
    std::uint64_t next = first_address;
    // unmapped space between them: a stray write far out ends the candidate
    for (std::size_t i = 0; i < regions_.size(); ++i) {
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
    // about 1 GiB beyond what is shared and its threads' stacks and heaps
    memory_limit_ = 1024 * mebibyte + 160 * mebibyte * threads_;
    for (const hone_region& region : regions_) memory_limit_ += region.bytes;
    confine::Plan limits;
    limits.capabilities = true;  // the runner gives them up: to start it may take them
    if (!without_.contains("rlimits") && sandbox().limits)
        limits.limits = {{RLIMIT_AS, memory_limit_}, {RLIMIT_STACK, first_stack()},
                         {RLIMIT_FSIZE, 0},          {RLIMIT_CORE, no_core},
                         {RLIMIT_CPU, 600},          {RLIMIT_NOFILE, 128}};
    SpawnPlan child;
    child.argv = {runner_path().string()};
    child.files = {{other.get(), jail_socket}, {control_file_.get(), jail_control}, {library_.get(), jail_library}};
    for (std::size_t i = 0; i < regions_.size(); ++i)
        child.files.emplace_back(regions_[i].file, jail_regions + static_cast<int>(i));
    child.environment = jail_environment(threads_);
    child.in_child = [&limits] { return leave_core(), be_expendable(), confine::enter(limits); };
    child_ = Child(child);
    const std::string thread = "/proc/" + std::to_string(child_.pid()) + "/schedstat";
    schedule_ = Fd(open(thread.c_str(), O_RDONLY | O_CLOEXEC));
    library_.close();
    control_file_.close();
}

// The runner hands its listener over as the last act before the candidate's code is loaded; nothing is read from the
// socket after that.
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
        refuse(control_->trouble[0]
                   ? std::string(control_->trouble, strnlen(control_->trouble, sizeof control_->trouble))
                   : "the runner " + runner_path().string() + " did not start");
    }
    const cmsghdr* head = CMSG_FIRSTHDR(&message);
    if (!head || head->cmsg_type != SCM_RIGHTS) return;  // no seccomp
    int file;
    std::memcpy(&file, CMSG_DATA(head), sizeof file);
    listener_ = Fd(file);
}

// The candidate's constructors run here. A core that they were not given is no fault of theirs, nor is time in which
// this process stood still itself; one that they did not ask for is.
void Jail::load(double usual) {
    const auto [worked, waited] = schedule();
    const bool unknown = worked == 0;  // this kernel does not tell who waited for a core
    const double limit =
        unknown || without_.contains("deadline") ? start_seconds : std::max(least_load_seconds, load_factor * usual);
    double last = 0, stood_still = 0;
    const auto late = [&](double passed) {
        stood_still += std::max(0.0, passed - std::exchange(last, passed) - usual_gap);
        return passed > start_seconds || passed - stood_still - (schedule().waited - waited) > limit;
    };
    if (listener_) answer_questions(static_cast<int>(start_seconds * 1000));  // the loader opens the library
    if (!end_ && !await(late)) finish("TIMEOUT", "", "its library takes too long to load");
}

}  // namespace hone
