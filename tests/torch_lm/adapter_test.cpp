// Low-rank adapters: what a forward pass with one gives, its gradient, and where it learns to.
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include "small_model.hpp"
#include "torch_lm/model/parallel.hpp"

namespace hone::lm {
namespace {

using namespace test;

constexpr Place by_torch{.torch = true};

Adapter some_adapter(const Config& c, std::int64_t rank) {
    Adapter adapter(c, rank, 2.0 * static_cast<double>(rank), by_torch);
    adapter.initialize(5);
    float* value = adapter.values.mutable_data_ptr<float>();
    for (const NamedTensor& tensor : adapter.tensors)  // as if it had learnt
        if (tensor.name.ends_with("lora_B.weight"))
            for (std::size_t i = 0; i < tensor.size; ++i)
                value[tensor.offset + i] = 0.05f * std::sin(static_cast<float>(i));
    return adapter;
}

Config biased_config() {
    Config c = small_config();
    c.qkv_bias = true;
    return c;
}

TEST(Adapter, AFreshOneChangesNothing) {
    const Config c = biased_config();
    const Parameters base = small_weights(c);
    Parameters merged = base;
    Adapter adapter(c, 3, 6, by_torch);
    adapter.initialize(1);
    adapter.merge(base, merged);
    EXPECT_EQ(merged.host(), base.host());
    EXPECT_EQ(adapter.tensors[0].name, "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight");
    EXPECT_EQ(adapter.tensors[1].shape, (std::vector<std::int64_t>{c.q_width(), 3}));
}

// The log-probabilities that an update sees (base and adapter apart) are those of the merged weights.
TEST(Adapter, LearningSeesTheMergedModel) {
    const Config c = biased_config();
    const Parameters base = small_weights(c);
    Parameters merged = base;
    Adapter adapter = some_adapter(c, 3);
    adapter.merge(base, merged);
    const Trained trained(merged, base, adapter);
    Learner learner({c, by_torch}, 1);
    const Batch batch = three_sequences();
    const Scores wanted = scores_of(learner, merged, batch);
    EXPECT_NE(wanted.logp, scores_of(learner, base, batch).logp);
    double objective = 0;
    for (std::size_t t = 0; t < batch.ids.size(); ++t)
        if (t != 0 && t != 9 && t != 13)
            objective += static_cast<double>(batch.weight[t]) * wanted.logp[t] +
                         static_cast<double>(batch.entropy_weight[t]) * wanted.entropy[t];
    EXPECT_NEAR(learner.learn(trained, batch.view(), batch.step()).objective, objective, 1e-4);
}

TEST(Adapter, GradientMatchesFiniteDifferences) {
    const Config c = small_config();
    const Parameters base = small_weights(c);
    Parameters merged = base;
    Adapter adapter = some_adapter(c, 2);
    const Trained trained(merged, base, adapter);
    Learner learner({c, by_torch}, 1);
    const Batch batch = three_sequences();
    const double before = learner.learn(trained, batch.view(), batch.step()).objective;
    const at::Tensor gradient = learner.gradient().values().clone();
    float* value = adapter.values.mutable_data_ptr<float>();
    for (const NamedTensor& tensor : adapter.tensors)
        for (std::size_t k = 0; k < 2; ++k) {
            const std::size_t at = tensor.offset + k * 7919 % tensor.size;
            const float kept = value[at];
            double sides[2];
            for (const int side : {0, 1}) {
                value[at] = kept + (side ? 1e-2f : -1e-2f);
                sides[side] = learner.learn(trained, batch.view(), batch.step()).objective;
            }
            value[at] = kept;
            const double expected = -(sides[1] - sides[0]) / 2e-2,
                         got = gradient[static_cast<std::int64_t>(at)].item<float>();
            EXPECT_NEAR(got, expected, 2e-2 * std::abs(expected) + 3e-3) << tensor.name;
        }
    EXPECT_EQ(learner.learn(trained, batch.view(), batch.step()).objective, before);
}

// With A the unit matrix and B zero, the gradient of B is the one of the weights that it changes.
TEST(Adapter, OfFullRankFollowsFullTuning) {
    const Config c = small_config();
    Parameters base = small_weights(c), merged = base;
    Adapter adapter(c, c.width, static_cast<double>(c.width), by_torch);
    for (LayerAdapter& layer : adapter.layers)
        for (LowRank* pair : {&layer.q, &layer.k, &layer.v, &layer.out, &layer.gate, &layer.up, &layer.down})
            for (std::int64_t i = 0; i < std::min(c.width, pair->a.size(1)); ++i) pair->a[i][i] = 1;
    const Batch batch = three_sequences();
    const Trained all(base), low(merged, base, adapter);
    Learner one({c, by_torch}, 1), two({c, by_torch}, 1);
    one.learn(all, batch.view(), batch.step()), two.learn(low, batch.view(), batch.step());
    const LayerWeights& wanted = one.gradient().weights->layers[1];
    const LayerAdapter& got = two.gradient().adapter->layers[1];
    const auto expect_equal = [](const LowRank& part, const at::Tensor& whole, std::int64_t row) {
        const at::Tensor of = whole.narrow(0, row, part.b.size(0));
        EXPECT_LT((part.b.narrow(1, 0, of.size(1)) - of).abs().max().item<float>(), 1e-4f);
        EXPECT_GT(of.abs().max().item<float>(), 1e-3f);
    };
    expect_equal(got.q, wanted.qkv, 0);
    expect_equal(got.k, wanted.qkv, c.q_width());
    expect_equal(got.v, wanted.qkv, c.q_width() + c.kv_width());
    expect_equal(got.out, wanted.out, 0);
    expect_equal(got.gate, wanted.gate_up, 0);
    expect_equal(got.up, wanted.gate_up, c.mlp_width);
    expect_equal(got.down, wanted.down, 0);
}

TEST(Adapter, LearnsAndChangesTheWeights) {
    use_threads(1);
    const Config c = small_config();
    const Parameters base = small_weights(c);
    Parameters merged = base;
    Adapter adapter(c, 4, 8, by_torch);
    adapter.initialize(1);
    const Trained low(merged, base, adapter);
    Learner learner({c, by_torch}, 1);
    Batch batch;
    batch.temperature = 1;
    batch.add(20, 5), batch.add(11, 6);
    std::fill(batch.weight.begin(), batch.weight.end(), 1.0f / 29);
    const hone_step step{.lr = 1e-2, .max_grad_norm = 1, .weight = batch.weight.data()};
    const double first = learner.learn(low, batch.view(), step).objective;
    double last = 0;
    for (int i = 0; i < 60; ++i) last = learner.learn(low, batch.view(), step).objective;
    EXPECT_GT(last, first / 3) << "log-probabilities, from " << first;
    EXPECT_NE(merged.host(), base.host());
}

}  // namespace
}  // namespace hone::lm
