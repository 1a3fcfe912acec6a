// Compilers in the build sandbox: what they tell, what they cannot read, where they end.
#include <gtest/gtest.h>
#include "base/paths.hpp"
#include "base/process.hpp"
#include "error_text.hpp"
#include "jail_fixture.hpp"
#include "sandbox/jail.hpp"
#include "sandbox/services.hpp"

namespace hone {
namespace {

using namespace jail_test;

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
        EXPECT_STREQ(e.what(),
                     "verifier \"cpp\": open: the compiler could not be run: build: no program \"no-such-g++\" on "
                     "PATH; install it or "
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
    EXPECT_EQ(open_files.judge(kernel("asm(\".section .rodata\\n.incbin \\\"/etc/passwd\\\"\\n.text\");", "")).verdict,
              "PASSED");
    EXPECT_EQ(open_files.judge(kernel("#if !__has_include(\"/etc/passwd\")\n#error no\n#endif", "")).verdict, "PASSED");
}

// Where a file can be opened after all, what the compiler prints of it is not the candidate's own, whatever the
// candidate calls the place.
TEST(Build, TheWordsOfOtherFilesAreNotTold) {
    Bench bench("landlock");
    for (const char* source : leaks) {
        if (std::string(source).find("/dev/zero") != std::string::npos) continue;  // without an end
        const Outcome outcome = bench.judge(kernel(source, ""));
        EXPECT_EQ(outcome.log.find("root"), std::string::npos) << source << outcome.log;
        EXPECT_EQ((outcome.reason + outcome.log).find("/bin/"), std::string::npos) << source << outcome.log;
    }
}

TEST(Build, ACompilerInTheHomeFolderExposesNothingElseOfIt) {
    const std::filesystem::path home =
        std::filesystem::path(testing::TempDir()) / ("hone-home-" + std::to_string(getpid()));
    const std::string before = std::getenv("HOME") ? std::getenv("HOME") : "";
    const std::string reader =
        "#!/bin/sh\ncat " + home.string() + "/notes.txt " + home.string() + "/tools/gcc-99/share/what.txt\n";
    for (const char* folder :
         {"bin", ".local/bin", ".local/lib/gcc", "tools/gcc-99/bin", "tools/gcc-99/lib/gcc", "tools/gcc-99/share"})
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
        return services.builder().build(
            {{"g++", "-shared", "-fPIC", "@/a.cpp", "-o", "@/a.so"}, {{"a.cpp", code}}, "a.so"});
    };
    const Built large = build("asm(\".data\\n.zero 500000000\");");
    EXPECT_EQ(large.verdict, "COMPILE_ERROR");
    EXPECT_EQ(large.reason, "the compiler wrote more than 128 MiB") << large.log;
    // a program's words where the compiler's stand, and an honest one's names
    for (const char* words :
         {"#line 1 \"cc1plus: x\"\n#error out of memory\n", "#line 1 \"ld: x\"\n#error File too large\n",
          "#line 1 \"g++\"\n#error fatal error: CPU time limit exceeded signal terminated program cc1plus\n",
          "#line 1 \"g++: fatal error: CPU time limit exceeded signal terminated program x\"\nvoid f() { y; }\n",
          "#line 1 \"cc1plus: out of memory allocating 9 bytes\"\nvoid bad_alloc() { y; }\n",
          // whole lines of a compiler's, by newlines in texts, and by the assembler
          "asm(\".print \\\"g++: fatal error: Killed signal terminated program cc1plus\\\"\\n.error\");\n",
          "static_assert(false, \"a\\ng++: fatal error: Killed signal terminated program cc1plus\\nb\");\n",
          "#error ld: final link failed: memory exhausted\n",
          "#include <new>\nvoid note(const std::bad_alloc&);\nvoid f() { note({}); }\nvoid g() { note({}); }\n"}) {
        const Built forged = services.builder().build(
            {{"g++", "-shared", "-fPIC", "-Wl,-z,defs", "@/a.cpp", "-o", "@/a.so"}, {{"a.cpp", words}}, "a.so"});
        EXPECT_EQ(forged.verdict, "COMPILE_ERROR") << words;
        EXPECT_EQ(forged.reason, "the compiler refused it") << words << forged.log;
    }
    std::string noise;
    for (int i = 0; i < 300; ++i) noise += "#warning " + std::string(500, 'x') + "\n";
    const Built noisy = build(noise);
    EXPECT_EQ(noisy.verdict, "");
    EXPECT_LE(noisy.log.size(), 64u << 10);
    EXPECT_EQ(
        error_text([&] {
            services.builder().build({{"no-such-compiler"}, {}, ""});
        }),
        "build: no program \"no-such-compiler\" on PATH; install it or choose another: --set verifier.compiler=NAME");
}

struct Bomb {
    const char *name, *code, *verdict = nullptr;  // null: by the compiler's version and the machine's speed
};
class CompileBomb : public testing::TestWithParam<Bomb> {};

TEST_P(CompileBomb, EndsInTimeAndHarmsNoOther) {
    HostServices services({}, 1);
    const auto build = [&](const std::string& code) {
        return services.builder().build(
            {{"g++", "-O1", "-shared", "-fPIC", "@/a.cpp", "-o", "@/a.so"}, {{"a.cpp", code}}, "a.so"});
    };
    const double begun = monotonic_seconds();
    const Built built = build(GetParam().code);
    EXPECT_LT(monotonic_seconds() - begun, 3);
    EXPECT_NE(built.verdict, "") << built.product.size();
    if (GetParam().verdict) EXPECT_EQ(built.verdict, GetParam().verdict) << built.reason << "\n" << built.log;
    EXPECT_TRUE(built.product.empty());
    EXPECT_LE(built.log.size(), 64u << 10);
    EXPECT_EQ(build("int f() { return 1; }").verdict, "");
}

const Bomb bombs[] = {
    {"instances",
     "template<int A, long B> struct F { static constexpr long v = F<A - 1, 2 * B>::v + F<A - 1, 2 * B + 1>::v; };\n"
     "template<long B> struct F<0, B> { static constexpr long v = B; };\nlong x = F<30, 1>::v;",
     "TIMEOUT"},
    {"depth", "template<int N> struct F { typedef typename F<N + 1>::t t; };\nF<0>::t x;"},
    {"constants",
     "constexpr long f(long n) { long s = 0; for (long i = 0; i < 1000; i++) s += n ? f(n - 1) : i; return s; "
     "}\nconstexpr long x = f(9);"},
    {"initialiser", "char big[1l << 32] = {1};", "COMPILE_ERROR"},
    {"alignment", "alignas(1 << 28) char big[4] = {1};"},
    {"macros",
     "#define A 1,1,1,1\n#define B A,A,A,A,A,A,A,A\n#define C B,B,B,B,B,B,B,B\n#define D C,C,C,C,C,C,C,C\n#define E "
     "D,D,D,D,D,D,D,D\n"
     "#define F E,E,E,E,E,E,E,E\n#define G F,F,F,F,F,F,F,F\n#define H G,G,G,G,G,G,G,G\nint x[] = {H,H,H,H,H,H,H,H};"},
    {"itself", "#include __FILE__\n#include __FILE__\n"},
    {"assembler", "asm(\".rept 1000000000\\n nop\\n .endr\");", "COMPILE_ERROR"},
    {"talk",
     "#define T _Pragma(\"GCC warning \\\"lots of text lots of text\\\"\") _Pragma(\"GCC warning \\\"lots of text lots "
     "of text\\\"\")\n"
     "#define U T T T T T T T T T T T T T T T T\n#define W U U U U U U U U U U U U U U U U\n#define X W W W W W W W W "
     "W W W W W W W W\n"
     "X X X X X X X X X X X X X X X X\n#error end"},
    {"inlining",
     "#define F(n, m) __attribute__((always_inline)) inline int f##n(int x) { return f##m(x) * f##m(x + 1); }\nint "
     "f0(int);\n"
     "F(1,0)F(2,1)F(3,2)F(4,3)F(5,4)F(6,5)F(7,6)F(8,7)F(9,8)F(10,9)F(11,10)F(12,11)F(13,12)F(14,13)F(15,14)F(16,15)F("
     "17,16)F(18,17)"
     "F(19,18)F(20,19)F(21,20)\nint all(int x) { return f21(x); }"},
};

INSTANTIATE_TEST_SUITE_P(Zoo, CompileBomb, testing::ValuesIn(bombs),
                         [](const auto& bomb) { return std::string(bomb.param.name); });

TEST(Build, WhatItsLimitsHoldBackIsBuiltWithoutThem) {
    HostServices open_limits({"rlimits"}, 10);
    const Built built = open_limits.builder().build({{"g++", "-shared", "-fPIC", "@/a.cpp", "-o", "@/a.so"},
                                                     {{"a.cpp", "asm(\".data\\n.zero 140000000\");"}},
                                                     "a.so"});
    EXPECT_GT(built.product.size(), 128u << 20) << built.reason << built.log;
}

TEST(Build, ACompilerDumpsNoCoreAndGoesFirstWhenMemoryEnds) {
    HostServices services({"landlock"}, 10);
    const Built built = services.builder().build({{"cat", "/proc/self/limits", "/proc/self/oom_score_adj"}, {}, ""});
    EXPECT_NE(built.log.find("Max core file size        1                    1  "), std::string::npos) << built.log;
    EXPECT_TRUE(built.log.ends_with("\n1000\n")) << built.log;
}

}  // namespace
}  // namespace hone
