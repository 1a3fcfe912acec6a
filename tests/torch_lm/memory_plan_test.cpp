// What learning is expected to take, and what is said where it does not fit.
#include "torch_lm/learning/memory_plan.hpp"
#include <gtest/gtest.h>
#include "error_of.hpp"

namespace hone::lm {
namespace {

// Qwen2.5-1.5B
Model large(bool bfloat16) {
    Config c;
    c.vocabulary = 151936, c.width = 1536, c.layers = 28, c.heads = 12, c.kv_heads = 2, c.head_width = 128,
    c.mlp_width = 8960;
    return {c, {.gpu = on_host, .torch = true, .bfloat16 = bfloat16}};
}

TEST(MemoryPlan, CountsWhatAnUpdateTakes) {
    const LearningMemory need = learning_memory(large(false), 0, 1);
    const double weights = static_cast<double>(Parameters(large(true).config, {.bfloat16 = true}).size());
    EXPECT_NEAR(need.gradient, 4 * weights, 0.001 * weights);
    EXPECT_EQ(need.moments, 2 * need.gradient);
    EXPECT_EQ(need.frozen, need.gradient);
    EXPECT_EQ(need.master, 0);
    EXPECT_EQ(learning_memory(large(false), 0, 2).gradient, 2 * need.gradient) << "each worker has its own";
    EXPECT_EQ(learning_memory(large(true), 0, 1).master, need.gradient);
    const Adapter adapter(large(false).config, 16, 32, {});
    EXPECT_EQ(learning_memory(large(true), 16, 1).gradient, 4 * static_cast<double>(adapter.values.numel()));
}

TEST(MemoryPlan, SaysWhatWouldFit) {
    const auto said = [](double free, bool bfloat16, std::int64_t rank) {
        const Model model = large(bfloat16);
        return error_of([&] { check_memory(learning_memory(model, rank, 1), free, model, rank); });
    };
    EXPECT_EQ(
        said(12e9, false, 0),
        "policy.torch-lm: learning needs 27.5 GB beside the weights (gradient 6.2 GB, moments 12.3 GB, frozen copy "
        "6.2 GB, a pass 2.8 GB), and 12.0 GB are free; lora = 16 needs 9.2 GB");
    EXPECT_NE(said(4e9, false, 0).find("try dtype = \"bfloat16\" with lora = 16"), std::string::npos);
    EXPECT_NE(said(1e9, true, 16).find("use a smaller model"), std::string::npos);
    EXPECT_EQ(said(40e9, false, 0), "no error");
}

}  // namespace
}  // namespace hone::lm
