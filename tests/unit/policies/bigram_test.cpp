// policy.bigram: exact gradients, scores that equal what was sampled, learning, and checkpoints, all bit for bit
// repeatable.
#include <gtest/gtest.h>
#include <unistd.h>
#include <cmath>
#include <filesystem>
#include "policy_fixture.hpp"

namespace hone {
namespace {

using test::Ask, test::GivenAnswer, test::PolicyPart;

struct Batch {  // owns what a hone_batch points to
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> begin = {0};
    double temperature = 1;
    void add(const GivenAnswer& a) {
        ids.insert(ids.end(), a.prompt_ids.begin(), a.prompt_ids.end());
        ids.insert(ids.end(), a.ids.begin(), a.ids.end());
        begin.push_back(static_cast<std::int64_t>(ids.size()));
    }
    void add(const std::vector<std::int32_t>& sequence) { add(GivenAnswer{.prompt_ids = sequence}); }
    hone_batch view() const {
        return {ids.data(), begin.data(), static_cast<std::uint32_t>(begin.size() - 1), temperature};
    }
};

struct Scores {
    std::vector<float> logp, entropy;
};

Scores score(const PolicyPart& part, const Batch& batch, bool frozen = false) {
    Scores scores{std::vector<float>(batch.ids.size()), std::vector<float>(batch.ids.size())};
    const hone_batch view = batch.view();
    part.check(part.learning().score(part.self(), &view, frozen, scores.logp.data(), scores.entropy.data()));
    return scores;
}

hone_stepped learn(const PolicyPart& part, const Batch& batch, hone_step step) {
    hone_stepped done{};
    const hone_batch view = batch.view();
    part.check(part.learning().learn(part.self(), &view, &step, &done));
    return done;
}

std::vector<std::int32_t> encode(const PolicyPart& part, const std::string& task, const std::string& answer) {
    const std::string role = "assistant";
    const hone_message messages[] = {{{"user", 4}, {task.data(), task.size()}},
                                     {{role.data(), role.size()}, {answer.data(), answer.size()}}};
    std::vector<std::int32_t> ids;
    part.check(part.learning().encode(part.self(), messages, 2, 0, &ids,
                                      [](void* ctx, const std::int32_t* at, const std::int32_t*, std::uint32_t n) {
                                          static_cast<std::vector<std::int32_t>*>(ctx)->assign(at, at + n);
                                      }));
    return ids;
}

std::vector<float> ones(const Batch& batch) { return std::vector<float>(batch.ids.size(), 1.0f); }

std::string temporary_folder() {
    char path[] = "/tmp/hone_bigram_XXXXXX";
    return mkdtemp(path);
}

TEST(Bigram, ScoreEqualsWhatWasSampled) {
    PolicyPart part("bigram", {});
    Batch lesson;
    lesson.add(encode(part, "task a", "3 1 4"));
    const auto weight = ones(lesson);
    learn(part, lesson, {.lr = 0.5, .weight = weight.data()});
    Batch batch;
    batch.temperature = 0.7;
    const auto answers = part.sample({{.messages = {{"user", "task a"}}, .group = 8, .seed = 5, .temperature = 0.7}});
    std::vector<float> sampled;
    for (const auto& [key, a] : answers) {
        batch.add(a);
        sampled.insert(sampled.end(), a.prompt_ids.size(), 0.0f);
        sampled.insert(sampled.end(), a.logp.begin(), a.logp.end());
    }
    ASSERT_EQ(answers.size(), 8u);
    EXPECT_EQ(score(part, batch).logp, sampled);
}

TEST(Bigram, AnswersDependOnSeedAndMemberOnly) {
    PolicyPart one("bigram", {}), other("bigram", {});
    const Ask group{.messages = {{"user", "task a"}}, .group = 4, .seed = 40};
    const auto first = one.sample({group});
    EXPECT_EQ(first, other.sample({group}));
    Ask alone = group;  // member 2 asked for alone
    alone.group = 1;
    alone.seed = 42;
    EXPECT_EQ(other.ask(alone).ids, first.at({0, 2}).ids);
    EXPECT_NE(first.at({0, 0}).ids, first.at({0, 1}).ids);
}

// The objective as a function of the logits moves as the gradient says: one plain step of length h along a gradient of
// norm g raises it by h*g*g.
TEST(Bigram, GradientAgreesWithFiniteDifferences) {
    const Json options = {{"optimizer", "sgd"}};
    Batch batch;
    batch.temperature = 0.8;
    {
        PolicyPart part("bigram", options);
        batch.add(encode(part, "task a", "3 1 4"));
        batch.add(encode(part, "task a", "3 1 5"));
        batch.add(encode(part, "task b", "2"));
    }
    const std::vector<float> weight = {0, 1, -0.5f, 2, 1, 0, 0.3f, 1, 1, 0.7f, 0, -1, 0.5f},
                             entropy_weight = {0, 0.2f, 0, 1, 0, 0, 0.4f, 0, 0, 0.3f, 0, 0.1f, 1};
    ASSERT_EQ(weight.size(), batch.ids.size());
    const auto objective = [&](const PolicyPart& part) {
        const Scores s = score(part, batch);
        double sum = 0;
        for (std::size_t t = 0; t < weight.size(); ++t) sum += weight[t] * s.logp[t] + entropy_weight[t] * s.entropy[t];
        return sum;
    };
    const double h = 1e-3;
    const auto moved = [&](double lr) {
        PolicyPart part("bigram", options);
        // away from the symmetric start
        learn(part, batch, {.lr = 0.3, .weight = weight.data(), .entropy_weight = entropy_weight.data()});
        learn(part, batch, {.lr = lr, .weight = weight.data(), .entropy_weight = entropy_weight.data()});
        return objective(part);
    };
    PolicyPart part("bigram", options);
    learn(part, batch, {.lr = 0.3, .weight = weight.data(), .entropy_weight = entropy_weight.data()});
    const double before = objective(part);
    const hone_stepped step =
        learn(part, batch, {.lr = h, .weight = weight.data(), .entropy_weight = entropy_weight.data()});
    EXPECT_NEAR(step.objective, before, 1e-5);
    EXPECT_EQ(step.tokens, 10);
    EXPECT_NEAR((moved(h) - moved(-h)) / (2 * h), step.grad_norm * step.grad_norm,
                2e-3 * step.grad_norm * step.grad_norm);
}

TEST(Bigram, WeighReplacesWeights) {
    PolicyPart given("bigram", {}), asked("bigram", {});
    Batch batch;
    batch.add(encode(given, "task a", "3 1 4"));
    batch.add(encode(given, "task b", "2"));
    std::vector<float> weight;
    const Scores scores = score(given, batch);
    for (std::size_t t = 0; t < batch.ids.size(); ++t) weight.push_back(scores.logp[t] * 0.5f);
    const hone_stepped one = learn(given, batch, {.lr = 0.1, .weight = weight.data()});
    const hone_stepped two =
        learn(asked, batch,
              {.lr = 0.1,
               .ctx = &batch,
               .weigh = [](void* ctx, std::uint32_t i, const float* logp, const float*, float* w, float*) {
                   const Batch& b = *static_cast<const Batch*>(ctx);
                   for (std::int64_t t = 0; t < b.begin[i + 1] - b.begin[i]; ++t) w[t] = logp[t] * 0.5f;
               }});
    EXPECT_EQ(one.grad_norm, two.grad_norm);
    EXPECT_EQ(score(given, batch).logp, score(asked, batch).logp);
}

TEST(Bigram, ClipsTheGradient) {
    PolicyPart plain("bigram", {{"optimizer", "sgd"}}), clipped("bigram", {{"optimizer", "sgd"}});
    Batch batch;
    batch.add(encode(plain, "task a", "3 1 4"));
    const auto weight = ones(batch);
    const hone_stepped step = learn(plain, batch, {.lr = 0.1, .weight = weight.data()});
    learn(clipped, batch, {.lr = 0.2, .max_grad_norm = step.grad_norm / 2, .weight = weight.data()});
    const auto a = score(plain, batch).logp, b = score(clipped, batch).logp;
    for (std::size_t t = 0; t < a.size(); ++t) EXPECT_NEAR(a[t], b[t], 1e-6);
}

TEST(Bigram, LearnsAnotherProgramForEachTask) {
    PolicyPart part("bigram", {});
    Batch batch;
    batch.add(encode(part, "task a\nan exemplar", "3 1 4"));
    batch.add(encode(part, "task b\nanother", "3 1 5"));
    const auto weight = ones(batch);
    const auto before = score(part, batch);
    for (int i = 0; i < 60; ++i) learn(part, batch, {.lr = 0.2, .weight = weight.data()});
    EXPECT_EQ(part.ask({.messages = {{"user", "task a\nno exemplar"}}, .temperature = 0}).text, "3 1 4");
    EXPECT_EQ(part.ask({.messages = {{"user", "<task> task b <s7> 3 1 4"}}, .temperature = 0}).text, "3 1 5");
    EXPECT_EQ(part.ask({.messages = {{"user", "task b"}}, .temperature = 0, .max_tokens = 2}).finish, HONE_LENGTH);
    EXPECT_EQ(score(part, batch, true).logp, before.logp) << "frozen: the weights as first loaded";
}

// Reinforcement alone, from a uniform start: reward 1 for a first number of 7.
TEST(Bigram, LearnsFromRewards) {
    PolicyPart part("bigram", {});
    const auto is_seven = [](const GivenAnswer& a) { return a.text.starts_with("7"); };
    int hits = 0;
    for (int step = 0; step < 60; ++step) {
        Batch batch;
        std::vector<float> weight;
        const auto answers = part.sample(
            {{.messages = {{"user", "task a"}}, .group = 32, .seed = 1000u + 32u * static_cast<unsigned>(step)}});
        hits = 0;
        for (const auto& [key, a] : answers) hits += is_seven(a);
        for (const auto& [key, a] : answers) {
            batch.add(a);
            weight.insert(weight.end(), a.prompt_ids.size(), 0.0f);
            weight.insert(weight.end(), a.ids.size(), static_cast<float>(is_seven(a)) - static_cast<float>(hits) / 32);
        }
        learn(part, batch, {.lr = 0.1, .weight = weight.data()});
    }
    EXPECT_GT(hits, 28);
}

TEST(Bigram, ResumesBitForBit) {
    const std::string folder = temporary_folder();
    Batch batch;
    PolicyPart through("bigram", {});
    batch.add(encode(through, "task a", "3 1 4"));
    const auto weight = ones(batch);
    const hone_step step{.lr = 0.1, .weight_decay = 0.01, .weight = weight.data()};
    learn(through, batch, step);
    through.check(through.learning().save(through.self(), folder.c_str(), 1));
    PolicyPart resumed("bigram", {});
    resumed.check(resumed.learning().load(resumed.self(), folder.c_str(), 1));
    EXPECT_EQ(learn(through, batch, step).version, 2u);
    EXPECT_EQ(learn(resumed, batch, step).version, 2u);
    EXPECT_EQ(score(through, batch).logp, score(resumed, batch).logp);
    EXPECT_EQ(score(through, batch, true).logp, score(resumed, batch, true).logp);
    std::filesystem::remove_all(folder);
}

TEST(Bigram, WhatWasSampledCanBeEncoded) {
    PolicyPart part("bigram", {});  // it knows " 0" and "3"; an untrained table joins them
    const auto joined = encode(part, "task a", " 03"), apart = encode(part, "task a", " 0");
    ASSERT_EQ(joined.size(), 4u);  // prompt, " 0", "3", end
    EXPECT_EQ(joined[1], apart[1]);
    EXPECT_EQ(joined[2], encode(part, "task a", "3")[1]);
}

TEST(Bigram, AdaptsToTheCorpusOnce) {
    PolicyPart part("bigram", {});
    try {
        encode(part, "task a", "tile 8");
        FAIL();
    } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(),
                     "the vocabulary has no token \"tile\": call policy:adapt(texts) with the corpus first, or name it "
                     "in the option vocabulary");
    }
    const std::string text = "tile 8; unroll";
    const hone_text texts[] = {{text.data(), text.size()}};
    part.check(part.learning().adapt(part.self(), texts, 1, nullptr));
    Batch batch;
    batch.add(encode(part, "task a", text));
    EXPECT_EQ(batch.ids.size(), 6u);  // prompt, "tile", " 8", ";", " unroll", end
    const auto weight = ones(batch);
    learn(part, batch, {.lr = 0.1, .weight = weight.data()});
    EXPECT_EQ(part.learning().adapt(part.self(), texts, 1, nullptr), HONE_REFUSED);
}

TEST(Bigram, RefusesForeignCheckpoints) {
    PolicyPart part("bigram", {});
    try {
        part.check(part.learning().load(part.self(), "/nonexistent", 0));
        FAIL();
    } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "/nonexistent/bigram.json cannot be read: No such file or directory");
    }
}

}  // namespace
}  // namespace hone
