// What honest programs bring with them that a compiler or the contract would refuse: verifier.cpp builds them all the
// same.
#include <gtest/gtest.h>
#include "sandbox/jail_fixture.hpp"

namespace hone {
namespace {

using namespace jail_test;

constexpr const char* body =
    "(const float* a, float* o, long N) {\n    for (long i = 0; i < N; i++) o[i] = a[i] * 2;\n}\n";

std::string refusal(const std::string& code) {
    const auto outcome = Bench().judge(code);
    EXPECT_EQ(outcome.verdict, "COMPILE_ERROR");
    return outcome.reason;
}

TEST(CppUnit, TheFunctionMayPromiseNotToThrow) {
    Bench bench;
    for (const char* promise : {"noexcept", "noexcept(true)", "throw()"}) {
        std::string code = std::string("extern \"C\" void k") + body;
        code.insert(code.find(" {"), std::string(" ") + promise);
        expect_doubled(bench.judge(code));
    }
}

TEST(CppUnit, AProgramThatPromisesNotToThrowStillHasTheContract) {
    expect_doubled(
        Bench().judge("extern \"C\" void k(const float* a, float* o, long N) noexcept {\n    for (long i = 0; i < N; "
                      "i++) o[i] = (a[i] + a[i]) * expf_fast(0);\n}\n"));
}

TEST(CppUnit, HintsForOtherCompilersArePassedOver) {
    std::string hints = "void hints() {\n";
    for (const char* hint : {"unroll", "unroll 4", "unroll(4)", "ivdep", "vector always aligned", "nounroll", "simd",
                             "loop(ivdep)", "clang loop unroll(full)", "GCC novector", "warning(disable: 4996)"})
        hints += std::string("#pragma ") + hint + "\n    for (int i = 0; i < 4; i++);\n";
    expect_doubled(
        Bench().judge(hints + "_Pragma(\"unroll\") for (int i = 0; i < 4; i++);\n}\nextern \"C\" void k" + body));
}

TEST(CppUnit, AMisspeltPragmaIsTold) {
    const std::string before = "#pragma unroll\nextern \"C\" void k(const float* a, float* o, long N) {\n#pragma ",
                      after = "\nfor (long i = 0; i < N; i++) o[i] = a[i];\n}\n";
    EXPECT_EQ(refusal(before + "omp paralel for" + after),
              "candidate.cpp:3: error: ignoring '#pragma omp paralel' [-Werror=unknown-pragmas]");
    EXPECT_EQ(refusal(before + "opm parallel for" + after),
              "candidate.cpp:3: error: ignoring '#pragma opm parallel' [-Werror=unknown-pragmas]");
    EXPECT_EQ(refusal(before + "GCC unrol 4" + after),
              "candidate.cpp:3: error: ignoring '#pragma GCC unrol' [-Werror=unknown-pragmas]");
}

TEST(CppUnit, NamesOfTheContractMayBeTheCandidatesOwn) {
    const char* const own[] = {
        "using V = double;", "typedef float V __attribute__((vector_size(32)));",
        "struct V { float x[8]; };\nV two() { return V{}; }", "template <class T> struct V { T t; };\nV<float> one;",
        "constexpr int V = 16;", "#define V 16", "enum { V = 4 };",
        "namespace {\nusing V = double;\n}\nV one() { return 1; }",
        "static inline float expf_fast(float x) { return x; }", "double expf_fast(float x) { return x; }",
        "#define expf_fast(x) (x)",
        "#include <cmath>\nusing V = float;\nfloat expf_fast(float x) { return std::exp(x); }",
        // of the library's names, in headers that the candidate did not ask for
        "#include <immintrin.h>\nstatic inline float fmaxf(float a, float b) { return a > b ? a : b; }",
        "#include <omp.h>\nstatic float y0 = 1;", "#include <immintrin.h>\nconstexpr float M_2_PI = 0.6366f;",
        "#include <omp.h>\nusing namespace std;\nstatic int count = 0;\nint counted() { return count; }"};
    Bench bench;
    for (const char* code : own) {
        SCOPED_TRACE(code);
        expect_doubled(bench.judge(std::string(code) + "\nextern \"C\" void k" + body));
    }
    // what is not its own stays; several wishes at once are granted at once
    expect_doubled(
        bench.judge("float expf_fast(float x) { return x; }\nextern \"C\" void k(const float* a, float* o, long N) "
                    "noexcept {\n#pragma unroll\n"
                    "    for (long i = 0; i < N; i += 16) *(V*)(o + i) = *(const V*)(a + i) * 2;\n}\n"));
}

TEST(CppUnit, ErrorsAreToldAsTheyAre) {
    EXPECT_EQ(refusal("float f() { return expf_fast(1, 2); }\n"),
              "candidate.cpp:1:29: error: too many arguments to function 'float expf_fast(float)'");
    EXPECT_EQ(refusal("#pragma once\nint x = y;\n"), "candidate.cpp:2:9: error: 'y' was not declared in this scope")
        << "a warning stands before it";
    EXPECT_EQ(refusal("using V = double;\nV f() { return x; }\n"),
              "candidate.cpp:2:16: error: 'x' was not declared in this scope");
    EXPECT_EQ(refusal("extern \"C\" void k(float* a, float* o, long N) noexcept {}\n"),
              "candidate.cpp:1:17: error: conflicting declaration of C function 'void k(float*, float*, long int)'; "
              "the prototype is extern \"C\" void k(const float* "
              "a, float* o, long N)");
    EXPECT_EQ(refusal("void f() { asm volatile(\"vfoo\"); }\n"), "candidate.cpp:1: Error: no such instruction: `vfoo'");
    EXPECT_EQ(refusal("asm(\".error \\\"no\\\"\");\n"), "Error: no") << "the file is the build's own";
    const std::string lacks = refusal(
        "#include <immintrin.h>\n#pragma GCC target(\"no-sse4.2\")\n"
        "unsigned f(unsigned x) { return _mm_crc32_u32(x, x); }\n");
    EXPECT_NE(lacks.find("(candidate.cpp:3:"), std::string::npos) << lacks;
    EXPECT_TRUE(lacks.ends_with(": this machine's processor has no such instructions")) << lacks;
}

// Tensors begin at multiples of 64 bytes: the brief promises it.
TEST(CppUnit, TheBriefPromisesWhatHolds) {
    Bench bench;
    const std::string text = bench.brief();
    EXPECT_NE(text.find("begin at multiples of 64 bytes"), std::string::npos) << text;
    EXPECT_NE(text.find("reduction(+) of floats add in an order"), std::string::npos) << text;
}

TEST(CppUnit, TheBriefTellsOfScalarsAndOfOutputsInPlace) {
    const Json update = {
        {"inputs",
         {{{"name", "x"}, {"dtype", "f32"}}, {{"name", "s"}, {"dtype", "f64"}, {"scalar", true}}, {{"name", "y0"}}}},
        {"outputs", {{{"name", "y"}, {"dtype", "f32"}, {"starts_as", "y0"}}}},
        {"sizes", {"N"}}};
    const std::string text = Bench().brief(update);
    EXPECT_NE(text.find("    extern \"C\" void k(const float* x, double s, float* y, long N)\n\n"
                        "y is updated in place: when a call begins it holds the values that the definition calls y0, "
                        "which is no argument. Tensors are dense"),
              std::string::npos)
        << text;
}

}  // namespace
}  // namespace hone
