// The model by LibTorch's operators, on the host: against the kernels of host/ where these know it, against finite
// differences otherwise.
#include <gtest/gtest.h>
#include <cmath>
#include "finite_differences.hpp"
#include "small_model.hpp"
#include "torch_lm/model/parallel.hpp"
#include "torch_lm/model/tensors.hpp"

namespace hone::lm {
namespace {

using namespace test;

constexpr Place by_torch{.torch = true};

std::vector<Config> configs() {
    Config shared = small_config(), plain = small_config();
    plain.tied = false;
    plain.heads = plain.kv_heads = 3;
    plain.head_width = 32;
    return {shared, plain};
}

void expect_close(const std::vector<float>& got, const std::vector<float>& wanted, double tolerance) {
    double size = 0;
    for (const float w : wanted) size = std::max(size, static_cast<double>(std::abs(w)));
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], wanted[i], tolerance * size) << "at " << i;
}

TEST(Transformer, ScoresAsTheKernels) {
    for (const Config& c : configs()) {
        Parameters weights = small_weights(c);
        Learner one({c}, 2), two({c, by_torch}, 2);
        const Scores wanted = scores_of(one, weights, three_sequences()),
                     got = scores_of(two, weights, three_sequences());
        expect_close(got.logp, wanted.logp, 2e-6);
        expect_close(got.entropy, wanted.entropy, 2e-6);
        EXPECT_EQ(got.logp[9], 0) << "the first token of a sequence";
    }
}

TEST(Transformer, GradientIsThatOfTheKernels) {
    for (const Config& c : configs()) {
        Parameters weights = small_weights(c);
        expect_close(gradient_of(c, weights, three_sequences(), 1, by_torch),
                     gradient_of(c, weights, three_sequences(), 1), 1e-5);
    }
}

TEST(Transformer, GradientMatchesFiniteDifferencesInEachFamily) {
    Config biased = small_config(), normed = small_config(), scaled = small_config();
    biased.qkv_bias = true;
    normed.qk_norm = true, normed.tied = false;
    scaled.rope_scaling = {.factor = 8, .original_context = 16};
    for (const Config& c : {small_config(), biased, normed, scaled}) expect_gradient_matches(c, by_torch);
}

TEST(Transformer, LayersThatRunAgainGiveTheSameGradient) {
    const Config c = small_config();
    Parameters weights = small_weights(c);
    const Batch batch = three_sequences();
    Learner keeps({c, by_torch}, 1), runs_again({c, by_torch, 0}, 1);
    keeps.learn(weights, batch.view(), batch.step()), runs_again.learn(weights, batch.view(), batch.step());
    EXPECT_EQ(runs_again.gradient().weights->host(), keeps.gradient().weights->host());
}

TEST(Transformer, LearnsAsTheKernels) {
    const Config c = small_config();
    Parameters a = small_weights(c), b = a;
    Learner one({c}, 1), two({c, by_torch}, 1);
    const Batch batch = three_sequences();
    hone_step step = batch.step();
    step.lr = 1e-3, step.weight_decay = 0.05, step.max_grad_norm = 1;
    for (int i = 0; i < 5; ++i) {
        const hone_stepped wanted = one.learn(a, batch.view(), step), got = two.learn(b, batch.view(), step);
        EXPECT_NEAR(got.objective, wanted.objective, 1e-3);
        EXPECT_NEAR(got.grad_norm, wanted.grad_norm, 1e-4 * wanted.grad_norm);
    }
    EXPECT_NE(a.host(), small_weights(c).host());
    // an update of AdamW is as large as lr where the gradient all but vanishes
    for (const NamedTensor& tensor : a.tensors)
        for (std::size_t i = 0; i < tensor.size; ++i)
            ASSERT_NEAR(b.of(tensor)[i], a.of(tensor)[i], 1e-4) << tensor.name;
}

TEST(Transformer, WeighSeesTheSameLogProbabilities) {
    const Config c = small_config();
    Parameters weights = small_weights(c);
    Learner learner({c, by_torch}, 1);
    const Batch batch = three_sequences();
    hone_step step{};
    step.ctx = const_cast<Batch*>(&batch);
    step.weigh = [](void* ctx, std::uint32_t i, const float*, const float*, float* weight, float* entropy_weight) {
        const auto& b = *static_cast<const Batch*>(ctx);
        std::copy(&b.weight[b.begin[i]], &b.weight[b.begin[i]] + (b.begin[i + 1] - b.begin[i]), weight);
        std::copy(&b.entropy_weight[b.begin[i]], &b.entropy_weight[b.begin[i]] + (b.begin[i + 1] - b.begin[i]),
                  entropy_weight);
    };
    learner.learn(weights, batch.view(), step);
    expect_close(learner.gradient().weights->host(), gradient_of(c, weights, batch, 1, by_torch), 1e-6);
}

TEST(Transformer, SamplesTheSameAnswers) {
    use_threads(1);  // operators as small as these only wait for a second thread
    for (const Config& c : configs()) {
        Parameters weights = small_weights(c);
        std::vector<SampleRequest> requests = some_requests();
        for (SampleRequest& request : requests) request.max_tokens = 20;  // a second block of the cache
        requests[3].rule.temperature = 0;
        requests[4].rule.top_p = 0.7;
        const auto wanted = sample(c, weights, requests, 2, 256), got = sample(c, weights, requests, 2, 5, by_torch);
        ASSERT_EQ(got.size(), wanted.size());
        for (const auto& [key, answer] : wanted) {
            EXPECT_EQ(got.at(key).ids, answer.ids);
            for (std::size_t t = 0; t < answer.ids.size(); ++t) EXPECT_NEAR(got.at(key).logp[t], answer.logp[t], 1e-5);
        }
    }
}

}  // namespace
}  // namespace hone::lm
