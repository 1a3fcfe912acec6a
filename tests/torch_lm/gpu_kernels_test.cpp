// The kernels of a decode step on a GPU compile for each family; what they compute is tested on a GPU
// (tests/gpu/torch_lm.lua).
#include <gtest/gtest.h>
#include "cuda/compile/nvrtc.hpp"
#include "cuda/compile/toolchain.hpp"
#include "hone/plugin.hpp"
#include "torch_lm/gpu/kernels.hpp"

namespace hone::lm {
namespace {

std::string log_of(const Config& config, bool bfloat16, const std::string& arch = "sm_90") {
    static const cuda::Nvrtc nvrtc(cuda::Toolchain("").nvrtc());
    return nvrtc.compile(gpu::source, gpu::options(config, bfloat16, arch)).log;
}

TEST(GpuKernels, CompileForEachFamily) {
    try {
        cuda::Toolchain("").nvrtc();
    } catch (const Refused&) {
        GTEST_SKIP() << "no NVRTC";
    }
    const Config tiny,
        smollm2{.vocabulary = 49152,
                .width = 576,
                .layers = 30,
                .heads = 9,
                .kv_heads = 3,
                .head_width = 64,
                .mlp_width = 1536},
        qwen2{.family = "qwen2",
              .vocabulary = 151936,
              .width = 1536,
              .layers = 28,
              .heads = 12,
              .kv_heads = 2,
              .head_width = 128,
              .mlp_width = 8960,
              .qkv_bias = true},
        qwen3{.family = "qwen3",
              .vocabulary = 151936,
              .width = 4096,
              .layers = 36,
              .heads = 32,
              .kv_heads = 8,
              .head_width = 128,
              .mlp_width = 12288,
              .qk_norm = true},
        odd{.width = 400, .heads = 10, .kv_heads = 1, .head_width = 40, .mlp_width = 88};
    for (const Config& config : {tiny, smollm2, qwen2, qwen3, odd})
        for (const bool bfloat16 : {false, true}) EXPECT_EQ(log_of(config, bfloat16), "") << config.width;
    for (const auto& [heads, head_width] : {std::pair<std::int64_t, std::int64_t>{16, 128}, {16, 256}, {7, 256}})
        EXPECT_EQ(log_of({.heads = heads, .kv_heads = 1, .head_width = head_width}, true), "") << heads;
    for (const char* arch : {"sm_75", "sm_80"}) EXPECT_EQ(log_of(qwen2, true, arch), "") << arch;
}

}  // namespace
}  // namespace hone::lm
