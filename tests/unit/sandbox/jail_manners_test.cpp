// What honest programs do that a jail does not allow, or not for ever: harmless calls, threads that come and go,
// libraries that take their time.
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include "jail_fixture.hpp"
#include "sandbox/team.hpp"

namespace hone {
namespace {

using namespace jail_test;

struct Harmless {
    const char *name, *before, *first;  // traps where the answer is not what honest programs can live with
};

class Manners : public testing::TestWithParam<Harmless> {};

TEST_P(Manners, AreNoOffence) {
    Bench bench("", {{"threads", 2}});
    expect_doubled(bench.judge(kernel(GetParam().before, GetParam().first), 2));
}

const Harmless harmless[] = {
    {"cores_of_the_standard_library", "#include <thread>",
     "if (std::thread::hardware_concurrency() != 2) __builtin_trap();"},
    {"cores_of_the_system", "#include <unistd.h>",
     "if (sysconf(_SC_NPROCESSORS_ONLN) != 2 || sysconf(_SC_NPROCESSORS_CONF) != 2 || sysconf(_SC_PAGESIZE) != 4096) "
     "__builtin_trap();"},
    {"devices", "#include <omp.h>", "if (omp_get_num_devices() != 0 || omp_get_num_procs() < 1) __builtin_trap();"},
    {"offloading", "",
     "float sum = 0;\n#pragma omp target map(tofrom: sum)\nsum += 1;\nif (sum != 1) __builtin_trap();"},
    {"local_time", "#include <ctime>",
     "time_t now = time(nullptr); if (localtime(&now)->tm_year < 100) __builtin_trap();"},
    {"thread_names", "#include <pthread.h>", "if (pthread_setname_np(pthread_self(), \"kernel\")) __builtin_trap();"},
    {"pages_made_ready", "#include <sys/mman.h>",
     "void* p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"
     "if (madvise(p, 8192, MADV_POPULATE_WRITE)) __builtin_trap();\nmunmap(p, 8192);"},
    {"files_to_read", "#include <cerrno>\n#include <fcntl.h>\n#include <cstdio>",
     "if (open(\"/etc/passwd\", O_RDONLY) != -1 || errno != EACCES || open(\"/etc/passwd\", O_RDONLY | O_CLOEXEC) != "
     "-1 || errno != EACCES "
     "||\n"
     "    std::fopen(\"/proc/cpuinfo\", \"r\") || std::fopen(\"/proc/cpuinfo\", \"re\")) __builtin_trap();"},
    {"files_to_look_at", "#include <cerrno>\n#include <sys/stat.h>\n#include <unistd.h>",
     "struct stat s; char path[99];\nif (stat(\"/etc/passwd\", &s) != -1 || errno != EACCES || fstat(1, &s) != -1 || "
     "errno != EACCES ||\n"
     "    access(\"/etc/passwd\", R_OK) != -1 || readlink(\"/proc/self/exe\", path, sizeof path) != -1) "
     "__builtin_trap();"},
    {"timers_and_locks", "#include <cerrno>\n#include <sys/mman.h>\n#include <sys/time.h>\n#include <sys/resource.h>",
     "itimerval t = {}; rusage u; static char page[8192];\nif (setitimer(ITIMER_REAL, &t, nullptr) != -1 || errno != "
     "ENOSYS || mlock(page, "
     "4096) != -1 || "
     "getrusage(RUSAGE_SELF, &u)) __builtin_trap();"},
    {"its_own_priority", "#include <cerrno>\n#include <sched.h>\n#include <sys/resource.h>",
     "sched_param usual = {}; if (sched_setparam(0, &usual) != -1 || errno != EPERM || setpriority(PRIO_PROCESS, 0, 0) "
     "!= -1 || errno != EPERM) __builtin_trap();"},
    {"priorities_of_its_threads",
     "#include <cerrno>\n#include <pthread.h>\n#include <sys/resource.h>\n#include <unistd.h>",
     "sched_param usual = {}; if (setpriority(PRIO_PROCESS, getpid(), 5) != -1 || errno != EPERM) __builtin_trap();\n"
     "#pragma omp parallel num_threads(2)\n"
     "if (pthread_setschedparam(pthread_self(), SCHED_OTHER, &usual) != EPERM || pthread_setschedprio(pthread_self(), "
     "0) != "
     "EPERM || setpriority(PRIO_PROCESS, gettid(), 5) != -1 || errno != EPERM) __builtin_trap();"},
    {"lower_scheduling_classes", "#include <cerrno>\n#include <sched.h>",
     "sched_param usual = {}; for (int lower : {SCHED_OTHER, SCHED_BATCH, SCHED_IDLE})\n"
     "if (sched_setscheduler(0, lower, &usual) != -1 || errno != EPERM) __builtin_trap();"},
    {"its_own_limits", "#include <cerrno>\n#include <sys/resource.h>\n#include <unistd.h>",
     "rlimit limit = {64 << 20, 64 << 20}; if (setrlimit(RLIMIT_STACK, &limit) != -1 || errno != ENOSYS ||\n"
     "prlimit(getpid(), RLIMIT_STACK, &limit, nullptr) != -1 || errno != ENOSYS) __builtin_trap();"},
    {"a_ring_of_memory", "#include <cerrno>\n#include <sys/mman.h>\n#include <unistd.h>",
     "int ring = memfd_create(\"ring\", 0); if (ring != -1 || errno != ENOSYS || ftruncate(ring, 4096) != -1 || errno "
     "!= "
     "EBADF) __builtin_trap();"},
    {"devices_that_keep_nothing",
     "#include <cerrno>\n#include <cstdio>\n#include <fcntl.h>\n#include <sys/syscall.h>\n#include <unistd.h>",
     "if (std::fopen(\"/dev/null\", \"w\") || errno != EACCES || std::freopen(\"/dev/null\", \"w\", stderr)) "
     "__builtin_trap();\n"
     "int null = syscall(SYS_open, \"/dev/null\", O_WRONLY), zero = open(\"/dev/zero\", O_RDWR);\n"
     "if (null != -1 || zero != -1 || errno != EACCES || write(null, a, 4) != -1 || errno != EBADF) __builtin_trap();"},
    {"tiles_of_amx", "#include <cerrno>\n#include <sys/syscall.h>\n#include <unistd.h>",
     "if (syscall(SYS_arch_prctl, 0x1023, 18) && errno != EINVAL && errno != EOPNOTSUPP) __builtin_trap();"},
    {"what_a_later_kernel_brings", "#include <cerrno>\n#include <unistd.h>",
     "if (syscall(425, 8, 0) != -1 || errno != ENOSYS || syscall(999) != -1 || errno != ENOSYS) __builtin_trap();"},
};

INSTANTIATE_TEST_SUITE_P(Honest, Manners, testing::ValuesIn(harmless),
                         [](const auto& call) { return std::string(call.param.name); });

// Nothing of a thread of its own is moved, and nothing of another's process.
TEST(Jail, ThreadsStayWhereTheyWerePut) {
    Bench bench("", {{"threads", 2}});
    expect_doubled(bench.judge(
        kernel("#include <omp.h>\n#include <pthread.h>\n#include <sched.h>\n#include <unistd.h>\nstatic cpu_set_t "
               "before, after;",
               "#pragma omp parallel num_threads(2)\n{\ncpu_set_t one; CPU_ZERO(&one); CPU_SET(0, &one);\n"
               "if (pthread_setaffinity_np(pthread_self(), sizeof one, &one)) __builtin_trap();\n}\n"
               "cpu_set_t none = {};\nsched_getaffinity(0, sizeof before, &before);\n"
               "if (sched_setaffinity(0, sizeof none, &none) || sched_setaffinity(getppid(), sizeof none, &none)) "
               "__builtin_trap();\n"
               "sched_getaffinity(0, sizeof after, &after);\nif (!CPU_EQUAL(&before, &after)) __builtin_trap();"),
        2));
}

const char* const ends_a_thread =
    "#include <csetjmp>\n#include <omp.h>\n#include <unistd.h>\nstatic std::jmp_buf out; static volatile bool gone, "
    "once;\n"
    "static void shrink() {\nonce = true;\nif (setjmp(out)) return;\n#pragma omp parallel num_threads(2)\n{\n"
    "if (omp_get_thread_num() == 1) { gone = true; syscall(60, 0); }\nwhile (!gone) "
    "usleep(100);\nusleep(2000);\nstd::longjmp(out, "
    "1);\n}\n}\n";

TEST(Jail, AThreadThatEndsStaysAndIsStoppedWithTheOthers) {
    Bench bench("", {{"threads", 2}});
    expect_doubled(bench.judge(kernel(ends_a_thread, "if (!once) shrink();"), 20));
    Bench counts("seccomp", {{"threads", 2}});
    const Outcome outcome = counts.judge(kernel(ends_a_thread, "if (!once) shrink();"), 20);
    EXPECT_EQ(outcome.verdict, "RUNTIME_ERROR");
    EXPECT_EQ(outcome.reason, "has fewer threads than it was started with");
    Bench open("team", {{"threads", 2}});
    expect_doubled(open.judge(kernel(ends_a_thread, "if (!once) shrink();"), 20));
}

// As libgomp does: the threads that a smaller team does not need end, and a larger one starts others.
TEST(Jail, ATeamMayShrinkAndGrowAgainForEver) {
    Bench bench("", {{"threads", 4}});
    expect_doubled(bench.judge(kernel("",
                                      "for (int t = 1; t < 9; t++) {\n#pragma omp parallel for num_threads(t % 4 + 1)\n"
                                      "for (long i = 0; i < N; i++) o[i] = a[i];\n}"),
                               20));
}

// A thread of this process that ends when it is told to.
class Worker {
public:
    Worker()
        : thread_([this] {
              id_ = gettid();
              std::unique_lock lock(mutex_);
              told_.wait(lock, [this] { return end_; });
          }) {
        while (!id_) sched_yield();
    }
    ~Worker() { end(); }
    void end() {
        if (!thread_.joinable()) return;
        {
            const std::lock_guard lock(mutex_);
            end_ = true;
        }
        told_.notify_all();
        thread_.join();
        while (access(("/proc/self/task/" + std::to_string(id_)).c_str(), F_OK) == 0) sched_yield();
    }
    pid_t id() const { return id_; }

private:
    std::atomic<pid_t> id_{0};
    std::mutex mutex_;
    std::condition_variable told_;
    bool end_ = false;
    std::thread thread_;
};

std::size_t own_threads() {
    std::size_t n = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++n;
    return n;
}

cpu_set_t cores_of(pid_t thread) {
    cpu_set_t cores;
    sched_getaffinity(thread, sizeof cores, &cores);
    return cores;
}

TEST(Team, ANewThreadTakesThePlaceAndTheCoreOfOneThatEnds) {
    auto first = std::make_unique<Worker>();
    cpu_set_t all = cores_of(0), one;
    CPU_ZERO(&one);
    for (int core = 0; CPU_COUNT(&one) == 0; ++core)
        if (CPU_ISSET(core, &all)) CPU_SET(core, &one);
    sched_setaffinity(first->id(), sizeof one, &one);
    Team team(getpid(), own_threads());
    EXPECT_TRUE(team.complete());
    EXPECT_EQ(team.replace(), std::nullopt) << "nobody waits to end";
    EXPECT_TRUE(team.park(first->id(), 7));
    EXPECT_TRUE(team.park(first->id(), 8)) << "it was stopped, continued and has asked again";
    EXPECT_TRUE(team.complete());
    EXPECT_EQ(team.replace(), std::optional<std::uint64_t>(8));
    EXPECT_FALSE(team.complete()) << "one leaves, none has come";
    EXPECT_FALSE(team.park(first->id(), 9)) << "it may go";
    Worker second;
    EXPECT_TRUE(team.complete());
    team.settle();
    const cpu_set_t cores = cores_of(second.id());
    EXPECT_TRUE(CPU_EQUAL(&one, &cores));
    first->end();
    EXPECT_TRUE(team.complete());
    EXPECT_TRUE(team.park(second.id(), 10));
    second.end();
    EXPECT_FALSE(team.complete());
}

std::string sleeps_at_load(const char* seconds) {
    return std::string("#include <time.h>\n__attribute__((constructor)) static void early() { timespec t = {long(") +
           seconds + "), long(" + seconds + " * 1e9) % 1000000000}; nanosleep(&t, nullptr); }";
}

TEST(Jail, ALibraryHasALimitToLoad) {
    Bench bench;
    expect_doubled(bench.judge(kernel(sleeps_at_load("0.1"), "")));
    const char* const works =
        "#include <time.h>\n__attribute__((constructor)) static void early() {\ntimespec t, u; "
        "clock_gettime(CLOCK_MONOTONIC, &t);\n"
        "do clock_gettime(CLOCK_MONOTONIC, &u); while (u.tv_sec - t.tv_sec + 1e-9 * (u.tv_nsec - t.tv_nsec) < 4);\n}";
    for (const std::string& before : {sleeps_at_load("3.0"), std::string(works)}) {
        const Outcome outcome = bench.judge(kernel(before, ""));
        EXPECT_EQ(outcome.verdict, "TIMEOUT");
        EXPECT_EQ(outcome.reason, "its library takes too long to load");
    }
    Bench patient("deadline");
    expect_doubled(patient.judge(kernel(sleeps_at_load("3.0"), "")));
}

// Two threads ask the bench for ever; it still looks at its clock.
TEST(Jail, ManyQuestionsDoNotOutlastTheLimit) {
    Bench bench("", {{"threads", 2}});
    const Outcome outcome = bench.judge(
        kernel("#include <sys/stat.h>", "#pragma omp parallel num_threads(2)\nfor (struct stat s;;) fstat(1, &s);"), 1,
        0.5);
    EXPECT_EQ(outcome.verdict, "TIMEOUT");
    EXPECT_EQ(outcome.reason, "no answer within 0.500 s");
    EXPECT_LT(outcome.seconds, 3.0);
}

}  // namespace
}  // namespace hone
