// The confined runner behind verifier.cpp, as a bench uses it: an honest kernel works, and whatever else a candidate
// tries gets its verdict.
#include "sandbox/jail.hpp"
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <thread>
#include "base/paths.hpp"
#include "base/process.hpp"
#include "jail_fixture.hpp"
#include "sandbox/own_runner.hpp"
#include "sandbox/services.hpp"

namespace hone {
namespace {

using namespace jail_test;

constexpr const char* not_loaded =
    "its library cannot be loaded: it has more static or thread-local data than there is memory, it needs a library "
    "that is not there, or a constructor ended the process";

TEST(Jail, AnHonestKernelIsBuiltAndCalled) {
    Bench bench;
    const Outcome outcome = bench.judge(kernel("", ""), 20);
    expect_doubled(outcome);
    EXPECT_EQ(outcome.facts.at("artifact").get<std::string>().size(), 64u);
    EXPECT_NE(
        outcome.facts.at("flags").get<std::string>().find("-march=native -fno-math-errno -fno-trapping-math -fopenmp"),
        std::string::npos);
    EXPECT_NE(outcome.facts.at("compiler").get<std::string>().find("g++"), std::string::npos);
    EXPECT_GT(outcome.facts.at("build_seconds").get<double>(), 0.0);
}

TEST(Jail, HonestKernelsMayUseVectorsThreadsHeadersAndTheHeap) {
    Bench bench;
    expect_doubled(
        bench.judge("extern \"C\" void k(const float* a, float* o, long N) {\n"
                    "for (long i = 0; i < N; i += 16) *(V*)(o + i) = *(const V*)(a + i) * 2; }"));
    expect_doubled(bench.judge("#include <immintrin.h>\n#include <vector>\n#include <cmath>\n" +
                               kernel("", "std::vector<float> v(1 << 20, std::sqrt(a[4])); o[0] = v[7];")));
    expect_doubled(bench.judge(kernel("",
                                      "for (int t = 1; t < 9; t++) {\n#pragma omp parallel for num_threads(t)\nfor "
                                      "(long i = 0; i < N; i++) o[i] = a[i];\n}"),
                               3));
}

// glibc's functions of vectors lie in a library of their own, libmvec.
TEST(Jail, AKernelMayUseFunctionsOfVectors) {
    Bench bench;
    expect_doubled(
        bench.judge("#pragma omp declare simd notinbranch\nextern \"C\" float expf(float) noexcept;\n"
                    "extern \"C\" void k(const float* a, float* o, long N) {\n#pragma omp simd\n"
                    "for (long i = 0; i < N; i++) o[i] = 2 * a[i] * expf(0 * a[i]); }"));
}

TEST(Jail, MacrosOfAKernelDoNotReachWhatFollowsIt) {
    Bench bench;
    for (const char* macros : {"#define in\n#define out", "#define in const", "#define sizes 3", "#define visibility"})
        expect_doubled(bench.judge(kernel(macros, "")));
}

TEST(Jail, ClangCompilesToo) {
    Bench bench("", {{"compiler", "clang++"}});
    try {
        bench.services().builder().build({{"clang++", "--version"}, {}, ""});
    } catch (const Error&) {
        GTEST_SKIP() << "no clang++ on this machine";
    }
    expect_doubled(bench.judge(kernel("", "")));
}

TEST(Jail, TheFastExponentialIsCloseToTheTrueOne) {
    Bench bench;
    for (long i = 0; i < n; ++i) bench.input()[i] = -80.0f + 0.04f * static_cast<float>(i);
    const Outcome outcome = bench.judge(
        "extern \"C\" void k(const float* a, float* o, long N) { for (long i = 0; i < N; i++) o[i] = expf_fast(a[i]); "
        "}");
    ASSERT_EQ(outcome.verdict, "PASSED") << outcome.log;
    for (long i = 0; i < n; ++i) {
        const double truth = std::exp(static_cast<double>(bench.input()[i]));
        ASSERT_NEAR(outcome.out[static_cast<std::size_t>(i)] / truth, 1.0, 5e-7) << bench.input()[i];
    }
}

struct Attack {
    const char *name, *before, *first, *verdict, *kind, *reason;
};

class Hostile : public testing::TestWithParam<Attack> {};

TEST_P(Hostile, GetsItsVerdictInTime) {
    const Attack& attack = GetParam();
    Bench bench;
    const Outcome outcome = bench.judge(kernel(attack.before, attack.first), 1, 0.5);
    EXPECT_EQ(outcome.verdict, attack.verdict) << outcome.reason << outcome.log;
    EXPECT_EQ(outcome.kind, attack.kind);
    EXPECT_EQ(outcome.reason, attack.reason);
    EXPECT_LT(outcome.seconds, 3.0);
    for (long i = 0; i < n; ++i) ASSERT_EQ(bench.input()[i], static_cast<float>(i)) << "an input was changed";
    expect_doubled(bench.judge(kernel("", "")));  // the bench goes on
}

const Attack attacks[] = {
    {"crash", "", "*(volatile int*)8 = 1;", "RUNTIME_ERROR", "", "ended by SIGSEGV (Segmentation fault)"},
    {"trap", "", "__builtin_trap();", "RUNTIME_ERROR", "", "ended by SIGILL (Illegal instruction)"},
    {"abort", "extern \"C\" void abort();", "abort();", "RUNTIME_ERROR", "", "ended by SIGABRT (Aborted)"},
    {"exit", "extern \"C\" void _exit(int);", "_exit(0);", "RUNTIME_ERROR", "",
     "ended its process instead of returning"},
    {"hang", "", "for (;;) asm volatile(\"\");", "TIMEOUT", "", "no answer within 0.500 s"},
    {"fork", "extern \"C\" int fork();", "fork();", "REWARD_HACK", "processes",
     "processes: tried the system call clone"},
    {"exec", "extern \"C\" int execl(const char*, ...);", "execl(\"/bin/true\", \"true\", nullptr);", "REWARD_HACK",
     "processes", "processes: tried the system call execve"},
    {"constructor", "extern \"C\" int fork();\n__attribute__((constructor)) void early() { fork(); }", "",
     "REWARD_HACK", "processes", "processes: tried the system call clone"},
    {"thread",
     "extern \"C\" int pthread_create(long*, void*, void* (*)(void*), void*);\nvoid* run(void*) { for (;;); }",
     "long t; pthread_create(&t, 0, run, 0);", "RUNTIME_ERROR", "",
     "starts threads of its own, as std::thread and \"omp target parallel\" do; use #pragma omp parallel, outside of "
     "any other, whose threads are there"},
    {"pool_of_threads", "#include <thread>", "std::thread other([] {}); other.join();", "RUNTIME_ERROR", "",
     "starts threads of its own, as std::thread and \"omp target parallel\" do; use #pragma omp parallel, outside of "
     "any other, whose threads are there"},
    {"end_of_its_first_thread", "extern \"C\" long syscall(long, ...);", "syscall(60, 0);", "RUNTIME_ERROR", "",
     "ended its first thread instead of returning"},
    {"socket", "extern \"C\" int socket(int, int, int);", "socket(2, 1, 0);", "REWARD_HACK", "network",
     "network: tried the system call socket"},
    {"write_file", "extern \"C\" int open(const char*, int, ...);", "open(\"/tmp/hone-test-file\", 0101, 0600);",
     "REWARD_HACK", "files", "files: tried the system call openat"},
    {"write_file_the_old_way", "extern \"C\" long syscall(long, ...);",
     "syscall(2, \"/tmp/hone-test-file\", 0101, 0600);", "REWARD_HACK", "files", "files: tried the system call open"},
    {"nameless_file", "extern \"C\" int open(const char*, int, ...);", "open(\"/tmp\", 020200002, 0600);",
     "REWARD_HACK", "files", "files: tried the system call openat"},
    {"write_descriptor", "extern \"C\" long write(int, const void*, unsigned long);", "write(3, \"x\", 1);",
     "REWARD_HACK", "files", "files: tried the system call write"},
    {"kill_parent", "extern \"C\" int kill(int, int), getppid();", "kill(getppid(), 9);", "REWARD_HACK", "signals",
     "signals: tried the system call kill"},
    {"ptrace", "extern \"C\" long ptrace(int, ...);\nextern \"C\" int getppid();", "ptrace(16, getppid(), 0, 0);",
     "REWARD_HACK", "memory of others", "memory of others: tried the system call ptrace"},
    {"write_input", "", "((float*)a)[3] = 7;", "RUNTIME_ERROR", "", "ended by SIGSEGV (Segmentation fault)"},
    {"regain_input", "extern \"C\" int mprotect(void*, unsigned long, int);",
     "if (mprotect((void*)a, 4096, 3)) __builtin_trap();\n((float*)a)[3] = 7;", "RUNTIME_ERROR", "",
     "ended by SIGILL (Illegal instruction)"},
    {"patch_code", "extern \"C\" int mprotect(void*, unsigned long, int);",
     "mprotect((void*)((unsigned long)k & ~4095ul), 4096, 7);", "REWARD_HACK", "code",
     "code: tried the system call mprotect"},
    {"old_system_calls", "", "long r = 20; asm volatile(\"int $0x80\" : \"+a\"(r) :: \"memory\");", "REWARD_HACK",
     "system call", "system call: one of another architecture"},
    {"x32_system_calls", "",
     "long r = 0x40000000 | 39; asm volatile(\"syscall\" : \"+a\"(r) :: \"rcx\", \"r11\", \"memory\");", "REWARD_HACK",
     "system call", "system call: one of another architecture"},
    {"evict_pages", "extern \"C\" int madvise(void*, unsigned long, int);", "madvise((void*)a, 4096, 21);",
     "REWARD_HACK", "memory of others", "memory of others: tried the system call madvise"},
    {"write_code", "extern \"C\" void* mmap(void*, unsigned long, int, int, int, long);", "mmap(0, 4096, 7, 2, 5, 0);",
     "REWARD_HACK", "code", "code: tried the system call mmap"},
    {"priority", "extern \"C\" int setpriority(int, unsigned, int);", "setpriority(0, 0, -5);", "REWARD_HACK",
     "scheduling", "scheduling: tried the system call setpriority"},
    {"scheduling_class", "extern \"C\" long syscall(long, ...);\nextern \"C\" int getppid();",
     "int parameter = 0; syscall(144, getppid(), 5, &parameter);", "REWARD_HACK", "scheduling",
     "scheduling: tried the system call sched_setscheduler"},
    {"usual_class_of_its_parent", "extern \"C\" long syscall(long, ...);\nextern \"C\" int getppid();",
     "int parameter = 0; syscall(144, getppid(), 0, &parameter);", "REWARD_HACK", "scheduling",
     "scheduling: tried the system call sched_setscheduler"},
    {"higher_class", "extern \"C\" long syscall(long, ...);", "int parameter = 1; syscall(144, 0, 1, &parameter);",
     "REWARD_HACK", "scheduling", "scheduling: tried the system call sched_setscheduler"},
    {"slows_its_user", "extern \"C\" int setpriority(int, unsigned, int);", "setpriority(2, 0, 19);", "REWARD_HACK",
     "scheduling", "scheduling: tried the system call setpriority"},
    {"write_its_own_memory", "extern \"C\" int open(const char*, int, ...);", "open(\"/proc/self/mem\", 2);",
     "REWARD_HACK", "files", "files: tried the system call openat"},
    {"write_beside_a_device", "extern \"C\" int open(const char*, int, ...);", "open(\"/dev/null/x\", 0101, 0600);",
     "REWARD_HACK", "files", "files: tried the system call openat"},
    {"disk_priority", "extern \"C\" long syscall(long, ...);\nextern \"C\" int getppid();",
     "syscall(251, 1, getppid(), 3 << 13);", "REWARD_HACK", "scheduling",
     "scheduling: tried the system call ioprio_set"},
    {"limits_parent", "extern \"C\" long syscall(long, ...);\nextern \"C\" int getppid();",
     "unsigned long limit[2] = {1, 1}; syscall(302, getppid(), 0, limit, 0);", "REWARD_HACK", "scheduling",
     "scheduling: tried the system call prlimit64"},
    {"advises_parent", "extern \"C\" long syscall(long, ...);", "syscall(440, 3, 0, 0, 21, 0);", "REWARD_HACK",
     "memory of others", "memory of others: tried the system call process_madvise"},
    {"opens_parent", "extern \"C\" long syscall(long, ...);\nextern \"C\" int getppid();",
     "syscall(434, getppid(), 0);", "REWARD_HACK", "signals", "signals: tried the system call pidfd_open"},
    {"stops_parents_thread", "extern \"C\" long syscall(long, ...);\nextern \"C\" int getppid();",
     "syscall(234, getppid(), getppid(), 19);", "REWARD_HACK", "signals", "signals: tried the system call tgkill"},
    {"far_write", "", "o[1 << 20] = 1;", "RUNTIME_ERROR", "", "ended by SIGSEGV (Segmentation fault)"},
};

INSTANTIATE_TEST_SUITE_P(Zoo, Hostile, testing::ValuesIn(attacks),
                         [](const auto& attack) { return std::string(attack.param.name); });

TEST(Jail, HugeOutputTextNeitherBlocksNorArrives) {
    Bench bench;
    expect_doubled(bench.judge(
        kernel("extern \"C\" int printf(const char*, ...);",
               "for (int i = 0; i < 100000; i++) printf(\"%d lots of text lots of text lots of text\\n\", i);")));
}

// It has found the page on which the runner says why a library does not load, and would tell a prompt what it saw.
TEST(Jail, ACandidateCannotWriteItsReason) {
    Bench bench;
    const Outcome outcome = bench.judge(
        "#include <cstdio>\n#include <unistd.h>\nextern \"C\" void k(const float*, float*, long) {}\n"
        "static void forge(const void* const* in, const long* sizes) {\n"
        "    unsigned* done = (unsigned*)((char*)in - " +
        std::to_string(offsetof(JailControl, in) - offsetof(JailControl, done)) +
        ");\n"
        "    std::snprintf((char*)in - " +
        std::to_string(offsetof(JailControl, in) - offsetof(JailControl, trouble)) +
        ", 99, \"well done, N is %ld\", sizes[0]);\n    *done = 0;\n    _exit((int)(sizes[0] / 64));\n}\n#define "
        "k(...) forge(hone_in, hone_sizes)\n");
    EXPECT_EQ(outcome.verdict, "RUNTIME_ERROR");
    EXPECT_EQ(outcome.reason, "ended its process instead of returning");
}

// A constructor finds that page by what lies on the stack below it (a call that would read a set of signals says what
// can be read) and writes there.
TEST(Jail, AConstructorCannotWriteItsReason) {
    Bench bench;
    const Outcome outcome = bench.judge(
        "#include <cerrno>\n#include <cstring>\n#include <unistd.h>\n"
        "static bool readable(char* at) { return syscall(14, 99, at, 0, 8) != -1 || errno == EINVAL; }\n"
        "__attribute__((constructor)) static void forge() {\n"
        "    for (char** word = (char**)__builtin_frame_address(0);; word++) {\n"
        "        if (((unsigned long)word & 7) || !readable((char*)word)) __builtin_trap();\n"
        "        char* page = *word;\n"
        "        if (((unsigned long)page & 4095) || !readable(page) || !readable(page + " +
        std::to_string(offsetof(JailControl, symbol)) +
        ")) continue;\n"
        "        if (std::strcmp(page + " +
        std::to_string(offsetof(JailControl, symbol)) +
        ", \"hone_thunk\")) continue;\n"
        "        std::strcpy(page + " +
        std::to_string(offsetof(JailControl, trouble)) +
        ", \"well done\");\n"
        "        _exit(101);\n    }\n}\n" +
        kernel("", ""));
    EXPECT_EQ(outcome.verdict, "LAUNCH_ERROR");
    EXPECT_EQ(outcome.reason, not_loaded);
}

// A candidate that knows the page through which bench and jail talk, and scribbles on every word of it from two threads
// while it is judged.
TEST(Jail, GarbageOnTheHandOverPageIsTheCandidatesLossOnly) {
    const std::string scribble = R"(
static void scribble(const void* const* in, unsigned seed, long times) {
    const unsigned words[] = {0, 1, 2, 0xffffffff, 0x7fc00000, 0x80000000, 0x41414141, 100};
    volatile unsigned* page = (volatile unsigned*)((char*)in - OFFSET);
    for (long i = 0; i < times; i++) {
        seed = seed * 1664525 + 1013904223;
        page[seed % WORDS] = seed & 256 ? words[seed >> 29] : seed;
    }
}
static void answer(const void* const* in, void* const* out, const long* sizes) {
    const float* a = (const float*)in[0];
    float* o = (float*)out[0];
    const long N = sizes[0];
    static unsigned calls;
    const unsigned seed = 977 * ++calls + SEED;
    k(a, o, N);
#pragma omp parallel num_threads(2)
    scribble(in, seed * 31 + (unsigned)(unsigned long)&seed, LENGTH);
}
#define k(...) answer(hone_in, hone_out, hone_sizes)
)";
    const auto fill = [&](int seed, int length) {
        std::string text = kernel("static void answer(const void* const*, void* const*, const long*);", "") + scribble;
        for (const auto& [word, value] :
             std::map<std::string, std::size_t>{{"OFFSET", offsetof(JailControl, in)},
                                                {"WORDS", sizeof(JailControl) / 4},
                                                {"SEED", static_cast<std::size_t>(seed)},
                                                {"LENGTH", static_cast<std::size_t>(length)}})
            for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word))
                text.replace(at, word.size(), std::to_string(value));
        return text;
    };
    const std::set<std::string> its_own = {"PASSED", "RUNTIME_ERROR", "TIMEOUT", "OUT_OF_MEMORY"};
    std::map<std::string, int> verdicts;
    Bench bench;
    bench.checks_clock = false;
    for (int seed = 0; seed < 8; ++seed) {
        const Outcome outcome = bench.judge(fill(seed, seed % 2 ? 100'000 : 300), 6, 0.3);
        ++verdicts[outcome.verdict];
        EXPECT_TRUE(its_own.contains(outcome.verdict)) << outcome.verdict << ": " << outcome.reason << outcome.log;
        EXPECT_LT(outcome.seconds, 3.0);
        for (long i = 0; i < n; ++i) ASSERT_EQ(bench.input()[i], static_cast<float>(i)) << "an input was changed";
    }
    EXPECT_GT(verdicts["TIMEOUT"] + verdicts["RUNTIME_ERROR"], 0) << Json(verdicts).dump();
    expect_doubled(bench.judge(kernel("", ""), 3));  // the bench goes on
}

TEST(Jail, AnEmptyPathThatIsNoneTellsNothing) {
    Bench bench;
    expect_doubled(bench.judge(kernel("extern \"C\" int fstatat(int, const char*, void*, int);",
                                      "char s[256]; if (!fstatat(1, \"/etc/passwd\", s, 0x1000) || !fstatat(1, \"\", "
                                      "s, 0x1000)) __builtin_trap();")));
}

TEST(Jail, AMemoryBombIsToldApartFromACrash) {
    Bench bench;
    const Outcome outcome = bench.judge(
        kernel(
            "extern \"C\" void* malloc(unsigned long);",
            "for (;;) { volatile char* p = (char*)malloc(1 << 20); for (int i = 0; i < 1 << 20; i += 256) p[i] = 1; }"),
        1, 20);
    EXPECT_EQ(outcome.verdict, "OUT_OF_MEMORY") << outcome.reason;
}

TEST(Jail, NothingOfAHeldCandidateRuns) {
    Bench bench;
    void* subject = bench.open(
        "extern \"C\" int omp_get_thread_num();\nextern \"C\" void k(const float* a, float* o, long N) {\n#pragma omp "
        "parallel "
        "num_threads(2)\n"
        "for (volatile float* mine = o + 64 * omp_get_thread_num();;) *mine = *mine + 1;\n}");
    bench.launch(subject);
    const auto wait_for_change = [&](int thread) {
        const volatile float& counter = bench.output()[64 * thread];
        const double deadline = monotonic_seconds() + 10;
        for (const float seen = counter; counter == seen && monotonic_seconds() < deadline;) {
        }
        return monotonic_seconds() < deadline;
    };
    EXPECT_TRUE(wait_for_change(0) && wait_for_change(1));
    bench.suspend(subject, true);
    const std::vector<float> before(bench.output(), bench.output() + n);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(before, std::vector<float>(bench.output(), bench.output() + n));
    bench.suspend(subject, false);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(before, std::vector<float>(bench.output(), bench.output() + n)) << "it stands until its next call";
    bench.launch(subject);
    EXPECT_TRUE(wait_for_change(0) && wait_for_change(1));
    bench.close(subject);
}

// Asleep is what a thread without a core looks like from outside.
TEST(Jail, WhoGetsNoCoreHasMoreTime) {
    Bench bench;
    const auto sleeps = [](const char* seconds) {
        return kernel(
            "#include <semaphore.h>\n#include <time.h>",
            std::string("sem_t s; sem_init(&s, 0, 0); timespec until; clock_gettime(CLOCK_REALTIME, &until);\n") +
                "until.tv_nsec += " + seconds + " * 1e9; until.tv_sec += until.tv_nsec / 1000000000;\n" +
                "until.tv_nsec %= 1000000000; sem_timedwait(&s, &until);");
    };
    expect_doubled(bench.judge(sleeps("0.4"), 1, 0.25));
    const Outcome outcome = bench.judge(sleeps("2.0"), 1, 0.25);
    EXPECT_EQ(outcome.verdict, "TIMEOUT");
    EXPECT_EQ(outcome.reason, "no answer within 0.250 s") << "the limit that was asked for";
    EXPECT_GE(outcome.seconds, 0.75);
}

TEST(Jail, WhatIsHeldOnceIsCalledAgainAndAgain) {
    Bench bench;
    void* subject = bench.open(kernel("", ""));
    bench.suspend(subject, true);
    bench.suspend(subject, false);
    for (int call = 0; call < 5; ++call) {
        bench.launch(subject);
        EXPECT_LT(bench.wait(subject), 5);
    }
    bench.close(subject);
}

TEST(Jail, ADefenceThatIsOffLetsItsAttackThrough) {
    Bench open_inputs("input-seal");
    const Outcome changed = open_inputs.judge(kernel("", "((float*)a)[3] = 7;"));
    EXPECT_EQ(changed.verdict, "PASSED") << changed.reason;
    EXPECT_EQ(open_inputs.input()[3], 7.0f);
    Bench open_calls("seccomp,landlock");
    const Outcome read = open_calls.judge(
        kernel("extern \"C\" int open(const char*, int, ...);\nextern \"C\" long read(int, void*, unsigned long);",
               "char c[4] = {}; if (read(open(\"/etc/passwd\", 0), c, 4) != 4) __builtin_trap();"));
    expect_doubled(read);
    Bench unwatched("watch");
    EXPECT_EQ(unwatched.judge(kernel("extern \"C\" void _exit(int);", "_exit(0);")).verdict, "PASSED");
}

TEST(OwnRunner, AnswersMessagesAndItsDeathIsTold) {
    const std::string script = testing::TempDir() + "hone_runner.sh";
    write_file(script, "#!/bin/sh\nexec dd bs=4096 count=1 <&3 >&3 2>/dev/null\n");
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    hone_jail_plan plan{};
    plan.runner = script.c_str();
    OwnRunner runner(plan, {});
    const std::string message = "one message";
    std::string reply(100, ' ');
    std::uint64_t got = 0;
    EXPECT_FALSE(runner.tell(message, {}, reply, got, 10));
    EXPECT_EQ(reply.substr(0, got), message);
    const auto ended = runner.tell(message, {}, reply, got, 10);
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->verdict, "RUNTIME_ERROR");
    EXPECT_EQ(ended->reason, "the runner ended with exit code 0");
}

TEST(Jail, ALibraryThatNeedsTooMuchRoomIsNotLoaded) {
    Bench bench;
    const Outcome outcome =
        bench.judge(kernel("char room[1ul << 45];\nextern \"C\" char* at(long i) { return room + i; }", ""));
    EXPECT_EQ(outcome.verdict, "LAUNCH_ERROR");
    EXPECT_EQ(outcome.reason, not_loaded);
}

}  // namespace
}  // namespace hone
