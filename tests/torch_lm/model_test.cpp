// The model's arithmetic: gradients against finite differences, invariances, sampling against scoring.
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include "finite_differences.hpp"
#include "small_model.hpp"
#include "torch_lm/sampling/token_draw.hpp"

namespace hone::lm {
namespace {

using namespace test;

TEST(Gradient, MatchesFiniteDifferencesTied) { expect_gradient_matches(small_config()); }

TEST(Gradient, MatchesFiniteDifferencesUntied) {
    Config c = small_config();
    c.tied = false;
    c.heads = c.kv_heads = 3;
    c.head_width = 8;
    expect_gradient_matches(c);
}

TEST(Gradient, MatchesFiniteDifferencesForTheUsualHeadWidths) {  // which have code of their own
    for (const std::int64_t width : {32, 64}) {
        Config c = small_config();
        c.heads = 2;
        c.kv_heads = 1;
        c.head_width = width;
        expect_gradient_matches(c);
    }
}

TEST(Gradient, ThreadsAndNeighboursChangeOnlyRounding) {
    const Config c = small_config();
    Parameters weights = small_weights(c);
    const Batch batch = three_sequences();
    const auto one = gradient_of(c, weights, batch, 1), two = gradient_of(c, weights, batch, 2),
               five = gradient_of(c, weights, batch, 5);
    for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_NEAR(one[i], two[i], 1e-4 + 1e-4 * std::abs(one[i]));
        EXPECT_NEAR(one[i], five[i], 1e-4 + 1e-4 * std::abs(one[i]));
    }
}

TEST(Gradient, WeighSeesThisForwardAndGivesTheWeights) {
    const Config c = small_config();
    Parameters weights = small_weights(c);
    Learner learner({c}, 2);
    const Batch batch = three_sequences();
    const Scores scores = scores_of(learner, weights, batch);
    const std::vector<float> given = gradient_of(c, weights, batch, 2);
    struct Context {
        const Batch& batch;
        const Scores& scores;
        std::vector<int> called;
    } context{batch, scores, {}};
    hone_step step{};
    step.ctx = &context;
    step.weigh = [](void* ctx, std::uint32_t i, const float* logp, const float* entropy, float* weight,
                    float* entropy_weight) {
        auto& see = *static_cast<Context*>(ctx);
        see.called.push_back(static_cast<int>(i));
        const std::int64_t at = see.batch.begin[i], n = see.batch.begin[i + 1] - at;
        for (std::int64_t t = 0; t < n; ++t) {
            EXPECT_FLOAT_EQ(logp[t], see.scores.logp[at + t]);
            EXPECT_NEAR(entropy[t], see.scores.entropy[at + t], 1e-5);
        }
        std::copy_n(&see.batch.weight[at], n, weight);
        std::copy_n(&see.batch.entropy_weight[at], n, entropy_weight);
    };
    learner.learn(weights, batch.view(), step);
    std::sort(context.called.begin(), context.called.end());
    EXPECT_EQ(context.called, (std::vector<int>{0, 1, 2}));
    for (std::size_t i = 0; i < given.size(); ++i)
        EXPECT_NEAR(learner.gradient().weights->all()[i], given[i], 1e-4 + 1e-4 * std::abs(given[i]));
}

TEST(Score, DoesNotDependOnNeighbours) {
    const Config c = small_config();
    Parameters weights = small_weights(c);
    Learner learner({c}, 2);
    Batch alone, together = three_sequences();
    alone.add(17, 3);
    const Scores one = scores_of(learner, weights, alone), three = scores_of(learner, weights, together);
    EXPECT_EQ(one.logp[0], 0);
    for (int t = 0; t < 17; ++t) EXPECT_NEAR(one.logp[t], three.logp[13 + t], 1e-5);
}

TEST(Learn, NotFiniteIsNotApplied) {
    const Config c = small_config();
    Parameters weights = small_weights(c);
    Learner learner({c}, 1);
    Batch batch = three_sequences();
    batch.weight[3] = NAN;
    const std::vector<float> before = weights.host();
    EXPECT_EQ(learner.learn(weights, batch.view(), batch.step()).applied, 0);
    EXPECT_EQ(weights.host(), before);
}

TEST(Learn, ClipsAndDecays) {
    const Config c = small_config();
    Parameters weights = small_weights(c);
    Learner learner({c}, 1);
    const Batch batch = three_sequences();
    const std::vector<float> before = weights.host();
    hone_step step = batch.step();
    step.lr = 0.1;
    step.weight_decay = 0.5;
    // the first AdamW step is lr * sign(gradient) unless the gradient vanishes beside epsilon
    step.max_grad_norm = 1e-12;
    learner.learn(weights, batch.view(), step);
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(weights.all()[i], before[i] * (1 - 0.1 * 0.5), 1e-4);
}

TEST(Learn, ALanguageOfOneSentenceQuickly) {
    Config c;
    c.vocabulary = 64, c.width = 32, c.layers = 2, c.heads = c.kv_heads = 2, c.head_width = 16, c.mlp_width = 64,
    c.context = 64;
    Parameters weights(c);
    initialize(weights, c, 1);
    Learner learner({c}, 2);
    Batch batch;
    batch.temperature = 1;
    for (int s = 0; s < 8; ++s) batch.add(20, 5);
    std::fill(batch.weight.begin(), batch.weight.end(), 1.0f / (8 * 19));
    hone_step step{.lr = 1e-2, .max_grad_norm = 1, .weight = batch.weight.data()};
    double last = 0;
    for (int i = 0; i < 60; ++i) last = learner.learn(weights, batch.view(), step).objective;
    EXPECT_GT(last, -0.05) << "mean log-probability of a token";
}

// ---- sampling

void expect_scores_as_sampled(const Config& c) {
    Parameters weights = small_weights(c);
    Learner learner({c}, 2);
    for (const auto& [key, a] : sample(c, weights, some_requests(), 2, 4)) {
        Batch batch;
        batch.ids = a.prompt;
        batch.ids.insert(batch.ids.end(), a.ids.begin(), a.ids.end());
        batch.begin.push_back(static_cast<std::int64_t>(batch.ids.size()));
        const Scores s = scores_of(learner, weights, batch);
        for (std::size_t t = 0; t < a.ids.size(); ++t) EXPECT_NEAR(a.logp[t], s.logp[a.prompt.size() + t], 1e-4);
        EXPECT_EQ(a.stopped, a.ids.back() == 1);
        EXPECT_TRUE(a.stopped || a.ids.size() == std::min<std::size_t>(30, 64 - a.prompt.size()));
    }
}

TEST(Sampler, ScoreEqualsWhatWasSampled) {
    for (const std::int64_t width : {6, 32, 64}) {
        Config c = small_config();
        c.head_width = width;
        expect_scores_as_sampled(c);
    }
}

TEST(Sampler, AnswersDoNotDependOnBatchMates) {
    const Config c = small_config();
    Parameters weights = small_weights(c);
    const auto together = sample(c, weights, some_requests(), 2, 256),
               crowded = sample(c, weights, some_requests(), 1, 3);
    EXPECT_EQ(together.size(), 13u);
    for (const auto& request : some_requests())
        for (const auto& [key, a] : sample(c, weights, {request}, 1, 1)) {
            EXPECT_EQ(a.ids, together.at(key).ids);
            EXPECT_EQ(a.ids, crowded.at(key).ids);
        }
    EXPECT_NE(together.at({2, 0}).ids, together.at({2, 1}).ids);
}

TEST(Sampler, CacheBlocksAreUsedAgain) {  // answers longer than several blocks, more requests than the batch holds
    const Config c = [] {
        Config made = small_config();
        made.eos.clear();
        return made;
    }();
    Parameters weights = small_weights(c);
    for (const auto& [key, a] : sample(c, weights, some_requests(), 2, 2))
        EXPECT_EQ(a.ids.size(), std::min<std::size_t>(30, 64 - a.prompt.size()));
}

TEST(DrawToken, FollowsTheDistribution) {
    const std::vector<float> logits{0, 1, 2, -30};
    std::vector<float> scratch;
    std::vector<int> count(4);
    constexpr int draws = 40000;
    for (int i = 0; i < draws; ++i) ++count[draw_token(logits.data(), 4, {0.5}, token_uniform(9, 0, i), scratch).id];
    const double total = 1 + std::exp(2.0) + std::exp(4.0);
    for (int id = 0; id < 3; ++id) EXPECT_NEAR(count[id] / double(draws), std::exp(2.0 * id) / total, 0.01);
    EXPECT_NEAR(draw_token(logits.data(), 4, {0.5}, 0.999, scratch).logp, std::log(std::exp(4.0) / total), 1e-5);
    EXPECT_EQ(draw_token(logits.data(), 4, {0}, 0.3, scratch).id, 2);
}

TEST(DrawToken, NucleusIsRenormalised) {
    const std::vector<float> logits{std::log(0.5f), std::log(0.3f), std::log(0.15f), std::log(0.05f)};
    std::vector<float> scratch;
    for (int i = 0; i < 200; ++i) {
        const TokenDraw drawn = draw_token(logits.data(), 4, {1, 0.7}, i / 200.0, scratch);
        ASSERT_LT(drawn.id, 2);
        EXPECT_NEAR(drawn.logp, std::log((drawn.id == 0 ? 0.5 : 0.3) / 0.8), 1e-5);
    }
    EXPECT_EQ(draw_token(logits.data(), 4, {1, 1e-9}, 0.99, scratch).id, 0);
}

// Probabilities 0.4, 0.2, 0.2, 0.1, 0.1.
TEST(DrawToken, FiltersFollowEachOther) {
    const std::vector<float> logits{std::log(0.4f), std::log(0.2f), std::log(0.2f), std::log(0.1f), std::log(0.1f)};
    std::vector<float> scratch;
    const auto largest = [&](const DrawRule& rule) {
        std::int32_t id = 0;
        for (int i = 0; i < 1000; ++i) id = std::max(id, draw_token(logits.data(), 5, rule, i / 1000.0, scratch).id);
        return id;
    };
    EXPECT_EQ(largest({}), 4);
    EXPECT_EQ(largest({.top_k = 1}), 0);
    EXPECT_EQ(largest({.top_k = 2}), 2) << "as likely as the last";
    EXPECT_EQ(largest({.min_p = 0.3}), 2);
    EXPECT_EQ(largest({.min_p = 0.6}), 0);
    EXPECT_EQ(largest({.top_p = 0.5, .top_k = 3}), 0) << "half of what the three hold";
    EXPECT_NEAR(draw_token(logits.data(), 5, {.top_k = 2}, 0, scratch).logp, std::log(0.5), 1e-6);
}

TEST(DrawToken, EndsOfTheRange) {
    const std::vector<float> logits{-200, 0, -200};
    std::vector<float> scratch;
    for (const double u : {0.0, 0.5, 1 - 0x1p-53}) EXPECT_EQ(draw_token(logits.data(), 3, {}, u, scratch).id, 1);
}

}  // namespace
}  // namespace hone::lm
