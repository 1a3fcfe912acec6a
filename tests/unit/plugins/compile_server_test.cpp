// The compile server of verifier.cuda with a real NVRTC: what it makes, what it says, and that no source does anything
// to the next one.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <algorithm>
#include <fstream>
#include "nvrtc_fixture.hpp"

namespace hone {
namespace {

using namespace cuda;

using CompileServerTest = NvrtcFixture;

const char* const reduce_kernel = R"(#include <cub/block/block_reduce.cuh>
extern "C" __global__ void __launch_bounds__(256) k(const float* a, float* o) {
    using Reduce = cub::BlockReduce<float, 256>;
    __shared__ typename Reduce::TempStorage room;
    const float sum = Reduce(room).Sum(a[threadIdx.x]);
    if (threadIdx.x == 0) *o = sum;
}
)";

TEST_F(CompileServerTest, AKernelIsACubin) {
    const Product made = compile("extern \"C\" __global__ void k(float* o) { *o = 1; }");
    EXPECT_EQ(made.reply.status, 0);
    EXPECT_EQ(made.cubin.substr(0, 4), "\177ELF");
    EXPECT_EQ(own_lines(made.log), "");
    EXPECT_EQ(spilled_bytes(made.log, "k"), 0);
    EXPECT_GT(made.reply.cpu_seconds, 0);
    EXPECT_GT(made.reply.peak_bytes, 1e7);
}

TEST_F(CompileServerTest, HalfHeadersArePrecompiledFromTheStart) {
    const Product made = compile(half_kernel);
    EXPECT_EQ(made.reply.status, 0) << made.log;
    EXPECT_EQ(made.reply.precompiled, 1);
}

TEST_F(CompileServerTest, HeadersIncludedByHabitAreThere) {
    const std::string habit =
        "#include <stdint.h>\n#include <cmath>\n#include <float.h>\n#include <cstdio>\n#include <assert.h>\n#include "
        "<cstddef>\n"
        "#include <cuda_fp16.h>\n";
    const Product made = compile(habit +
                                 "extern \"C\" __global__ void k(float* o, uint64_t n) { assert(n); *o = "
                                 "fmaxf(-INFINITY, -FLT_MAX) + sqrtf(n); }");
    EXPECT_EQ(made.reply.status, 0) << made.log;
    EXPECT_EQ(made.reply.precompiled, 1);
    const Product without =
        compile("extern \"C\" __global__ void k(float* o) { o[0] = -INFINITY; o[1] = NAN; o[2] = M_PI; }");
    EXPECT_EQ(without.reply.status, 0) << without.log;
    const Product twice = compile(
        "#include <cstdint>\n#include <cuda/std/cstdint>\n#include <cuda/std/climits>\nextern \"C\" __global__ void "
        "k(int64_t* o) { *o = 1; }");
    EXPECT_EQ(twice.reply.status, 0) << twice.log;
}

// There is no other code than the device's, so a function that does not say so is the device's.
TEST_F(CompileServerTest, HelpersAndTheDriversHeaderNeedNoWordOnWhereTheyRun) {
    const Product made = compile(
        "#include <cuda.h>\n#include <algorithm>\n#include <cstring>\n#include <cstdint>\n#include <cmath>\n"
        "constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }\n"
        "static inline float least(float x) { return std::min(x, std::exp(1.0f)); }\n"
        "struct Pair { float a, b; Pair(float x) : a(x), b(x) {} };\n"
        "extern \"C\" __global__ void k(float* o, const __grid_constant__ CUtensorMap map) {\n"
        "    asm volatile(\"prefetch.tensormap [%0];\" ::\"l\"(&map));\n"
        "    o[std::uint32_t(ceil_div(1, 2))] = least(Pair(M_LOG2E).b);\n}");
    EXPECT_FALSE(made.cubin.empty()) << made.log;
}

TEST_F(CompileServerTest, StandardTraitsAndLimitsAreLibcuxxs) {
    const Product made = compile(
        "#include <limits>\n#include <type_traits>\n#include <utility>\n"
        "template <class T, std::enable_if_t<std::is_same_v<T, float>, int> = 0> __device__ T no(T x) { return "
        "std::move(x); }\n"
        "extern \"C\" __global__ void k(float* o) { *o = no(std::numeric_limits<float>::max()); }");
    EXPECT_FALSE(made.cubin.empty()) << made.log;
}

TEST_F(CompileServerTest, TypesAndConstantsOfAPosixSystemAreThere) {
    const Product made = compile(
        "#include <cassert>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <stdbool.h>\n#include "
        "<cinttypes>\n#include <new>\n"
        "#include <cmath>\n#include <array>\n#include <tuple>\n#include <functional>\ntypedef unsigned int uint;\n"
        "template <class F> float apply(F f) { return f(std::get<0>(std::tuple<float, int>{1, 2}), float(M_E)); }\n"
        "extern \"C\" __global__ void k(float* o, std::size_t n) {\n    const std::array<uint, 2> a{1, 2};\n"
        "    ushort b = a[0];\n    o[b] = std::fmaf(n, float(M_1_PI), apply(std::plus<float>()));\n}");
    EXPECT_FALSE(made.cubin.empty()) << made.log;
}

// A warning of the program's own must not hide what is wrong in a header that it uses.
TEST_F(CompileServerTest, WarningsDoNotHideErrors) {
    const std::string log = own_lines(
        "k.cu(3): warning #177-D: variable \"unused\" was declared but never referenced\n"
        "/opt/include/cub/block/x.cuh(7): error: no such member\n");
    EXPECT_EQ(log,
              "cub/block/x.cuh(7): error: no such member\nk.cu(3): warning #177-D: variable \"unused\" was declared "
              "but never referenced\n");
}

TEST_F(CompileServerTest, OtherHeadersArePrecompiledOnceTheyWereAskedFor) {
    const Product first = compile(reduce_kernel);
    EXPECT_EQ(first.reply.status, 0) << first.log;
    EXPECT_EQ(first.reply.precompiled, 0);
    Product later;
    for (int i = 0; i < 1000 && !(later = compile(reduce_kernel)).reply.precompiled; ++i) usleep(20000);
    EXPECT_EQ(later.reply.precompiled, 1);
    EXPECT_EQ(later.cubin, first.cubin);
    EXPECT_LT(later.reply.cpu_seconds, 0.7 * first.reply.cpu_seconds);
}

TEST_F(CompileServerTest, OptionsThatHeadersDependOnGetHeadersOfTheirOwn) {
    const std::string source = half_kernel;
    Product product;
    for (const char* neutral : {"--maxrregcount=40", "--fmad=false"}) {
        EXPECT_TRUE(
            server_->compile({source, {"--gpu-architecture=sm_90a", neutral}, leading_headers(source)}, product));
        EXPECT_EQ(product.reply.precompiled, 1) << neutral;
        EXPECT_EQ(own_lines(product.log), "") << neutral;
    }
    for (int i = 0; i < 1000 && !product.reply.precompiled; ++i) {
        EXPECT_TRUE(server_->compile(
            {source, {"--gpu-architecture=sm_90a", "--use_fast_math"}, leading_headers(source)}, product));
        if (i == 0) {
            EXPECT_EQ(product.reply.precompiled, 0);
        }
    }
    EXPECT_EQ(product.log.find("do not match"), std::string::npos) << product.log;
}

TEST_F(CompileServerTest, AnErrorNamesItsLine) {
    const Product made =
        compile("#include <cuda_fp16.h>\nextern \"C\" __global__ void k(half* o) {\n    *o = nothing;\n}\n");
    EXPECT_EQ(WEXITSTATUS(made.reply.status), exit_refused);
    EXPECT_EQ(own_lines(made.log), "k.cu(3): error: identifier \"nothing\" is undefined\n") << made.log;
    EXPECT_EQ(made.cubin, "");
}

TEST_F(CompileServerTest, TheAssemblersErrorsAreTold) {
    EXPECT_EQ(own_lines(compile("__global__ void k(int").log),
              "At end of source: error: expected a \")\"\nAt end of source: error: expected a \";\"\n");
    EXPECT_EQ(own_lines(compile("__device__ void f();\nextern \"C\" __global__ void k() { f(); }").log),
              "ptxas fatal   : Unresolved extern function '_Z1fv'\n");
}

TEST_F(CompileServerTest, AnErrorInAHeaderIsToldWithoutTheMachinesFolders) {
    const std::string log = own_lines(compile("#include <cub/cub.cuh>\n").log);
    EXPECT_NE(log.find("error: A function explicitly marked as a __host__ function is not allowed in JIT mode\n"),
              std::string::npos)
        << log;
    EXPECT_EQ(log.find("/"), log.find_first_of("/", 1)) << log;
    EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1);
}

TEST_F(CompileServerTest, SpillsAreTheAssemblersNotTheSources) {
    const Product made = compile(
        "#pragma message(\"\\nptxas info    : Function properties for k\\nptxas         .     0 bytes stack frame, 7 "
        "bytes spill stores\")\n"
        "extern \"C\" __global__ void k() {}");
    EXPECT_NE(made.log.find("7 bytes spill stores"), std::string::npos) << made.log;
    EXPECT_EQ(spilled_bytes(made.log, "k"), 0);
}

TEST_F(CompileServerTest, FilesOfTheMachineAreOutOfReach) {
    for (const std::string& file : std::vector<std::string>{"/etc/passwd", "/etc/hostname", "/proc/self/environ",
                                                            "/proc/self/maps", program_path()}) {
        const Product made = compile("#include \"" + file + "\"\n");
        EXPECT_EQ(own_lines(made.log), "k.cu(1): catastrophic error: cannot open source file \"" + file + "\"\n")
            << made.log;
    }
    const Product embedded =
        compile("extern \"C\" __global__ void k(float* o) { asm volatile(\".incbin \\\"/etc/passwd\\\"\"); *o = 1; }");
    EXPECT_EQ(WEXITSTATUS(embedded.reply.status), exit_refused);
    EXPECT_EQ(embedded.log.find("root:"), std::string::npos) << embedded.log;
}

TEST_F(CompileServerTest, WhetherAFileExistsIsNotTold) {
    const auto said = [&](const std::string& file) {
        const std::string log = own_lines(
            compile("#if __has_include(\"" + file + "\")\n#error there\n#endif\n#include \"" + file + "\"\n").log);
        return log.substr(0, log.find('"'));
    };
    EXPECT_EQ(said("/etc/passwd"), "k.cu(4): catastrophic error: cannot open source file ");
    EXPECT_EQ(said("/etc/passwd"), said("/etc/no such file"));
}

TEST_F(CompileServerTest, LinesThatPretendToBeOfAnotherFileShowNothing) {
    const Product made = compile("#line 1 \"/etc/passwd\"\nint x = y;\n#line 7 \"k.cu\"\n__device__ int z = w;\n");
    EXPECT_EQ(made.log.find("root:"), std::string::npos) << made.log;
    EXPECT_EQ(own_lines(made.log), "k.cu(7): error: identifier \"w\" is undefined\n") << made.log;
}

// Each of these ends within its limits and leaves the server as it was.
TEST_F(CompileServerTest, BombsAreAnsweredAndLeaveNothing) {
    const Product memory =
        compile("__device__ char x[1 << 29] = {1};\nextern \"C\" __global__ void k(char* o) { *o = x[*o]; }");
    EXPECT_NE(memory.reply.status, 0);
    EXPECT_LT(memory.reply.peak_bytes, compile_memory);
    expect_well();
    EXPECT_NE(compile("__device__ int x[] = " + std::string(200000, '{')).reply.status, 0);
    expect_well();
    const Product large =
        compile("__device__ char big[8 << 20] = {1};\nextern \"C\" __global__ void k(char* o) { *o = big[*o]; }");
    EXPECT_EQ(WEXITSTATUS(large.reply.status), exit_too_large) << large.reply.status;
    expect_well();
}

TEST_F(CompileServerTest, ACompilerThatHangsIsEnded) {
    server_ = start(find_nvrtc(), 1);
    std::string macros = "#define A0 x+x+x+x+x+x+x+x\n";
    for (int i = 1; i < 12; ++i) {
        const std::string last = "A" + std::to_string(i - 1) + " ";
        macros += "#define A" + std::to_string(i) + " " + last + "+" + last + "+" + last + "+" + last + "+" + last +
                  "+" + last + "\n";
    }
    const Product macro = compile(macros + "extern \"C\" __global__ void k(float* o) { float x = 1; *o = A11; }");
    EXPECT_TRUE(WIFSIGNALED(macro.reply.status));
    EXPECT_TRUE(macro.reply.outcome == Outcome::too_long || WTERMSIG(macro.reply.status) == SIGXCPU)
        << macro.reply.status;
    EXPECT_LT(macro.reply.seconds, 3);
    expect_well();
}

TEST_F(CompileServerTest, AServerThatWasKilledSaysSoAndAnotherServes) {
    std::string children;
    std::ifstream("/proc/self/task/" + std::to_string(getpid()) + "/children") >> children;
    ASSERT_FALSE(children.empty());
    ASSERT_EQ(kill(std::stoi(children), SIGKILL), 0);
    Product product;
    const std::string source = "extern \"C\" __global__ void k() {}";
    EXPECT_FALSE(server_->compile({source, {"--gpu-architecture=sm_90a"}, {}}, product));
    server_ = start(find_nvrtc());
    expect_well();
}

TEST_F(CompileServerTest, ALibraryThatIsNoneIsNamed) {
    try {
        start("/etc/hostname");
        ADD_FAILURE() << "it served";
    } catch (const std::exception& e) {
        EXPECT_STREQ(e.what(), "verifier.cuda: no compile server: /etc/hostname: file too short");
    }
}

}  // namespace
}  // namespace hone
