// policy.http: what answers cost, and answers that were paid for before.
#include "base/paths.hpp"
#include "http_fixture.hpp"

namespace hone {
namespace {

using test::Ask, test::completion, test::HttpPolicy, test::key, test::PolicyPart, test::ScriptedServer;

TEST_F(HttpPolicy, ACostThatIsNotKnownIsToldOnce) {
    config("[provider.openai.price.\"gpt-test\"]\ninput = 2\noutput = 10\n");
    Json uncounted = completion("x"), half = completion("x"), priced = completion("x");
    uncounted.erase("usage");
    half["usage"].erase("prompt_tokens");
    priced["usage"] = {{"cost", 0.5}};
    const std::string told =
        "openai/gpt-test: the server does not say how many tokens it read and wrote: the cost is unknown, and what is "
        "missing counts as 0\n";
    for (const Json& body : {uncounted, half, priced}) {
        PolicyPart::logged().clear();
        const ScriptedServer server(Json{{"then", {{"body", body}}}}.dump());
        PolicyPart part("http", options(server));
        for (int i = 0; i < 2; ++i) part.ask({.messages = {{"user", "q"}}});
        const std::string& logged = PolicyPart::logged();
        const std::size_t first = logged.find(told);
        EXPECT_EQ(first != std::string::npos, body != priced) << logged;
        EXPECT_EQ(facts_of(part).find(told) != std::string::npos, body != priced) << "for the record";
        if (body == priced) continue;
        EXPECT_EQ(logged.find(told, first + 1), std::string::npos) << "told once";
    }
}

TEST_F(HttpPolicy, CostsWhatTheTableSays) {
    config("[provider.openai.price.\"gpt-test\"]\ninput = 2\noutput = 10\n");
    const ScriptedServer server;
    PolicyPart part("http", options(server));
    EXPECT_NEAR(part.ask({.messages = {{"user", "q"}}}).usd, (10 * 2 + 5 * 10) / 1e6, 1e-12);
    EXPECT_NEAR(part.spent(), 70e-6, 1e-12);
}

TEST_F(HttpPolicy, WhatWasPaidForIsNotPaidAgain) {
    const std::string answers = folder() + "/paid";
    config("[provider.openai.price.\"gpt-test\"]\ninput = 1\noutput = 2\n");
    int written = 0;
    const ScriptedServer server("{}", [&](const Json&) { return "answer " + std::to_string(++written); });
    const std::vector<Ask> asks = {{.messages = {{"user", "q"}}, .group = 3, .seed = 5}};
    const auto answered = [&](const Json& more) {
        PolicyPart part("http", options(server, more));
        return part.sample(asks);
    };
    const Json kept = {{"answers", answers}, {"concurrency", 1}};
    const auto first = answered(kept), second = answered(kept);
    EXPECT_EQ(server.requests().size(), 1u) << "n = 3";
    for (std::uint32_t member = 0; member < 3; ++member) {
        EXPECT_EQ(second.at({0, member}).text, first.at({0, member}).text);
        EXPECT_GT(first.at({0, member}).usd, 0);
        EXPECT_EQ(second.at({0, member}).usd, 0);
        EXPECT_EQ(second.at({0, member}).tokens_out, first.at({0, member}).tokens_out);
    }
    EXPECT_NE(PolicyPart::logged().find("openai/gpt-test: answers that were paid for before come from " + answers),
              std::string::npos);
    // without one of them, and with another temperature
    const auto file = std::filesystem::directory_iterator(answers)->path();
    EXPECT_EQ(read_file(file).find(key), std::string::npos);
    write_file(file, "{\"text\": \"cut sh");
    PolicyPart::logged().clear();
    answered(kept);
    EXPECT_EQ(server.requests().size(), 2u) << "that one alone";
    const std::string& said = PolicyPart::logged();
    const std::size_t told =
        said.find(file.string() + " is damaged or cannot be read: what it answered is asked again");
    EXPECT_NE(told, std::string::npos) << said;
    EXPECT_EQ(said.find("is damaged", told + 200), std::string::npos) << said;
    PolicyPart::logged().clear();
    answered(kept);
    EXPECT_EQ(said.find("is damaged"), std::string::npos) << "it is whole again";
    PolicyPart part("http", options(server, kept));
    part.sample({{.messages = {{"user", "q"}}, .group = 3, .seed = 5, .temperature = 0.5}});
    EXPECT_EQ(server.requests().size(), 3u);
    answered({{"concurrency", 1}});
    EXPECT_EQ(server.requests().size(), 4u) << "nothing is kept unless asked for";
}

// Once their cause is mended, a resumed run would meet them for ever.
TEST_F(HttpPolicy, ARefusalIsNotKept) {
    const Json refused = {
        {"body", {{"choices", {{{"message", {{"content", ""}}}, {"finish_reason", "content_filter"}}}}}}};
    const ScriptedServer server(Json{{"steps", {refused}}, {"text", "hello"}}.dump());
    PolicyPart part("http", options(server, {{"answers", folder() + "/paid"}, {"stream", "no"}}));
    const Ask question{.messages = {{"user", "q"}}, .seed = 5};
    EXPECT_EQ(part.ask(question).finish, HONE_REFUSAL);
    EXPECT_EQ(part.ask(question).text, "hello");
    EXPECT_EQ(part.ask(question).text, "hello");
    EXPECT_EQ(server.requests().size(), 2u);
}

// A protocol without stop texts has hone cut the answer: what was kept is cut for its question alone.
TEST_F(HttpPolicy, AnAnswerThatIsKeptAnswersTheSameStopTextsAlone) {
    const ScriptedServer server(R"({"text": "hello STOP world"})");
    PolicyPart part("http",
                    options(server, {{"protocol", "responses"}, {"answers", folder() + "/paid"}, {"stream", "no"}}));
    const auto text = [&](const std::vector<std::string>& stop) {
        return part.ask({.messages = {{"user", "q"}}, .seed = 5, .stop = stop}).text;
    };
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(text({"STOP"}), "hello ");
        EXPECT_EQ(text({}), "hello STOP world");
    }
    EXPECT_EQ(server.requests().size(), 2u);
}

}  // namespace
}  // namespace hone
