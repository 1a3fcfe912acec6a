// The confined runner behind verifier.cpp, as a bench uses it: an honest kernel works, and whatever else a candidate tries gets its
// verdict.
#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <thread>
#include "base/paths.hpp"
#include "base/process.hpp"
#include "error_text.hpp"
#include "jail/landlock.hpp"
#include "judge/arena.hpp"
#include "judge/defences.hpp"
#include "judge/jail.hpp"
#include "judge/own_runner.hpp"
#include "judge/sandbox.hpp"
#include "judge/services.hpp"
#include "judge/shared_memory.hpp"

namespace hone {
namespace {

constexpr long n = 4096;
const Json task = {{"inputs", {{{"name", "a"}, {"dtype", "f32"}}}}, {"outputs", {{{"name", "o"}, {"dtype", "f32"}}}}, {"sizes", {"N"}}};

struct Outcome {
    std::string verdict = "PASSED", kind, reason, log;
    std::vector<float> out;
    double seconds = 0;  // the last wait
    Json facts;
};

// A bench in small: one verifier, one input (0, 1, 2, ...), one output.
class Bench {
public:
    explicit Bench(const std::string& without = "", const Json& options = Json::object()) : services_(parse_defences(without, "test"), 10) {
        set_bench_services(services_.offer());
        verifier_ = std::make_unique<Handle>(make_recipe("verifier", "cpp", options, "test"));
        functions_ = static_cast<const hone_verifier*>(verifier_->part().functions);
        verifier_->check(functions_->reserve(verifier_->self(), n * sizeof(float), 0, &in_), "reserve");
        verifier_->check(functions_->reserve(verifier_->self(), n * sizeof(float), 1, &out_), "reserve");
        for (long i = 0; i < n; ++i) input()[i] = static_cast<float>(i);
    }
    float* input() { return reinterpret_cast<float*>(in_); }
    float* output() { return reinterpret_cast<float*>(out_); }

    // Builds the code and calls it `calls` times, held between the calls.
    Outcome judge(const std::string& code, int calls = 1, double limit = 3) {
        Outcome outcome;
        void* subject = open(code, &outcome.facts);
        if (!subject) return explain(outcome, outcome.facts);
        for (int call = 0; call < calls && outcome.verdict == "PASSED"; ++call) run(subject, limit, outcome);
        outcome.out.assign(output(), output() + n);
        close(subject);
        return outcome;
    }
    void* open(const std::string& code, Json* facts = nullptr) {
        Collect told;
        const Json candidate = {{"code", code}};
        void* subject = nullptr;
        verifier_->check(functions_->open(verifier_->self(), as_doc(task), as_doc(candidate), &subject, told.out()), "open");
        if (facts) *facts = told.json();
        return subject;
    }
    void launch(void* subject) {
        const std::int64_t shape[] = {n}, sizes[] = {n};
        const hone_tensor in{in_, HONE_F32, 1, shape}, out{out_, HONE_F32, 1, shape};
        const hone_call call{sizeof call, &in, &out, 1, 1, 0, 0, sizes, 1};
        verifier_->check(functions_->launch(subject, &call), "launch");
    }
    void hold(void* subject, bool held) { verifier_->check(functions_->hold(subject, held), "hold"); }
    void close(void* subject) { functions_->close(subject); }
    HostServices& services() { return services_; }
    bool checks_clock = true;  // off for candidates that write their own clock's reading

private:
    static Outcome& explain(Outcome& outcome, const Json& end) {
        outcome.verdict = end.at("verdict");
        outcome.reason = end.at("reason");
        outcome.kind = end.value("kind", "");
        outcome.log = end.value("log", "");
        return outcome;
    }
    void run(void* subject, double limit, Outcome& outcome) {
        hold(subject, false);
        const double begun = monotonic_seconds();
        launch(subject);
        Collect end;
        double inside = NAN;
        const hone_rc rc = functions_->wait(subject, limit, &inside, end.out());
        outcome.seconds = monotonic_seconds() - begun;
        if (rc == HONE_FAILED) explain(outcome, end.json());
        else if (checks_clock) EXPECT_LE(inside, outcome.seconds);
        hold(subject, true);
    }

    HostServices services_;
    std::unique_ptr<Handle> verifier_;
    const hone_verifier* functions_ = nullptr;
    std::uint64_t in_ = 0, out_ = 0;
};

std::string kernel(const std::string& before, const std::string& first) {
    return before + "\nextern \"C\" void k(const float* a, float* o, long N) {\n" + first +
           "\nfor (long i = 0; i < N; i++) o[i] = a[i] * 2;\n}\n";
}

void expect_doubled(const Outcome& outcome) {
    ASSERT_EQ(outcome.verdict, "PASSED") << outcome.reason << "\n" << outcome.log;
    for (long i = 0; i < n; ++i) ASSERT_EQ(outcome.out[static_cast<std::size_t>(i)], 2.0f * static_cast<float>(i));
}

TEST(Jail, AnHonestKernelIsBuiltAndCalled) {
    Bench bench;
    const Outcome outcome = bench.judge(kernel("", ""), 20);
    expect_doubled(outcome);
    EXPECT_EQ(outcome.facts.at("artifact").get<std::string>().size(), 64u);
    EXPECT_NE(outcome.facts.at("flags").get<std::string>().find("-march=native -fno-math-errno -fno-trapping-math -fopenmp"),
              std::string::npos);
    EXPECT_NE(outcome.facts.at("compiler").get<std::string>().find("g++"), std::string::npos);
    EXPECT_GT(outcome.facts.at("build_seconds").get<double>(), 0.0);
}

TEST(Jail, HonestKernelsMayUseVectorsThreadsHeadersAndTheHeap) {
    Bench bench;
    expect_doubled(bench.judge("extern \"C\" void k(const float* a, float* o, long N) {\n"
                               "for (long i = 0; i < N; i += 16) *(V*)(o + i) = *(const V*)(a + i) * 2; }"));
    expect_doubled(bench.judge("#include <immintrin.h>\n#include <vector>\n#include <cmath>\n" +
                               kernel("", "std::vector<float> v(1 << 20, std::sqrt(a[4])); o[0] = v[7];")));
    expect_doubled(bench.judge(
        kernel("", "for (int t = 1; t < 9; t++) {\n#pragma omp parallel for num_threads(t)\nfor (long i = 0; i < N; i++) o[i] = a[i];\n}"),
        3));
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
    const Outcome outcome =
        bench.judge("extern \"C\" void k(const float* a, float* o, long N) { for (long i = 0; i < N; i++) o[i] = expf_fast(a[i]); }");
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
    {"exit", "extern \"C\" void _exit(int);", "_exit(0);", "RUNTIME_ERROR", "", "ended its process instead of returning"},
    {"hang", "", "for (;;) asm volatile(\"\");", "TIMEOUT", "", "no answer within 0.500 s"},
    {"fork", "extern \"C\" int fork();", "fork();", "REWARD_HACK", "processes", "processes: tried the system call clone"},
    {"exec", "extern \"C\" int execl(const char*, ...);", "execl(\"/bin/true\", \"true\", nullptr);", "REWARD_HACK", "processes",
     "processes: tried the system call execve"},
    {"constructor", "extern \"C\" int fork();\n__attribute__((constructor)) void early() { fork(); }", "", "REWARD_HACK", "processes",
     "processes: tried the system call clone"},
    {"thread", "extern \"C\" int pthread_create(long*, void*, void* (*)(void*), void*);\nvoid* run(void*) { for (;;); }",
     "long t; pthread_create(&t, 0, run, 0);", "REWARD_HACK", "threads", "threads: tried the system call clone"},
    {"socket", "extern \"C\" int socket(int, int, int);", "socket(2, 1, 0);", "REWARD_HACK", "network",
     "network: tried the system call socket"},
    {"read_file", "extern \"C\" int open(const char*, int, ...);", "open(\"/etc/passwd\", 0);", "REWARD_HACK", "files",
     "files: tried the system call openat"},
    {"kill_parent", "extern \"C\" int kill(int, int), getppid();", "kill(getppid(), 9);", "REWARD_HACK", "signals",
     "signals: tried the system call kill"},
    {"ptrace", "extern \"C\" long ptrace(int, ...);\nextern \"C\" int getppid();", "ptrace(16, getppid(), 0, 0);", "REWARD_HACK",
     "memory of others", "memory of others: tried the system call ptrace"},
    {"write_input", "", "((float*)a)[3] = 7;", "RUNTIME_ERROR", "", "ended by SIGSEGV (Segmentation fault)"},
    {"regain_input", "extern \"C\" int mprotect(void*, unsigned long, int);",
     "if (mprotect((void*)a, 4096, 3)) __builtin_trap();\n((float*)a)[3] = 7;", "RUNTIME_ERROR", "",
     "ended by SIGILL (Illegal instruction)"},
    {"patch_code", "extern \"C\" int mprotect(void*, unsigned long, int);", "mprotect((void*)((unsigned long)k & ~4095ul), 4096, 7);",
     "REWARD_HACK", "code", "code: tried the system call mprotect"},
    {"old_system_calls", "", "long r = 20; asm volatile(\"int $0x80\" : \"+a\"(r) :: \"memory\");", "REWARD_HACK", "system call",
     "system call: one of another architecture"},
    {"x32_system_calls", "", "long r = 0x40000000 | 39; asm volatile(\"syscall\" : \"+a\"(r) :: \"rcx\", \"r11\", \"memory\");", "REWARD_HACK",
     "system call", "system call: one of another architecture"},
    {"stat_file", "extern \"C\" int stat(const char*, void*);", "char s[256]; stat(\"/etc/passwd\", s);", "REWARD_HACK", "files",
     "files: tried the system call newfstatat"},
    {"evict_pages", "extern \"C\" int madvise(void*, unsigned long, int);", "madvise((void*)a, 4096, 21);", "REWARD_HACK", "memory of others",
     "memory of others: tried the system call madvise"},
    {"write_code", "extern \"C\" void* mmap(void*, unsigned long, int, int, int, long);", "mmap(0, 4096, 7, 2, 5, 0);", "REWARD_HACK", "code",
     "code: tried the system call mmap"},
    {"priority", "extern \"C\" int setpriority(int, unsigned, int);", "setpriority(0, 0, -5);", "REWARD_HACK", "scheduling",
     "scheduling: tried the system call setpriority"},
    {"moves_parent", "extern \"C\" long syscall(long, ...);\nextern \"C\" int getppid();",
     "unsigned long mask[16] = {1}; syscall(203, getppid(), sizeof mask, mask);", "REWARD_HACK", "scheduling",
     "scheduling: tried the system call sched_setaffinity"},
    {"scheduling_class", "extern \"C\" long syscall(long, ...);\nextern \"C\" int getppid();",
     "int parameter = 0; syscall(144, getppid(), 5, &parameter);", "REWARD_HACK", "scheduling",
     "scheduling: tried the system call sched_setscheduler"},
    {"disk_priority", "extern \"C\" long syscall(long, ...);\nextern \"C\" int getppid();", "syscall(251, 1, getppid(), 3 << 13);",
     "REWARD_HACK", "scheduling", "scheduling: tried the system call ioprio_set"},
    {"limits_parent", "extern \"C\" long syscall(long, ...);\nextern \"C\" int getppid();",
     "unsigned long limit[2] = {1, 1}; syscall(302, getppid(), 0, limit, 0);", "REWARD_HACK", "system call",
     "system call: tried the system call prlimit64"},
    {"advises_parent", "extern \"C\" long syscall(long, ...);", "syscall(440, 3, 0, 0, 21, 0);", "REWARD_HACK", "memory of others",
     "memory of others: tried the system call process_madvise"},
    {"opens_parent", "extern \"C\" long syscall(long, ...);\nextern \"C\" int getppid();", "syscall(434, getppid(), 0);", "REWARD_HACK",
     "signals", "signals: tried the system call pidfd_open"},
    {"stops_parents_thread", "extern \"C\" long syscall(long, ...);\nextern \"C\" int getppid();",
     "syscall(234, getppid(), getppid(), 19);", "REWARD_HACK", "signals", "signals: tried the system call tgkill"},
    {"io_uring", "extern \"C\" long syscall(long, ...);", "syscall(425, 8, 0);", "REWARD_HACK", "system call",
     "system call: tried the system call io_uring_setup"},
    {"far_write", "", "o[1 << 20] = 1;", "RUNTIME_ERROR", "", "ended by SIGSEGV (Segmentation fault)"},
};

INSTANTIATE_TEST_SUITE_P(Zoo, Hostile, testing::ValuesIn(attacks), [](const auto& attack) { return std::string(attack.param.name); });

// glibc places a new thread by its number, from the thread that starts it: a team that grows again does.
TEST(Jail, ACandidateMayPlaceItsOwnThreads) {
    Bench bench;
    expect_doubled(bench.judge(kernel("extern \"C\" long syscall(long, ...);\nextern \"C\" int gettid();",
                                      "unsigned long mask[16];\nconst int own[] = {0, gettid()};\nfor (int pid : own)\n"
                                      "if (syscall(204, pid, sizeof mask, mask) < 0 || syscall(203, pid, sizeof mask, mask)) __builtin_trap();")));
}

TEST(Jail, HugeOutputTextNeitherBlocksNorArrives) {
    Bench bench;
    expect_doubled(bench.judge(kernel("extern \"C\" int printf(const char*, ...);",
                                      "for (int i = 0; i < 100000; i++) printf(\"%d lots of text lots of text lots of text\\n\", i);")));
}

// It has found the page on which the runner says why a library does not load, and would tell a prompt what it saw.
TEST(Jail, ACandidateCannotWriteItsReason) {
    Bench bench;
    const Outcome outcome = bench.judge(
        "#include <cstdio>\n#include <unistd.h>\nextern \"C\" void k(const float*, float*, long) {}\n"
        "static void forge(const void* const* in, const long* sizes) {\n"
        "    unsigned* done = (unsigned*)((char*)in - " + std::to_string(offsetof(JailControl, in) - offsetof(JailControl, done)) + ");\n"
        "    std::snprintf((char*)in - " + std::to_string(offsetof(JailControl, in) - offsetof(JailControl, trouble)) +
        ", 99, \"well done, N is %ld\", sizes[0]);\n    *done = 0;\n    _exit((int)(sizes[0] / 64));\n}\n#define k(...) forge(in, sizes)\n");
    EXPECT_EQ(outcome.verdict, "RUNTIME_ERROR");
    EXPECT_EQ(outcome.reason, "ended its process instead of returning");
}

// A candidate that knows the page through which bench and jail talk, and scribbles on every word of it from two threads while it is judged.
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
#define k(...) answer(in, out, sizes)
)";
    const auto fill = [&](int seed, int length) {
        std::string text = kernel("static void answer(const void* const*, void* const*, const long*);", "") + scribble;
        for (const auto& [word, value] : std::map<std::string, std::size_t>{{"OFFSET", offsetof(JailControl, in)},
                                                                             {"WORDS", sizeof(JailControl) / 4},
                                                                             {"SEED", static_cast<std::size_t>(seed)},
                                                                             {"LENGTH", static_cast<std::size_t>(length)}})
            for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word)) text.replace(at, word.size(), std::to_string(value));
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
                                      "char s[256]; if (!fstatat(1, \"/etc/passwd\", s, 0x1000) || !fstatat(1, \"\", s, 0x1000)) __builtin_trap();")));
}

TEST(Jail, AMemoryBombIsToldApartFromACrash) {
    Bench bench;
    const Outcome outcome =
        bench.judge(kernel("extern \"C\" void* malloc(unsigned long);",
                           "for (;;) { volatile char* p = (char*)malloc(1 << 20); for (int i = 0; i < 1 << 20; i += 256) p[i] = 1; }"),
                    1, 20);
    EXPECT_EQ(outcome.verdict, "OUT_OF_MEMORY") << outcome.reason;
}

TEST(Jail, NothingOfAHeldCandidateRuns) {
    Bench bench;
    void* subject = bench.open(
        "extern \"C\" int omp_get_thread_num();\nextern \"C\" void k(const float* a, float* o, long N) {\n#pragma omp parallel "
        "num_threads(2)\n"
        "for (volatile float* mine = o + 64 * omp_get_thread_num();;) *mine = *mine + 1;\n}");
    bench.launch(subject);
    const auto wait_for_change = [&](int thread) {
        const volatile float& counter = bench.output()[64 * thread];
        const double deadline = monotonic_seconds() + 10;
        for (const float seen = counter; counter == seen && monotonic_seconds() < deadline;) {}
        return monotonic_seconds() < deadline;
    };
    EXPECT_TRUE(wait_for_change(0) && wait_for_change(1));
    bench.hold(subject, true);
    const std::vector<float> before(bench.output(), bench.output() + n);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(before, std::vector<float>(bench.output(), bench.output() + n));
    bench.hold(subject, false);
    EXPECT_TRUE(wait_for_change(0) && wait_for_change(1));
    bench.close(subject);
}

TEST(Jail, ADefenceThatIsOffLetsItsAttackThrough) {
    Bench open_inputs("input-seal");
    const Outcome changed = open_inputs.judge(kernel("", "((float*)a)[3] = 7;"));
    EXPECT_EQ(changed.verdict, "PASSED") << changed.reason;
    EXPECT_EQ(open_inputs.input()[3], 7.0f);
    Bench open_calls("seccomp,landlock");
    const Outcome read =
        open_calls.judge(kernel("extern \"C\" int open(const char*, int, ...);\nextern \"C\" long read(int, void*, unsigned long);",
                                "char c[4] = {}; if (read(open(\"/etc/passwd\", 0), c, 4) != 4) __builtin_trap();"));
    expect_doubled(read);
    Bench unwatched("watch");
    EXPECT_EQ(unwatched.judge(kernel("extern \"C\" void _exit(int);", "_exit(0);")).verdict, "PASSED");
}

TEST(OwnRunner, AnswersMessagesAndItsDeathIsTold) {
    const std::string script = testing::TempDir() + "hone_runner.sh";
    write_file(script, "#!/bin/sh\nexec dd bs=4096 count=1 <&3 >&3 2>/dev/null\n");
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    OwnRunner runner(script, {});
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

TEST(Build, ErrorsAreToldInTheCandidatesOwnLinesOnly) {
    Bench bench;
    EXPECT_EQ(bench.judge("extern \"C\" void k(const float* a, float* o, long N) {\n  o[0] = b;\n}").reason,
              "candidate.cpp:2:10: error: 'b' was not declared in this scope");
    const std::string cure = "; the prototype is extern \"C\" void k(const float* a, float* o, long N)";
    EXPECT_EQ(bench.judge("void other() {}").reason, "candidate.cpp: undefined reference to `k'" + cure);
    EXPECT_TRUE(bench.judge("extern \"C\" void k(const float* a, float* o) {}").reason.ends_with(cure));
    EXPECT_EQ(bench.judge(kernel("void zork();", "zork();")).reason, "candidate.cpp: undefined reference to `zork()'");
    EXPECT_EQ(bench.judge(kernel("", "\n#pragma omp simj\n;")).reason,
              "candidate.cpp:4: error: ignoring '#pragma omp simj' [-Werror=unknown-pragmas]");
    EXPECT_EQ(bench.judge("extern \"C\" void k(const float* a, float* o, long N) {").verdict, "COMPILE_ERROR");
}

TEST(Build, AMissingCompilerIsNamedThroughThePartThatWantedIt) {
    Bench bench("", {{"compiler", "no-such-g++"}});
    try {
        bench.open(kernel("", ""));
        FAIL() << "no exception";
    } catch (const std::exception& e) {
        EXPECT_STREQ(e.what(), "verifier \"cpp\": open: the compiler could not be run: build: no program \"no-such-g++\" on PATH; install it or "
                               "choose another: --set verifier.compiler=NAME");
    }
}

// Each source asks the compiler, the assembler or the preprocessor for a file of this machine.
const char* const leaks[] = {
    "#include \"/etc/passwd\"\n",
    "#include \"../../../../../../etc/passwd\"\n",
    "#include </etc/passwd>\n",
    "#import \"/etc/passwd\"\n",
    "#define FILE /etc/passwd\n#define TEXT(x) WORDS(x)\n#define WORDS(x) #x\n#include TEXT(FILE)\n",
    "#include \"/proc/self/environ\"\n",
    "#include \"/dev/zero\"\n",
    "#if __has_include(\"/etc/passwd\")\n#endif\n",
    "#pragma GCC dependency \"/etc/passwd\"\n",
    "_Pragma(\"GCC dependency \\\"/etc/passwd\\\"\")\n",
    "#line 1 \"/etc/passwd\"\nint first = nothing;\n",
    "asm(\".incbin \\\"/etc/passwd\\\"\");\n",
    "asm(\".include \\\"/etc/passwd\\\"\");\n",
    "asm(\"# 1 \\\"candidate.cpp\\\"\\n.include \\\"/etc/passwd\\\"\");\n",
};

TEST(Build, LeaksNoFile) {
    Bench bench;
    for (const char* source : leaks) {
        const Outcome outcome = bench.judge(kernel(source, ""));
        EXPECT_EQ(outcome.verdict, "COMPILE_ERROR") << source;
        EXPECT_EQ(outcome.log.find("root"), std::string::npos) << outcome.log;
        EXPECT_EQ(outcome.log.find("PATH="), std::string::npos) << outcome.log;
    }
    Bench open_files("landlock");
    EXPECT_EQ(open_files.judge(kernel("asm(\".section .rodata\\n.incbin \\\"/etc/passwd\\\"\\n.text\");", "")).verdict, "PASSED");
    EXPECT_EQ(open_files.judge(kernel("#if !__has_include(\"/etc/passwd\")\n#error no\n#endif", "")).verdict, "PASSED");
}

// Where a file can be opened after all, what the compiler prints of it is not the candidate's own, whatever the candidate calls the place.
TEST(Build, TheWordsOfOtherFilesAreNotTold) {
    Bench bench("landlock");
    for (const char* source : leaks) {
        if (std::string(source).find("/dev/zero") != std::string::npos) continue;  // without an end
        const Outcome outcome = bench.judge(kernel(source, ""));
        EXPECT_EQ(outcome.log.find("root"), std::string::npos) << source << outcome.log;
        EXPECT_EQ((outcome.reason + outcome.log).find("/bin/"), std::string::npos) << source << outcome.log;
    }
    EXPECT_EQ(bench.judge(kernel("#error \x1b[2J\x07\x7f.", "")).reason, "candidate.cpp:1:2: error: #error  [2J  .");
}

TEST(Build, ACompilerInTheHomeFolderExposesNothingElseOfIt) {
    const std::filesystem::path home = std::filesystem::path(testing::TempDir()) / ("hone-home-" + std::to_string(getpid()));
    const std::string before = std::getenv("HOME") ? std::getenv("HOME") : "";
    const std::string reader = "#!/bin/sh\ncat " + home.string() + "/notes.txt " + home.string() + "/tools/gcc-99/share/what.txt\n";
    for (const char* folder : {"bin", ".local/bin", ".local/lib/gcc", "tools/gcc-99/bin", "tools/gcc-99/lib/gcc", "tools/gcc-99/share"})
        std::filesystem::create_directories(home / folder);
    write_file(home / "notes.txt", "a secret\n");
    write_file(home / "tools/gcc-99/share/what.txt", "a toolchain\n");
    setenv("HOME", home.c_str(), 1);
    const std::pair<const char*, bool> compilers[] = {
        {"g++", false}, {"bin/g++", false}, {".local/bin/g++", false}, {"tools/gcc-99/bin/g++", true}};
    for (const auto& [place, shown] : compilers) {
        write_file(home / place, reader);
        std::filesystem::permissions(home / place, std::filesystem::perms::owner_all);
        HostServices services({}, 10);
        const Built built = services.builder().build({{(home / place).string()}, {}, ""});
        EXPECT_EQ(built.log.find("a secret"), std::string::npos) << place;
        EXPECT_NE(built.log.find("notes.txt: Permission denied"), std::string::npos) << place << built.log;
        EXPECT_EQ(built.log.find("a toolchain") != std::string::npos, shown) << place << built.log;
    }
    setenv("HOME", before.c_str(), 1);
    std::filesystem::remove_all(home);
}

TEST(Build, HasLimits) {
    HostServices services({}, 10);
    const auto build = [&](const std::string& code) {
        return services.builder().build({{"g++", "-shared", "-fPIC", "@/a.cpp", "-o", "@/a.so"}, {{"a.cpp", code}}, "a.so"});
    };
    const Built large = build("asm(\".data\\n.zero 500000000\");");
    EXPECT_EQ(large.verdict, "COMPILE_ERROR");
    EXPECT_EQ(large.reason, "the compiler wrote more than 128 MiB") << large.log;
    std::string noise;
    for (int i = 0; i < 300; ++i) noise += "#warning " + std::string(500, 'x') + "\n";
    const Built noisy = build(noise);
    EXPECT_EQ(noisy.verdict, "");
    EXPECT_LE(noisy.log.size(), 64u << 10);
    EXPECT_EQ(error_text([&] { services.builder().build({{"no-such-compiler"}, {}, ""}); }),
              "build: no program \"no-such-compiler\" on PATH; install it or choose another: --set verifier.compiler=NAME");
}

struct Bomb {
    const char *name, *code;
};
class CompileBomb : public testing::TestWithParam<Bomb> {};

TEST_P(CompileBomb, EndsInTimeAndHarmsNoOther) {
    HostServices services({}, 1);
    const auto build = [&](const std::string& code) {
        return services.builder().build({{"g++", "-O1", "-shared", "-fPIC", "@/a.cpp", "-o", "@/a.so"}, {{"a.cpp", code}}, "a.so"});
    };
    const double begun = monotonic_seconds();
    const Built built = build(GetParam().code);
    EXPECT_LT(monotonic_seconds() - begun, 3);
    EXPECT_NE(built.verdict, "") << built.product.size();
    EXPECT_TRUE(built.product.empty());
    EXPECT_LE(built.log.size(), 64u << 10);
    EXPECT_EQ(build("int f() { return 1; }").verdict, "");
}

const Bomb bombs[] = {
    {"instances", "template<int A, long B> struct F { static constexpr long v = F<A - 1, 2 * B>::v + F<A - 1, 2 * B + 1>::v; };\n"
                  "template<long B> struct F<0, B> { static constexpr long v = B; };\nlong x = F<30, 1>::v;"},
    {"depth", "template<int N> struct F { typedef typename F<N + 1>::t t; };\nF<0>::t x;"},
    {"constants", "constexpr long f(long n) { long s = 0; for (long i = 0; i < 1000; i++) s += n ? f(n - 1) : i; return s; }\nconstexpr long x = f(9);"},
    {"initialiser", "char big[1l << 32] = {1};"},
    {"alignment", "alignas(1 << 28) char big[4] = {1};"},
    {"macros", "#define A 1,1,1,1\n#define B A,A,A,A,A,A,A,A\n#define C B,B,B,B,B,B,B,B\n#define D C,C,C,C,C,C,C,C\n#define E D,D,D,D,D,D,D,D\n"
               "#define F E,E,E,E,E,E,E,E\n#define G F,F,F,F,F,F,F,F\n#define H G,G,G,G,G,G,G,G\nint x[] = {H,H,H,H,H,H,H,H};"},
    {"itself", "#include __FILE__\n#include __FILE__\n"},
    {"assembler", "asm(\".rept 1000000000\\n nop\\n .endr\");"},
    {"talk", "#define T _Pragma(\"GCC warning \\\"lots of text lots of text\\\"\") _Pragma(\"GCC warning \\\"lots of text lots of text\\\"\")\n"
             "#define U T T T T T T T T T T T T T T T T\n#define W U U U U U U U U U U U U U U U U\n#define X W W W W W W W W W W W W W W W W\n"
             "X X X X X X X X X X X X X X X X\n#error end"},
    {"inlining", "#define F(n, m) __attribute__((always_inline)) inline int f##n(int x) { return f##m(x) * f##m(x + 1); }\nint f0(int);\n"
                 "F(1,0)F(2,1)F(3,2)F(4,3)F(5,4)F(6,5)F(7,6)F(8,7)F(9,8)F(10,9)F(11,10)F(12,11)F(13,12)F(14,13)F(15,14)F(16,15)F(17,16)F(18,17)"
                 "F(19,18)F(20,19)F(21,20)\nint all(int x) { return f21(x); }"},
};

INSTANTIATE_TEST_SUITE_P(Zoo, CompileBomb, testing::ValuesIn(bombs), [](const auto& bomb) { return std::string(bomb.param.name); });

TEST(Build, WhatItsLimitsHoldBackIsBuiltWithoutThem) {
    HostServices open_limits({"rlimits"}, 10);
    const Built built = open_limits.builder().build({{"g++", "-shared", "-fPIC", "@/a.cpp", "-o", "@/a.so"}, {{"a.cpp", "asm(\".data\\n.zero 140000000\");"}}, "a.so"});
    EXPECT_GT(built.product.size(), 128u << 20) << built.reason << built.log;
}

TEST(Jail, ALibraryThatNeedsTooMuchRoomIsNotLoaded) {
    Bench bench;
    const Outcome outcome = bench.judge(kernel("char room[1ul << 45];\nextern \"C\" char* at(long i) { return room + i; }", ""));
    EXPECT_EQ(outcome.verdict, "LAUNCH_ERROR") << outcome.reason;
}

TEST(Build, ACompilerDumpsNoCoreAndGoesFirstWhenMemoryEnds) {
    HostServices services({"landlock"}, 10);
    const Built built = services.builder().build({{"cat", "/proc/self/limits", "/proc/self/oom_score_adj"}, {}, ""});
    EXPECT_NE(built.log.find("Max core file size        1                    1  "), std::string::npos) << built.log;
    EXPECT_TRUE(built.log.ends_with("\n1000\n")) << built.log;
}

TEST(Sandbox, LevelsFollowFromTheMechanisms) {
    EXPECT_EQ((Sandbox{true, 7, true, true}).text(), "L3 (namespaces, Landlock 7, seccomp, limits)");
    EXPECT_EQ((Sandbox{false, 3, true, true}).text(), "L2 (Landlock 3, seccomp, limits)");
    EXPECT_EQ((Sandbox{true, 0, true, true}).text(), "L1 (namespaces, seccomp, limits)");
    EXPECT_EQ((Sandbox{true, 7, false, true}).level(), 0);
    EXPECT_EQ((Sandbox{}).text(), "L0 (nothing)");
    EXPECT_EQ((Sandbox{true, 7, true, true, false}).text(), "L0 (namespaces, Landlock 7, seccomp, limits, powers that cannot be given up)");
}

// The error that `body` throws in a process of its own, once `fault` has worn out a mechanism that was found to work.
template <class Fault, class Body> std::string error_after(Fault&& fault, Body&& body) {
    (void)sandbox();
    auto [from, to] = make_pipe();
    const pid_t child = fork();
    if (child == 0) {
        fault();
        const std::string text = error_text(body);
        _exit(write(to.get(), text.data(), text.size()) < 0);
    }
    to.close();
    std::string text(1000, '\0');
    const ssize_t got = read(from.get(), text.data(), text.size());
    waitpid(child, nullptr, 0);
    return text.substr(0, static_cast<std::size_t>(std::max(got, ssize_t{0})));
}

void wear_out_landlock() {  // the kernel stacks 16 rulesets
    const landlock::Attributes device_files{1 << 6, 0, 0};
    for (int i = 0; i < 16; ++i) landlock::enter(static_cast<int>(syscall(SYS_landlock_create_ruleset, &device_files, 8, 0)));
}

void wear_out_seccomp() {  // the kernel bounds the instructions of all filters of a process
    for (const std::size_t length : {4096, 256, 16, 1}) {
        Filter filter(length, BPF_STMT(BPF_LD | BPF_IMM, 0));
        filter.back() = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
        while (install_filter(filter)) {}
    }
}

TEST(Sandbox, WhatCannotBeConfinedAsProbedIsNotStarted) {
    const auto build = [] { HostServices({}, 10).builder().build({{"/usr/bin/env"}, {}, ""}); };
    const auto own_runner = [] { OwnRunner("/bin/true", {}); };
    if (sandbox().landlock)
        EXPECT_EQ(error_after(wear_out_landlock, build),
                  "/usr/bin/env: is not started, its confinement failed: Argument list too long");
    if (!sandbox().seccomp) GTEST_SKIP() << "no seccomp on this machine";
    EXPECT_EQ(error_after(wear_out_seccomp, build), "/usr/bin/env: is not started, its confinement failed: Cannot allocate memory");
    EXPECT_EQ(error_after(wear_out_seccomp, own_runner), "/bin/true: is not started, its confinement failed: Cannot allocate memory");
    EXPECT_EQ(error_after([] {}, build), "(no error)");
}

TEST(Sandbox, EnteredNamespacesHaveNoNetwork) {
    const pid_t child = fork();
    if (child == 0) _exit(!enter_namespaces() ? 2 : probe_sandbox().namespaces ? 0 : 1);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "this machine allows no namespaces";
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Sandbox, SharedInputsCannotBeMappedForWritingAgain) {
    const hone_region input = share_memory(8192, false, true);
    EXPECT_EQ(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, input.file, 0), MAP_FAILED);
    void* read_only = mmap(nullptr, 8192, PROT_READ, MAP_SHARED, input.file, 0);
    ASSERT_NE(read_only, MAP_FAILED);
    EXPECT_NE(mprotect(read_only, 8192, PROT_READ | PROT_WRITE), 0);
    EXPECT_NE(ftruncate(input.file, 0), 0);
    static_cast<char*>(input.at)[5] = 7;  // the bench's own mapping stays writable
    EXPECT_EQ(static_cast<char*>(read_only)[5], 7);
    munmap(read_only, 8192);
    unshare_memory(input);
}

TEST(Arena, ARegionThatCouldNotBeMadeFitsNothing) {
    HostServices services({}, 10);
    set_bench_services(services.offer());
    Verifier verifier(make_recipe("verifier", "cpp", Json::object(), "test"));
    Arena arena(verifier);
    arena.fit(8192, 8192);
    ASSERT_TRUE(arena.fits(4096, 4096));
    EXPECT_ANY_THROW(arena.fit(std::uint64_t{1} << 60, 8192));
    EXPECT_FALSE(arena.fits(4096, 4096));
    arena.fit(4096, 4096);
    EXPECT_TRUE(arena.fits(4096, 4096));
    EXPECT_NE(arena.inputs(), 0u);
}

TEST(Defences, AreNamedWithSuggestions) {
    EXPECT_EQ(parse_defences("poison,seccomp", "judge"), (std::set<std::string>{"poison", "seccomp"}));
    EXPECT_TRUE(parse_defences("", "judge").empty());
    EXPECT_EQ(error_text([] { parse_defences("poisn", "judge"); }), "judge: no defence \"poisn\"; did you mean \"poison\"?");
}

}  // namespace
}  // namespace hone
