// What a judgement says of a wrong program, and to whom: judge/verify.hpp through real worker and bench processes.
#include <set>
#include "judge_fixture.hpp"

namespace hone {
namespace {

// A judgement of wrong program number n: each has its own order of checks.
Json failed(FakeJudge& fake, int n) {
    const Json doc = fake.ask("axpy", "4 " + std::to_string(n / 10) + " " + std::to_string(n % 10)).doc;
    EXPECT_EQ(doc.at("verdict"), "INCORRECT_NUMERICAL") << doc.dump();
    return doc;
}

TEST(Verify, AFailureNamesPropertyTensorShapeVariantAndKey) {
    FakeJudge fake;
    std::set<std::string> shapes, variants;
    for (int n = 0; n < 20; ++n) {
        const Json doc = failed(fake, n), failure = doc.at("failure");
        EXPECT_EQ(failure.at("property"), "wrong elements");
        EXPECT_EQ(failure.at("tensor"), "o");
        EXPECT_EQ(failure.at("key"), doc.at("keys").at(0));
        EXPECT_EQ(failure.contains("hidden"), failure.at("shape") == "hidden");
        shapes.insert(failure.at("shape"));
        variants.insert(failure.at("variant"));
    }
    EXPECT_EQ(shapes, (std::set<std::string>{"hidden", "timed"}));
    EXPECT_GE(variants.size(), 4u);
}

// The element and its values are for open inputs alone: a hidden case that told them would be no hidden case.
TEST(Verify, OnlyOpenInputsShowValues) {
    FakeJudge fake;
    std::size_t shown = 0;
    for (int n = 0; n < 60; ++n) {
        const Json doc = failed(fake, n), failure = doc.at("failure");
        const bool open = failure.at("shape") == "timed" && failure.at("variant") == "declared";
        const std::string reason = doc.at("reason");
        EXPECT_EQ(reason.find("; o[") != std::string::npos, open) << reason;
        EXPECT_EQ(reason.find(", not ") != std::string::npos, open) << reason;
        shown += open;
    }
    EXPECT_GT(shown, 0u);
    EXPECT_LT(shown, 60u);
}

TEST(Verify, AFailureReplaysFromItsKey) {
    const Json first = FakeJudge(Json{{"seed", ""}}).ask("axpy", "4 1 4").doc;
    FakeJudge fake(Json{{"seed", first.at("failure").at("key")}});
    const Json again = fake.ask("axpy", "4 1 4").doc;
    EXPECT_EQ(again.at("failure"), first.at("failure"));
    EXPECT_EQ(again.at("reason"), first.at("reason"));
}

TEST(Verify, EveryEndingOfACheckSaysWhereItWas) {
    FakeJudge fake;
    const std::pair<const char*, const char*> all[] = {{"3 1 4 crash", "call failed"},      {"3 1 4 outside", "writes outside"},
                                                       {"3 1 4 input", "changes input"},    {"3 1 4 unwritten", "unwritten"},
                                                       {"3 1 4 random", "does not repeat"}, {"3 1 4 stale", "stale"},
                                                       {"3 1 4 late", "writes late"}};
    for (const auto& [program, property] : all) {
        const Json failure = fake.ask("axpy", program).doc.value("failure", Json::object());
        EXPECT_EQ(failure.value("property", ""), property) << program;
        for (const char* key : {"shape", "variant", "key"}) EXPECT_TRUE(failure.contains(key)) << program << " " << key;
    }
    EXPECT_FALSE(fake.ask("axpy", "3 1 4").doc.contains("failure"));
}

}  // namespace
}  // namespace hone
