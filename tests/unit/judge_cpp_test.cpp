// Kernels in C++ through the whole judge, each against a small task of its own: what the fake device cannot show.
#include <gtest/gtest.h>
#include <filesystem>
#include "base/paths.hpp"
#include "judge/judge.hpp"
#include "lua/task_file.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

struct CppJudge {
    Judge judge;
    explicit CppJudge(const Json& options, const std::string& reference = "lua")
        : judge({make_recipe("verifier", "cpp", Json::object(), "test"), make_recipe("timer", "wall", Json::object(), "test"),
                 make_recipe("reference", reference, Json::object(), "test"), check_options(judge_options(), options, "test")}) {}

    // Again while other work of this machine leaves nothing to read.
    Json ask(const Task& task, const std::string& code) {
        for (int tries = 0;; ++tries) {
            judge.submit(1, task, make_candidate(task.name(), "cpp", code));
            const auto result = judge.collect(60);
            if (!result) return {{"verdict", "none within 60 s"}};
            const Json doc = result->second.doc;
            if (tries == 8 || doc.at("reason").get<std::string>().find("too busy") == std::string::npos) return doc;
        }
    }
};

// o = 2 a
Task doubling(const std::string& dtype, const std::string& reference = "array.map(function(x) return 2 * x end, a)",
              long n = 4096) {
    const std::string file = testing::TempDir() + "hone_doubling_" + dtype + ".lua";
    const std::string tensor = "shape = { \"N\" }, dtype = \"" + dtype + "\" } }";
    std::string hidden;  // enough that verification takes some calls
    for (int i = 1; i <= 8; ++i) hidden += (hidden.empty() ? "{ { N = " : ", { N = ") + std::to_string(48 * i) + " }";
    hidden += " }";
    write_file(file, "return { name = \"doubling\", statement = \"o = 2 a\", spec = \"doubling\",\n  inputs = { { name = \"a\", " + tensor +
                         ",\n  outputs = { { name = \"o\", " + tensor + ",\n  shapes = { { N = " + std::to_string(n) + " } }, hidden = " + hidden + "," +
                         " tolerance = \"" + dtype + "\",\n  reference = function(a) return " + reference + " end }\n");
    return load_task(file);
}

void expect_failure(const Json& doc, const std::string& property) {
    const Json failure = doc.value("failure", Json::object());
    EXPECT_EQ(failure.value("property", ""), property) << doc.dump();
    EXPECT_EQ(failure.value("shape", ""), "timed");
    EXPECT_EQ(failure.value("variant", ""), "declared");
    EXPECT_EQ(failure.value("key", ""), doc.at("keys").at(0));
}

TEST(JudgeCpp, HalfPrecisionIsJudgedToTheEnd) {
    if (!std::filesystem::exists(HONE_TEST_PLUGIN_DIR "/reference.torch.so")) GTEST_SKIP() << "reference.lua knows no halves";
    CppJudge judge(Json::object(), "torch");
    const Json half = judge.ask(doubling("f16", "torch.add(a, a)", 1 << 18), "extern \"C\" void k(const _Float16* a, _Float16* o, long N) {\n"
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

// Errors that no single element betrays, in the calls that are timed: told by the sample, unless a whole comparison comes first by chance.
TEST(JudgeCpp, TimedCallsThatAreImpreciseTogetherFailWithAPlace) {
    for (int seed = 1; seed <= 16; ++seed) {
        CppJudge judge(Json{{"precision", 0.001}, {"pairs", 64}, {"seconds", 5}, {"seed", std::to_string(seed)}});
        const Json doc = judge.ask(doubling("f32"), R"(
extern "C" void k(const float* a, float* o, long N) {
    static long shape, calls;
    calls = N == shape ? calls + 1 : 1;
    shape = N;
    for (long i = 0; i < N; i++) o[i] = 2 * a[i] * (calls > 12 ? 1 + 1e-4f : 1);
}
)");
        EXPECT_EQ(doc.at("verdict"), "INCORRECT_NUMERICAL") << doc.dump();
        expect_failure(doc, "imprecise");
        if (doc.at("reason") == "its timed calls, taken together, are not precise enough") return;
    }
    ADD_FAILURE() << "the sample was never first";
}

// Each call is within its limit, all together are not.
TEST(JudgeCpp, VerificationThatTakesTooLongFailsWithAPlace) {
    CppJudge judge(Json{{"deadline", 2}});
    const Json doc = judge.ask(doubling("f32"), R"(
#include <time.h>
extern "C" void k(const float* a, float* o, long N) {
    timespec a_while{0, 150000000};
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
