// What verifier.cuda tells of a build where there is no GPU to run it on.
#include <gtest/gtest.h>
#include "nvrtc_fixture.hpp"

namespace hone {
namespace {

const Json task = {{"name", "scale"},
                   {"sizes", {"N"}},
                   {"outputs", {{{"name", "o"}, {"dtype", "f32"}}}},
                   {"inputs", {{{"name", "a"}, {"dtype", "f32"}}}}};

class CudaBuild : public NvrtcFixture {
protected:
    void SetUp() override {
        if (find_nvrtc().empty()) GTEST_SKIP() << no_nvrtc;
        if (has_gpu()) GTEST_SKIP() << "this machine has a GPU: the kernel would be run";
    }
    Json build(const std::string& code) {
        const auto* functions = static_cast<const hone_verifier*>(handle_->part().functions);
        Collect facts;
        void* subject = nullptr;
        const Json candidate = {{"code", code}, {"plan", ""}};
        result_ = functions->open(handle_->self(), as_doc(task), as_doc(candidate), &subject, facts.out());
        EXPECT_EQ(subject, nullptr);
        return facts.json();
    }
    hone_rc result_ = HONE_OK;
};

const char* const scale = R"(extern "C" __global__ void k(const float* a, float* o, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < N) o[i] = 2 * a[i];
})";

TEST_F(CudaBuild, ResourcesAndEntryPointsAreFacts) {
    const Json facts = build(scale);
    EXPECT_EQ(result_, HONE_FAILED);  // built, not run
    const std::string resources = facts.at("resources");
    EXPECT_TRUE(resources.starts_with("registers ")) << resources;
    EXPECT_TRUE(resources.ends_with(", shared 0 B, spills 0 B")) << resources;
    EXPECT_EQ(facts.at("entry_points"), "k");
    EXPECT_GT(facts.at("code_bytes").get<double>(), 0);
    EXPECT_FALSE(facts.contains("tensor_instructions"));
    EXPECT_EQ(build(half_kernel).at("tensor_instructions"), "HMMA");
}

// A second build of it would take another time.
TEST_F(CudaBuild, TheSameSourceIsBuiltOnce) {
    const Json first = build(scale), other = build(scale + std::string("\n")), again = build(scale);
    EXPECT_EQ(first, again);
    EXPECT_NE(first.at("build_seconds"), other.at("build_seconds"));
}

TEST_F(CudaBuild, TheReasonIsTheFirstError) {
    const Json facts = build("extern \"C\" __global__ void k(float* o) {\n    *o = nothing;\n}\n");
    EXPECT_EQ(result_, HONE_OK);
    EXPECT_EQ(facts.at("verdict"), "COMPILE_ERROR");
    EXPECT_EQ(facts.at("reason"), "k.cu(2): error: identifier \"nothing\" is undefined");
    EXPECT_EQ(facts.at("log"), "k.cu(2): error: identifier \"nothing\" is undefined\n");
}

TEST_F(CudaBuild, WhatTheMachineSpendsIsBounded) {
    const Json large =
        build("__device__ char big[8 << 20] = {1};\nextern \"C\" __global__ void k(char* o) { *o = big[*o]; }");
    EXPECT_EQ(large.at("verdict"), "COMPILE_ERROR");
    EXPECT_EQ(large.at("reason"), "the compiler wrote more than 4 MiB");
    const Json memory =
        build("__device__ char x[1 << 29] = {1};\nextern \"C\" __global__ void k(char* o) { *o = x[*o]; }");
    const bool slow = memory.at("verdict") == "TIMEOUT";  // on a busy machine
    EXPECT_EQ(memory.at("verdict"), slow ? "TIMEOUT" : "OUT_OF_MEMORY");
    EXPECT_EQ(memory.at("reason"), slow ? "the compiler took more than 15 s" : "the compiler needed more than 2 GiB");
}

TEST(CudaUnit, LeadingHeadersAreThoseBeforeAnythingElse) {
    using cuda::leading_headers;
    using Names = std::vector<std::string>;
    const Names half = {"cuda_fp16.h", "cuda_bf16.h", "mma.h"};
    EXPECT_EQ(leading_headers("// x\n\n#include <mma.h>\n # include \"cuda_fp16.h\" \r\n__global__"), half);
    EXPECT_EQ(leading_headers("#include <cub/block/block_scan.cuh>\n#include <mma.h>\n#include <mma.h>\nint "
                              "x;\n#include <cuda/barrier>\n"),
              (Names{"cub/block/block_scan.cuh", "mma.h"}));
    for (const char* none : {"", "#define X 1\n#include <mma.h>", "#include <vector>", "#include </etc/passwd>",
                             "#include <cub/../../../etc/passwd>", "#include <cuda/std/__cccl/prologue.h>",
                             "#include <mma.h> int x;", "#include <mma.h", "int x;\n#include <mma.h>"})
        EXPECT_EQ(leading_headers(none), Names{}) << none;
}

}  // namespace
}  // namespace hone
