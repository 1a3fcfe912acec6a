// policy.torch-lm behind the boundary: adapters.
#include "part_fixture.hpp"

namespace hone {
namespace {

using namespace test::lm_part;
using test::Ask, test::GivenAnswer, test::PolicyPart, test::TemporaryFolder;

// Options of an adapter over a model that is saved there.
Json over_a_tiny_model(const TemporaryFolder& folder) {
    PolicyPart tiny("torch-lm", two_threads);
    adapt(tiny, {program, program});
    save(tiny, folder.path());
    return {{"threads", 2}, {"model", folder.path()}, {"lora", 4}};
}

TEST(TorchLmPart, AnAdapterLearnsAndComesBack) {
    const TemporaryFolder base, saved;
    const Json options = over_a_tiny_model(base);
    PolicyPart part("torch-lm", options);
    const auto ids = lesson(part, "double", program);
    const auto before = score(part, ids);
    EXPECT_EQ(learn(part, ids, 5).version, 5u);
    EXPECT_GT(score(part, ids)[8], before[8]);
    EXPECT_EQ(score(part, ids, true), before) << "frozen: the weights as first loaded";
    part.check(part.learning().save(part.self(), saved.path().c_str(), 1));
    PolicyPart resumed("torch-lm", options);
    resumed.check(resumed.learning().load(resumed.self(), saved.path().c_str(), 1));
    EXPECT_EQ(score(resumed, ids), score(part, ids));
    learn(part, ids, 3), learn(resumed, ids, 3);
    EXPECT_EQ(score(resumed, ids), score(part, ids)) << "moments and counters came back";
    EXPECT_EQ(score(resumed, ids, true), before);
    EXPECT_TRUE(std::filesystem::exists(saved.path() + "/adapter/adapter_config.json"));
}

// The loaded weights are what a new adapter changes; the frozen ones stay those of the first model.
TEST(TorchLmPart, AnAdapterGoesOnFromAnotherCheckpoint) {
    const TemporaryFolder base, first, second;
    const Json options = over_a_tiny_model(base);
    PolicyPart part("torch-lm", options);
    const auto ids = lesson(part, "double", program);
    const auto before = score(part, ids);
    learn(part, ids, 5);
    const auto learnt = score(part, ids);
    part.check(part.learning().save(part.self(), first.path().c_str(), 0));
    part.check(part.learning().load(part.self(), first.path().c_str(), 0));
    EXPECT_EQ(score(part, ids), learnt);
    EXPECT_EQ(score(part, ids, true), before);
    learn(part, ids, 3);
    part.check(part.learning().save(part.self(), second.path().c_str(), 1));
    const auto named = [](const std::string& folder) {
        return Json::parse(read_file(folder + "/adapter/adapter_config.json"))["base_model_name_or_path"];
    };
    EXPECT_EQ(named(first.path()), base.path());
    EXPECT_EQ(named(second.path()), first.path()) << "what the adapter was learnt over";
    PolicyPart resumed("torch-lm", options);
    resumed.check(resumed.learning().load(resumed.self(), second.path().c_str(), 1));
    learn(part, ids, 2), learn(resumed, ids, 2);
    EXPECT_EQ(score(resumed, ids), score(part, ids)) << "its base came back, too";
    EXPECT_EQ(score(resumed, ids, true), before);
}

// By another scale the same numbers would be another model.
TEST(TorchLmPart, AResumedAdapterIsOfTheSameRankAndAlpha) {
    const TemporaryFolder base, saved;
    PolicyPart tiny("torch-lm", two_threads);
    tiny.check(tiny.learning().save(tiny.self(), base.path().c_str(), 1));
    const Json options = {{"threads", 2}, {"model", base.path()}, {"lora", 4}, {"lora_alpha", 2.5}};
    PolicyPart part("torch-lm", options);
    part.check(part.learning().save(part.self(), saved.path().c_str(), 1));
    const auto resume = [&](const std::string& folder, const Json& changed) {
        Json other = options;
        other.update(changed);
        return error_of([&] {
            PolicyPart resumed("torch-lm", other);
            resumed.check(resumed.learning().load(resumed.self(), folder.c_str(), 1));
        });
    };
    const std::string learnt = saved.path() + ": was learnt with lora = 4, lora_alpha = 2.5, and the policy's options ",
                      cure = "; give those of the folder, or begin another run";
    EXPECT_EQ(resume(saved.path(), Json::object()), "no error");
    EXPECT_EQ(resume(saved.path(), {{"lora_alpha", 0}}), learnt + "are lora = 4, lora_alpha = 8" + cure);
    EXPECT_EQ(resume(saved.path(), {{"lora", 8}}), learnt + "are lora = 8, lora_alpha = 2.5" + cure);
    EXPECT_EQ(resume(saved.path(), {{"lora", 0}, {"lora_alpha", 0}}), learnt + "are lora = 0" + cure);
    EXPECT_EQ(
        resume(base.path(), Json::object()),
        base.path() + ": was learnt with lora = 0, and the policy's options are lora = 4, lora_alpha = 2.5" + cure);
}

TEST(TorchLmPart, AlphaWithoutAnAdapterIsRefused) {
    EXPECT_EQ(error_of([] {
                  PolicyPart("torch-lm", {{"lora_alpha", 8}});
              }),
              "policy.torch-lm: lora_alpha scales an adapter, and without lora there is none: give lora, its rank, or "
              "leave lora_alpha out");
}

}  // namespace
}  // namespace hone
