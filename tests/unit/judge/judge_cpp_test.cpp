// Kernels in C++ through the whole judge, each against a small task of its own: what the fake device cannot show.
#include <gtest/gtest.h>
#include <unistd.h>
#include <filesystem>
#include "base/available_memory.hpp"
#include "base/error.hpp"
#include "base/load.hpp"
#include "base/paths.hpp"
#include "judge/call/arena.hpp"
#include "judge/call/settings.hpp"
#include "judge/service/judge.hpp"
#include "lua/task_file.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

struct CppJudge {
    Judge judge;
    explicit CppJudge(const Json& options, const std::string& reference = "lua", const Json& verifier = Json::object())
        : judge({make_recipe("verifier", "cpp", verifier, "test"), make_recipe("timer", "wall", Json::object(), "test"),
                 make_recipe("reference", reference, Json::object(), "test"),
                 check_options(judge_options(), options, "test")}) {}

    // Again while other work of this machine leaves nothing to read.
    Json ask(const Task& task, const std::string& code) {
        for (int tries = 0;; ++tries) {
            judge.submit(1, task, make_candidate(task.name(), "cpp", code));
            const auto result = judge.collect(60);
            if (!result) return {{"verdict", "none within 60 s"}};
            const Json doc = to_json(result->second);
            if (tries == 8 || doc.at("reason").get<std::string>().find("too busy") == std::string::npos) return doc;
        }
    }
};

// o = 2 a
Task doubling(const std::string& dtype, const std::string& reference = "array.map(function(x) return 2 * x end, a)",
              long n = 4096) {
    const std::string file = testing::TempDir() + "hone_doubling_" + dtype + "_" + std::to_string(getpid()) + ".lua";
    const std::string tensor = "shape = { \"N\" }, dtype = \"" + dtype + "\" } }";
    std::string hidden;  // enough that verification takes some calls
    for (int i = 1; i <= 8; ++i) hidden += (hidden.empty() ? "{ { N = " : ", { N = ") + std::to_string(48 * i) + " }";
    hidden += " }";
    write_file(
        file,
        "return { name = \"doubling\", statement = \"o = 2 a\", spec = \"doubling\",\n  inputs = { { name = \"a\", " +
            tensor + ",\n  outputs = { { name = \"o\", " + tensor + ",\n  shapes = { { N = " + std::to_string(n) +
            " } }, hidden = " + hidden + "," + " tolerance = \"" + dtype + "\",\n  reference = function(a) return " +
            reference + " end }\n");
    return load_task(file);
}

TEST(JudgeCpp, AnOffsetInEveryReadingIsTheTimers) {
    const std::string file = HONE_TEST_FIXTURE_DIR "/faulty/timer.odd.so";
    const Library library = Library::open({"timer", "odd", file, {}});
    Judge judge({make_recipe("verifier", "cpp", Json::object(), "test"),
                 {"timer", "odd", file, library.file_hash(),
                  check_options(library.options(), Json{{"fault", "offset"}}, "test")},
                 make_recipe("reference", "lua", Json::object(), "test"),
                 check_options(judge_options(), Json::object(), "test")});
    judge.submit(1, doubling("f32", "array.map(function(x) return 2 * x end, a)", 64),
                 make_candidate("doubling", "cpp",
                                "extern \"C\" void k(const float* a, float* o, long N) {\n"
                                "    for (long i = 0; i < N; i++) o[i] = 2 * a[i];\n}\n"));
    try {
        const auto result = judge.collect(60);
        ADD_FAILURE() << (result ? to_json(result->second).dump() : "none within 60 s");
    } catch (const Error& e) {
        const std::string said = e.what();
        EXPECT_EQ(said.find("timer \"odd\": reads "), 0u) << said;
        EXPECT_NE(said.find(" is in each of its readings; take it out of them, or tell"), said.npos) << said;
    }
}

void expect_failure(const Json& doc, const std::string& property) {
    const Json failure = doc.value("failure", Json::object());
    EXPECT_EQ(failure.value("property", ""), property) << doc.dump();
    EXPECT_EQ(failure.value("shape", ""), "timed");
    const std::string variant = failure.value("variant", "");
    EXPECT_FALSE(variant.empty() || variant == "touched") << variant;  // other laws lie among timed calls
    EXPECT_EQ(failure.value("key", ""), doc.at("keys").at(0));
}

TEST(JudgeCpp, HalfPrecisionIsJudgedToTheEnd) {
    if (!std::filesystem::exists(HONE_TEST_PLUGIN_DIR "/reference.torch.so"))
        GTEST_SKIP() << "reference.lua knows no halves";
    CppJudge judge(Json::object(), "torch");
    const Json half = judge.ask(doubling("f16", "torch.add(a, a)", 1 << 18),
                                "extern \"C\" void k(const _Float16* a, _Float16* o, long N) {\n"
                                "    for (long i = 0; i < N; i++) o[i] = a[i] + a[i];\n}\n");
    EXPECT_EQ(half.at("verdict"), "PASSED") << half.dump();
    const Json brain = judge.ask(doubling("bf16", "torch.add(a, a)", 1 << 18), R"(
extern "C" void k(const unsigned short* a, unsigned short* o, long N) {
    for (long i = 0; i < N; i++) {
        const float twice = 2 * __builtin_bit_cast(float, (unsigned)a[i] << 16);
        const unsigned bits = __builtin_bit_cast(unsigned, twice);
        o[i] = twice != twice ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    }
}
)");
    EXPECT_EQ(brain.at("verdict"), "PASSED") << brain.dump();
}

// y = s x + y in place: the scalar comes by value, the start is no argument.
TEST(JudgeCpp, AScalarAndAnOutputInPlaceAreArguments) {
    const std::string file = testing::TempDir() + "hone_update_cpp.lua";
    write_file(file, R"lua(return { name = "update", statement = "y = s x + y", spec = "update",
  inputs = { { name = "x", shape = { "N" } }, { name = "s", scalar = true, dtype = "f64", law = "uniform(0.5,1)" },
    { name = "n", scalar = true, dtype = "i32", law = "value(3)" }, { name = "y0", shape = { "N" } } },
  outputs = { { name = "y", shape = { "N" }, starts_as = "y0" } },
  shapes = { { N = 4097 } }, hidden = { { N = 1 }, { N = 37 } }, terms = 1,
  reference = function(x, s, n, y0) return array.map(function(a, b) return s * n * a + b end, x, y0) end })lua");
    const Task task = load_task(file);
    CppJudge judge(Json{{"pairs", 16}, {"seconds", 0.1}});
    const auto judged = [&](const std::string& body) {
        return judge.ask(task,
                         "extern \"C\" void k(const float* x, double s, int n, float* y, long N) {\n" + body + "}\n");
    };
    const Json right = judged("for (long i = 0; i < N; i++) y[i] += (float)(s * n) * x[i];\n");
    EXPECT_EQ(right.at("verdict"), "PASSED") << right.dump();
    for (const char* wrong : {"for (long i = 0; i < N; i++) y[i] += (float)n * x[i];\n",
                              "for (long i = 0; i < N - 1; i++) y[i] += (float)(s * n) * x[i];\n"}) {
        const Json doc = judged(wrong);
        EXPECT_EQ(doc.at("verdict"), "INCORRECT_NUMERICAL") << wrong;
        EXPECT_EQ(doc.value("failure", Json::object()).value("property", ""), "wrong elements") << wrong << doc.dump();
    }
}

// Usual rows add up to some 30,000, rows of the law's last number to 60,000.
TEST(JudgeCpp, ASumInSixteenBitsIsAskedForItsOverflow) {
    const std::string file = testing::TempDir() + "hone_counts_cpp.lua";
    write_file(file, R"lua(return { name = "counts", statement = "o[r] = sum_c a[r,c]", spec = "counts",
  inputs = { { name = "a", shape = { "R", "C" }, dtype = "i32", law = "index(16)" } },
  outputs = { { name = "o", shape = { "R" }, dtype = "i32" } },
  shapes = { { R = 64, C = 4000 } }, hidden = { { R = 1, C = 1 }, { R = 70, C = 4000 } }, ranges = { C = { 1, 4000 } },
  reference = function(a) return array.sum_rows(a) end })lua");
    const Task task = load_task(file);
    CppJudge judge(Json{{"pairs", 16}, {"seconds", 0.1}});
    const auto judged = [&](const std::string& type) {
        return judge.ask(task,
                         "extern \"C\" void k(const int* a, int* o, long R, long C) {\n"
                         "for (long r = 0; r < R; r++) { " +
                             type + " s = 0; for (long c = 0; c < C; c++) s += a[r * C + c]; o[r] = s; }}\n");
    };
    const Json right = judged("int");
    EXPECT_NE(right.at("verdict"), "INCORRECT_NUMERICAL") << right.dump();  // whether a busy machine times it or not
    const Json wrong = judged("short");
    EXPECT_EQ(wrong.at("verdict"), "INCORRECT_NUMERICAL") << wrong.dump();
    EXPECT_EQ(wrong.value("failure", Json::object()).value("variant", ""), "furthest") << wrong.dump();
}

// A sum in float32 of numbers in bf16: the reference casts to the type of its output.
TEST(JudgeCpp, ANarrowInputMayBeSummedInAWiderType) {
    if (!std::filesystem::exists(HONE_TEST_PLUGIN_DIR "/reference.torch.so"))
        GTEST_SKIP() << "reference.lua knows no halves";
    const Json doc = CppJudge(Json{{"pairs", 16}, {"seconds", 0.1}}, "torch")
                         .ask(load_task(HONE_TEST_SOURCE_DIR "/tests/lint/sound/wide_sum.lua"), R"(
extern "C" void k(const unsigned short* a, float* o, long R, long C) {
    for (long r = 0; r < R; r++) {
        float sums[16] = {}, sum = 0;
        for (long c = 0; c < C; c++) sums[c % 16] += __builtin_bit_cast(float, (unsigned)a[r * C + c] << 16);
        for (int i = 0; i < 16; i++) sum += sums[i];
        o[r] = sum;
    }
}
)");
    EXPECT_EQ(doc.at("verdict"), "PASSED") << doc.dump();
}

// Sizes in bytes that are no multiple of anything: what follows a tensor is put where the brief promises it, at every
// offset that is drawn.
TEST(JudgeCpp, EveryTensorBeginsAtAMultipleOf64Bytes) {
    const std::string file = testing::TempDir() + "hone_aligned.lua";
    write_file(file, R"lua(return { name = "aligned", statement = "o = a + b, p = a - b", spec = "aligned",
  inputs = { { name = "a", shape = { "N" } }, { name = "b", shape = { "N" } } }, outputs = { { name = "o", shape = { "N" } }, { name = "p", shape = { "N" } } },
  shapes = { { N = 4097 } }, hidden = { { N = 1 }, { N = 7 }, { N = 33 }, { N = 1027 }, { N = 4099 } },
  reference = function(a, b) return array.map(function(x, y) return x + y end, a, b), array.map(function(x, y) return x - y end, a, b) end })lua");
    CppJudge judge(Json{{"pairs", 64}, {"seconds", 0.2}});
    const Json doc = judge.ask(load_task(file), R"(
extern "C" void k(const float* a, const float* b, float* o, float* p, long N) {
    if (((unsigned long)a | (unsigned long)b | (unsigned long)o | (unsigned long)p) % 64) __builtin_trap();
    for (long i = 0; i < N; i++) o[i] = a[i] + b[i], p[i] = a[i] - b[i];
}
)");
    EXPECT_EQ(doc.at("verdict"), "PASSED") << doc.dump();
    EXPECT_EQ(tensor_alignment, 64u) << "what the briefs of verifier.cpp and verifier.cuda promise";
}

// What the compiler quotes of a program is told so that no terminal obeys it.
TEST(JudgeCpp, AReasonHoldsNothingThatATerminalObeys) {
    CppJudge judge(Json::object());
    const std::string mark = "\xef\xbf\xbd";
    const Json doc = judge.ask(doubling("f32"),
                               "static_assert(false, \"\033[31mred \xc2\x9b"
                               "32m \x9b"
                               "2J \u2028\u200b end\");\n");
    const std::string error = "candidate.cpp:1:15: error: static assertion failed: " + mark + "[31mred " + mark +
                              "32m " + mark + "2J " + mark + mark + " end";
    EXPECT_EQ(doc.at("verdict"), "COMPILE_ERROR");
    EXPECT_EQ(doc.at("reason"), error);
    EXPECT_EQ(doc.at("log"), error + "\n");
}

// A file that was cut names itself, not the file of ours behind it.
TEST(JudgeCpp, AProgramThatEndsTooEarlySaysSo) {
    CppJudge judge(Json::object());
    const Json doc = judge.ask(doubling("f32"), "extern \"C\" void k(const float* a, float* o, long N) {\n");
    EXPECT_EQ(doc.at("verdict"), "COMPILE_ERROR");
    EXPECT_TRUE(doc.at("reason").get<std::string>().starts_with("candidate.cpp: the program ends too early: error: "))
        << doc.at("reason");
}

// The loader would make its code writable, and be taken for the program.
TEST(JudgeCpp, AnAddressInAReadOnlySectionIsAnErrorOfTheBuild) {
    CppJudge judge(Json::object());
    const Json doc = judge.ask(doubling("f32"),
                               "asm(\".section .rodata\\n.quad k\\n.text\\n\");\nextern \"C\" void "
                               "k(const float* a, float* o, long N) {\n"
                               "    for (long i = 0; i < N; ++i) o[i] = 2 * a[i];\n}\n");
    EXPECT_EQ(doc.at("verdict"), "COMPILE_ERROR");
    EXPECT_EQ(doc.at("reason"),
              "candidate.cpp: error: an address stands in a section that is not writable: put it into .data.rel.ro");
}

// An intrinsic that the processor lacks is refused in a header of the compiler's.
TEST(JudgeCpp, AnErrorInAHeaderOfTheCompilersIsTold) {
    const std::string code =
        "#include <immintrin.h>\nextern \"C\" void k(const float* a, float* o, long N) {\n"
        "    for (long i = 0; i + 8 <= N; i += 8) _mm256_storeu_ps(o + i, _mm256_loadu_ps(a + i));\n}\n";
    CppJudge judge(Json::object(), "lua", {{"flags", "-mno-avx"}});
    const Json doc = judge.ask(doubling("f32"), code);
    EXPECT_EQ(doc.at("verdict"), "COMPILE_ERROR");
    EXPECT_NE(doc.at("reason").get<std::string>().find(" error: inlining failed in call to "), std::string::npos)
        << doc.at("reason");
}

TEST(JudgeCpp, AFlagThatTheCompilerDoesNotKnowIsAnInputError) {
    CppJudge judge(Json::object(), "lua", {{"flags", "-mavx999"}});
    try {
        judge.ask(doubling("f32"), "extern \"C\" void k(const float* a, float* o, long N) {}\n");
        FAIL();
    } catch (const Error& e) {
        EXPECT_EQ(e.blame(), Blame::input);
        const std::string text = e.what();
        EXPECT_TRUE(text.starts_with("verifier \"cpp\": its own empty program cannot be opened: ")) << text;
        EXPECT_NE(text.find("-mavx999"), std::string::npos) << text;
        EXPECT_TRUE(text.ends_with("; look at its options: --set verifier.NAME=VALUE")) << text;
    }
}

// What a program may have written decides nothing about its compiler.
TEST(JudgeCpp, WordsOfAProgramAreNotTheCompilersOwn) {
    CppJudge judge(Json::object());
    for (const char* words : {"CPU time limit exceeded", "out of memory", "File too large"}) {
        const Json doc = judge.ask(doubling("f32"), std::string("#error ") + words + "\n");
        EXPECT_EQ(doc.at("verdict"), "COMPILE_ERROR");
        EXPECT_EQ(doc.at("reason"), std::string("candidate.cpp:1:2: error: #error ") + words);
    }
}

// With the linker's plugin such sections would be compiled in place of the text, or stop the build with its paths.
TEST(JudgeCpp, SectionsOfLinkTimeOptimizationAreNotRead) {
    CppJudge judge(Json::object());
    const Json doc = judge.ask(
        doubling("f32"),
        "asm(\".section .gnu.lto_.lto.1234abcd,\\\"e\\\",@progbits\\n.byte 12,0,0,0,0,0,0,0\\n.text\\n\");\n"
        "asm(\".section .gnu.lto_.opts,\\\"e\\\",@progbits\\n.asciz \\\"'-O2'\\\"\\n.text\\n\");\n"
        "extern \"C\" void k(const float* a, float* o, long N) { for (long i = 0; i < N; ++i) o[i] = 2 * a[i]; }\n");
    EXPECT_NE(doc.at("verdict"), "COMPILE_ERROR") << doc.at("reason");
}

TEST(JudgeCpp, SizesThatDoNotFitIntoMemoryAreRefused) {
    constexpr double needed = 2e9 * 2 * sizeof(double);
    if (available_memory() > needed) GTEST_SKIP() << "this machine has room for them";
    CppJudge judge(Json::object());
    try {
        judge.ask(doubling("f64", "array.map(function(x) return 2 * x end, a)", 2000000000),
                  "extern \"C\" void k(const double* a, double* o, long N) {}\n");
        FAIL();
    } catch (const Error& e) {
        EXPECT_EQ(e.blame(), Blame::input);
        const std::string text = e.what();
        EXPECT_TRUE(text.starts_with("task \"doubling\": judging it at its timed shape needs at least ")) << text;
        EXPECT_TRUE(text.ends_with(" are free; choose smaller sizes: --shape, or the shapes of the task")) << text;
    }
}

// Errors that no single element betrays, in the calls that are timed: every one of them is compared whole.
TEST(JudgeCpp, ATimedCallThatIsImpreciseFailsWithAPlace) {
    CppJudge judge(Json{{"precision", 0.001}, {"pairs", 64}, {"seconds", 5}});
    const Json doc = judge.ask(doubling("f32"), R"(
extern "C" void k(const float* a, float* o, long N) {
    static long shape, calls;
    calls = N == shape ? calls + 1 : 1;
    shape = N;
    for (long i = 0; i < N; i++) o[i] = 2 * a[i] * (N == 4096 && calls == 13 ? 1 + 1e-4f : 1);
}
)");
    EXPECT_EQ(doc.at("verdict"), "INCORRECT_NUMERICAL") << doc.dump();
    // more where usual inputs were drawn
    EXPECT_TRUE(doc.at("reason").get<std::string>().starts_with("output \"o\" is not precise enough"))
        << doc.at("reason");
    expect_failure(doc, "imprecise");
}

// A constructor may take as long as all of timing: what it takes is no call's time, and one process says nothing of how
// processes differ.
TEST(JudgeCpp, TimeThatOpeningTakesIsNoTimingAndAFreshMeasurementHasThreeProcesses) {
    if (!std::filesystem::exists(HONE_TEST_PLUGIN_DIR "/reference.torch.so"))
        GTEST_SKIP() << "reference.lua takes too long itself";
    const std::string sleeper = R"(
#include <time.h>
static const int slept = [] {
    timespec a_while{0, 150000000};
    return clock_nanosleep(CLOCK_MONOTONIC, 0, &a_while, nullptr);
}();
extern "C" void k(const float* a, float* o, long N) {
    for (long i = 0; i < N; i++) o[i] = 2 * a[i] + slept;
}
)";
    const Task task = doubling("f32", "torch.add(a, a)", 1 << 20);
    CppJudge judge(Json{{"fresh", true}, {"seconds", 0.05}, {"pairs", 64}, {"precision", 0.001}}, "torch");
    const Json doc = judge.ask(task, sleeper);
    EXPECT_EQ(doc.at("verdict"), "PASSED") << doc.dump();
    EXPECT_GE(doc.value("processes", 0), 3);
}

// Whatever the shell says: a baseline of one thread, or without vector instructions, makes any program look quick.
TEST(JudgeCpp, TheReferenceHasTheCandidatesThreadsAndAllInstructions) {
    if (!std::filesystem::exists(HONE_TEST_PLUGIN_DIR "/reference.torch.so"))
        GTEST_SKIP() << "the baseline's library is LibTorch";
    setenv("ATEN_CPU_CAPABILITY", "default", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    for (const int threads : {0, 2}) {
        CppJudge judge(Json{{"pairs", 16}, {"seconds", 0.05}}, "torch", Json{{"threads", threads}});
        const Json doc = judge.ask(doubling("f32", "torch.add(a, a)", 1 << 20), R"(
extern "C" void k(const float* a, float* o, long N) {
    for (long i = 0; i < N; i++) o[i] = 2 * a[i];
}
)");
        ASSERT_EQ(doc.at("verdict"), "PASSED") << doc;
        const Json reference = doc.at("reference").at("facts");
        EXPECT_EQ(reference.at("threads"), threads > 0 ? threads : static_cast<int>(usable_cores().size())) << doc;
        EXPECT_EQ(reference.at("threads"), doc.at("verifier").at("facts").at("threads")) << doc;
        if (__builtin_cpu_supports("avx2")) EXPECT_NE(reference.at("instructions"), "DEFAULT") << doc;
    }
    unsetenv("ATEN_CPU_CAPABILITY");
    unsetenv("OMP_NUM_THREADS");
}

// Each call is within its limit, all together are not.
TEST(JudgeCpp, VerificationThatTakesTooLongFailsWithAPlace) {
    CppJudge judge(Json{{"deadline", 5}});
    const Json doc = judge.ask(doubling("f32"), R"(
#include <time.h>
extern "C" void k(const float* a, float* o, long N) {
    timespec a_while{0, 400000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &a_while, nullptr);
    for (long i = 0; i < N; i++) o[i] = 2 * a[i];
}
)");
    EXPECT_EQ(doc.at("verdict"), "TIMEOUT") << doc.dump();
    EXPECT_EQ(doc.at("reason"), "all calls together take too long to be verified");
    const Json failure = doc.value("failure", Json::object());
    EXPECT_EQ(failure.value("property", ""), "takes too long");
    for (const char* key : {"shape", "variant", "key"}) EXPECT_TRUE(failure.contains(key)) << key;
}

}  // namespace
}  // namespace hone
