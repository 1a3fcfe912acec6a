// policy.http and a run's budget: what is reserved, what is settled, and which prices are known.
#include <limits>
#include <thread>
#include "http_fixture.hpp"

namespace hone {
namespace {

using test::Ask, test::HttpPolicy, test::PolicyPart, test::ScriptedServer;

const std::string priced = "[provider.openai.price.\"gpt-test\"]\ninput = 2\noutput = 10\n";
const Ask question = {.messages = {{"user", "q"}}, .max_tokens = 100};

std::string error_of(PolicyPart& part, const std::vector<Ask>& asks) {
    try {
        part.sample(asks);
    } catch (const std::runtime_error& e) {
        return e.what();
    }
    return "no error";
}

TEST_F(HttpPolicy, NothingIsSentThatMightExceedTheBudget) {
    config(priced);
    const ScriptedServer server;
    PolicyPart part("http", options(server));
    part.budget().cap(100 * 10 / 1e6);  // the answer alone
    EXPECT_EQ(error_of(part, {question}), "the run's budget is spent");
    EXPECT_EQ(server.requests().size(), 0u);
    EXPECT_GT(part.budget().refused().value(), 100 * 10 / 1e6) << "and the prompt's bytes";
    EXPECT_EQ(part.spent(), 0);
}

// Both fit, and not at once: the second waits until the first has cost less than it might have.
TEST_F(HttpPolicy, RequestsThatDoNotFitTogetherFollowEachOther) {
    config(priced);
    const ScriptedServer server(R"({"then": {"delay": 0.05}})");
    PolicyPart part("http", options(server));
    part.budget().cap(1.5 * (100 * 10 + 200 * 2) / 1e6);
    const auto answers = part.sample({question, question});
    EXPECT_EQ(answers.size(), 2u);
    EXPECT_EQ(server.most_at_once(), 1);
    EXPECT_NEAR(part.spent(), 2 * (10 * 2 + 5 * 10) / 1e6, 1e-12);
    EXPECT_NEAR(part.budget().left(), part.budget().cap() - part.spent(), 1e-12) << "nothing stays reserved";
}

// A group by one request (n) is asked for in parts that fit; the smallest is one answer.
TEST_F(HttpPolicy, AGroupAboveTheBudgetIsAskedForInParts) {
    config(priced);
    const ScriptedServer server;
    PolicyPart part("http", options(server));
    part.budget().cap(2.9 * 100 * 10 / 1e6);
    Ask group = question;
    group.group = 4;
    EXPECT_EQ(part.sample({group}).size(), 4u);
    const auto requests = server.requests();
    ASSERT_EQ(requests.size(), 2u);
    EXPECT_EQ(requests[0]["body"]["n"], 2);
    EXPECT_EQ(server.most_at_once(), 1);
    EXPECT_NEAR(part.spent(), 2 * (10 * 2 + 10 * 10) / 1e6, 1e-12);
    EXPECT_EQ(part.budget().refused(), std::nullopt) << "the run goes on";
    PolicyPart poor("http", options(server));
    poor.budget().cap(100 * 10 / 1e6);  // one answer alone, without the prompt's bytes
    EXPECT_EQ(error_of(poor, {group}), "the run's budget is spent");
    EXPECT_EQ(server.requests().size(), 2u);
    EXPECT_LT(poor.budget().refused().value(), 2 * 100 * 10 / 1e6) << "of one answer";
}

// Another policy's reservation, settled for nothing after a tenth of a second.
std::thread held_for_a_while(PolicyPart& part, double usd) {
    EXPECT_EQ(part.budget().reserve(usd), Budget::Reserved::yes);
    return std::thread([&part, usd] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        part.budget().settle(usd, 0, false);
    });
}

// Another policy's money may come back: nothing is split for it.
TEST_F(HttpPolicy, AGroupWaitsForRoomThatAnotherPolicyHolds) {
    config(priced);
    const ScriptedServer server;
    PolicyPart part("http", options(server));
    part.budget().cap(0.01);
    std::thread other = held_for_a_while(part, 0.0099);
    Ask group = question;
    group.group = 4;
    EXPECT_EQ(part.sample({group}).size(), 4u);
    other.join();
    ASSERT_EQ(server.requests().size(), 1u);
    EXPECT_EQ(server.requests()[0]["body"]["n"], 4);
    EXPECT_EQ(part.budget().refused(), std::nullopt);
}

TEST_F(HttpPolicy, WhatMayHaveBeenBilledIsSpent) {
    config(priced);
    const Json broken[] = {{{"cut", 20}}, {{"body", "<html>"}}, {{"delay", 2}}};
    for (const Json& step : broken) {
        const ScriptedServer server(Json{{"then", step}}.dump());
        PolicyPart part("http", options(server, {{"tries", 1}, {"deadline", 1}, {"max_bytes", 1000}}));
        const auto begun = part.budget().paid();
        part.ask(question);
        EXPECT_GT(part.budget().paid(), begun) << step;
        EXPECT_EQ(part.budget().maybe(), part.budget().paid()) << step;
    }
    const Json free[] = {{{"status", 500}, {"body", "down"}}, {{"status", 400}, {"body", "no"}}};
    for (const Json& step : free) {
        const ScriptedServer server(Json{{"then", step}}.dump());
        PolicyPart part("http", options(server, {{"tries", 1}}));
        part.ask(question);
        EXPECT_EQ(part.budget().paid(), 0) << step;
        EXPECT_EQ(part.budget().left(), part.budget().cap()) << step;
    }
}

TEST_F(HttpPolicy, ABudgetNeedsAPriceAndALimit) {
    setenv("ACME_KEY", "secret-of-acme", 1);
    PolicyPart far("http", {{"model", "acme/m"}, {"base_url", "https://203.0.113.1/v1"}, {"key_env", "ACME_KEY"}});
    far.budget().cap(1);
    EXPECT_EQ(error_of(far, {question}),
              "no price is known for acme/m, and the run has a budget; put [provider.acme.price.\"m\"] with input and "
              "output into hone.toml, in US dollars per million tokens");
    unsetenv("ACME_KEY");
    const ScriptedServer server;
    PolicyPart proxy("http", options(server));  // on this machine; the key says that somebody bills
    proxy.budget().cap(1);
    EXPECT_TRUE(error_of(proxy, {question}).starts_with("no price is known for openai/gpt-test, and the run has a"));
    config(priced);
    PolicyPart part("http", options(server));
    part.budget().cap(1);
    EXPECT_EQ(error_of(part, {{.messages = {{"user", "q"}}, .max_tokens = 0}}),
              "the run has a budget, and max_tokens is not said: an answer could cost any amount");
}

// With another number of tokens than the reservation knows, a request could cost more.
TEST_F(HttpPolicy, ABudgetKnowsWhatIsSent) {
    config(priced);
    const ScriptedServer server;
    for (const char* body : {R"({"max_tokens": 100000})", R"({"max_tokens": null})"}) {
        PolicyPart part("http", options(server, {{"body", body}}));
        part.budget().cap(1);
        EXPECT_EQ(error_of(part, {question}),
                  "the run has a budget, and body holds \"max_tokens\", so that a request may cost more than was "
                  "reserved; leave it out of body");
        part.budget().cap(std::numeric_limits<double>::infinity());
        EXPECT_EQ(error_of(part, {question}), "no error");
    }
}

// A server that does not say what it read and wrote may bill as much as was reserved.
TEST_F(HttpPolicy, ACostThatIsNotToldIsTheMostThatItCanBe) {
    config(priced);
    Json body = test::completion("yes");
    body.erase("usage");
    const ScriptedServer server(Json{{"then", {{"body", body}}}}.dump());
    PolicyPart part("http", options(server));
    part.budget().cap(1);
    part.ask(question);
    EXPECT_GT(part.spent(), 100 * 10 / 1e6);
    EXPECT_EQ(part.budget().maybe(), part.spent());
}

// No such answer can have that usage: it is no usage.
TEST_F(HttpPolicy, AUsageThatCannotBeIsNone) {
    config(priced);
    for (const Json& usage : Json::array({{{"prompt_tokens", -500}, {"completion_tokens", -10000}},
                                          {{"prompt_tokens", 10}, {"completion_tokens", -1}},
                                          {{"prompt_tokens", 10}, {"completion_tokens", 0}},
                                          {{"prompt_tokens", 0}, {"completion_tokens", 5}},
                                          {{"prompt_tokens", 1e300}, {"completion_tokens", 5}}})) {
        Json body = test::completion("yes");
        body["usage"] = usage;
        const ScriptedServer server(Json{{"then", {{"body", body}}}}.dump());
        PolicyPart part("http", options(server));
        part.budget().cap(1);
        part.ask(question);
        EXPECT_GT(part.spent(), 100 * 10 / 1e6) << usage;
        EXPECT_EQ(part.budget().maybe(), part.spent()) << usage;
    }
}

// A later event of a stream may tell less than the first one did, and a total what its parts leave out.
TEST_F(HttpPolicy, OfTwoCountsTheLargerIsPaid) {
    const auto tokens = [&](const std::string& protocol, const Json& step) {
        const ScriptedServer server(Json{{"then", step}}.dump());
        PolicyPart part(
            "http",
            {{"model", "x/m"}, {"base_url", server.base_url()}, {"key_env", "OPENAI_API_KEY"}, {"protocol", protocol}});
        const auto answer = part.ask(question);
        return std::pair(answer.tokens_in, answer.tokens_out);
    };
    std::vector<std::string> events = test::provider_reply("/v1/messages", {{"model", "m"}}, "yes").events;
    for (std::string& event : events)
        if (const std::size_t at = event.find("\"usage\":{\"output_tokens\""); at != std::string::npos)
            event.insert(at + 9, "\"input_tokens\":0,");
    EXPECT_EQ(tokens("messages", {{"events", events}}), std::pair(10.0, 5.0));
    Json body = test::provider_reply("/v1beta/models/m:generateContent", Json::object(), "yes").whole;
    body["usageMetadata"] = {{"promptTokenCount", 100}, {"thoughtsTokenCount", 5}, {"totalTokenCount", 155}};
    EXPECT_EQ(tokens("gemini", {{"body", body}}), std::pair(100.0, 55.0));
}

// A server of this machine may pass requests on to one that bills: no more than one answer tells that.
TEST_F(HttpPolicy, ACostWithoutAPriceEndsARunThatHasABudget) {
    Json body = test::completion("yes");
    body["usage"]["cost"] = 1;
    const ScriptedServer server(Json{{"then", {{"body", body}}}}.dump());
    const std::string no_price =
        "no price is known for mine/zz, and the run has a budget; put [provider.mine.price.\"zz\"] with input and "
        "output into hone.toml, in US dollars per million tokens";
    const Json mine = {{"model", "mine/zz"}, {"base_url", server.base_url()}, {"key_env", "none"}};
    PolicyPart part("http", mine);
    part.budget().cap(1.5);
    EXPECT_EQ(error_of(part, {question, question, question, question}),
              "the server bills $1 for an answer: " + no_price);
    EXPECT_EQ(server.requests().size(), 1u);
    EXPECT_EQ(part.budget().paid(), 1);
    EXPECT_EQ(error_of(part, {question}), no_price);
    EXPECT_EQ(server.requests().size(), 1u);
    const ScriptedServer free;
    PolicyPart costs_nothing("http", {{"model", "mine/free"}, {"base_url", free.base_url()}, {"key_env", "none"}});
    costs_nothing.budget().cap(1.5);
    EXPECT_EQ(error_of(costs_nothing, {question, question, question}), "no error");
}

TEST_F(HttpPolicy, ThoughtsThatAreCountedBesideTheAnswerArePaidFor) {
    config(priced);
    const auto tokens = [&](const Json& usage) {
        Json body = test::completion("yes");
        body["usage"] = usage;
        const ScriptedServer server(Json{{"then", {{"body", body}}}}.dump());
        PolicyPart part("http", options(server));
        const auto answer = part.ask(question);
        EXPECT_NEAR(answer.usd, (100 * 2 + answer.tokens_out * 10) / 1e6, 1e-12);
        return answer.tokens_out;
    };
    const Json thoughts = {{"reasoning_tokens", 300}};
    Json usage = {{"prompt_tokens", 100}, {"completion_tokens", 350}, {"completion_tokens_details", thoughts}};
    EXPECT_EQ(tokens(usage), 350) << "as OpenAI counts";
    usage["completion_tokens"] = 50;
    EXPECT_EQ(tokens(usage), 350);
    usage["total_tokens"] = 450;
    EXPECT_EQ(tokens(usage), 350) << "as xAI counts";
}

// A price that a person wrote holds; a cost that a server tells holds where nobody wrote one.
TEST_F(HttpPolicy, ThePriceOfTheTableHoldsAlsoWhereACostIsTold) {
    Json body = test::completion("yes");
    body["usage"]["cost"] = 0;
    const auto cost = [&](const Json& more) {
        body["usage"].update(more);
        const ScriptedServer server(Json{{"then", {{"body", body}}}}.dump());
        PolicyPart part("http", options(server, {{"model", "openai/gpt-test-2026-03-05"}}));
        return part.ask(question).usd * 1e6;
    };
    config("");
    EXPECT_EQ(cost({{"cost", 0.5}}), 0.5e6);
    const Json own_key = {{"is_byok", true}, {"cost_details", {{"upstream_inference_cost", 0.25}}}};
    EXPECT_EQ(cost(own_key), 0.75e6) << "and what the provider behind it bills";
    config(priced);
    EXPECT_NEAR(cost({{"cost", 0}}), 10 * 2 + 5 * 10, 1e-9) << "of gpt-test: a date behind the name";
}

// A gateway gave up on a model that works.
TEST_F(HttpPolicy, AGatewaysTimeOutMayHaveBeenBilled) {
    config(priced);
    for (const int status : {502, 504, 524}) {
        const ScriptedServer server(Json{{"then", {{"status", status}, {"body", "late"}}}}.dump());
        PolicyPart part("http", options(server, {{"tries", 1}}));
        part.ask(question);
        EXPECT_EQ(part.budget().paid() > 0, status != 502) << status;
    }
}

// Another policy's reservation may be settled for less: who finds no room waits for that.
TEST_F(HttpPolicy, RoomThatAnotherPolicyHoldsIsWaitedFor) {
    config(priced);
    const ScriptedServer server;
    PolicyPart part("http", options(server));
    part.budget().cap(0.002);
    std::thread other = held_for_a_while(part, 0.0019);
    EXPECT_EQ(error_of(part, {question}), "no error");
    other.join();
    EXPECT_EQ(part.budget().refused(), std::nullopt);
    EXPECT_EQ(part.budget().reserve(-1), Budget::Reserved::never) << "no amount";
}

// Anthropic's: 6 tokens beside the cache, 100 into it, 4 out of it, and 5 written.
TEST_F(HttpPolicy, TokensOfACacheHaveTheirPrices) {
    Json body = test::provider_reply("/v1/messages", {{"model", "claude-opus-5"}}, "yes").whole;
    body["usage"]["cache_creation_input_tokens"] = 100;
    const ScriptedServer server(Json{{"then", {{"body", body}}}}.dump());
    setenv("ANTHROPIC_API_KEY", "secret-of-anthropic", 1);
    const auto cost = [&] {
        PolicyPart part("http", {{"model", "anthropic/claude-opus-5"}, {"base_url", server.base_url()}});
        const auto answer = part.ask({.messages = {{"user", "q"}}, .max_tokens = 100});
        EXPECT_EQ(answer.tokens_in, 110);
        return answer.usd * 1e6;
    };
    EXPECT_NEAR(cost(), 6 * 5 + 100 * 6.25 + 4 * 0.5 + 5 * 25, 1e-9);
    const std::string table = "[provider.anthropic.price.claude-opus-5]\ninput = 2\noutput = 10\n";
    config(table);
    EXPECT_NEAR(cost(), 6 * 2 + 100 * 2.5 + 4 * 2 + 5 * 10, 1e-9) << "a quarter more, unless it is said";
    config(table + "cached = 0.2\ncache_write = 3\n");
    EXPECT_NEAR(cost(), 6 * 2 + 100 * 3 + 4 * 0.2 + 5 * 10, 1e-9);
    unsetenv("ANTHROPIC_API_KEY");
}

// By its own price table a request cannot cost as much: the table is wrong, and a budget may be exceeded.
TEST_F(HttpPolicy, ABillAboveTheReservationIsToldOnce) {
    config(priced);
    Json body = test::completion("yes");
    body["model"] = "gpt-test";
    body["usage"] = {{"prompt_tokens", 10}, {"completion_tokens", 1000}};
    const ScriptedServer server(Json{{"then", {{"body", body}}}}.dump());
    const std::string told =
        "openai/gpt-test: the server bills more than a request can cost by its price: $0.01 where at most $0.00132 "
        "were "
        "reserved, so that a budget may be exceeded; correct the price in hone.toml\n";
    for (int policies = 0; policies < 2; ++policies) {
        PolicyPart part("http", options(server));
        part.sample({question, question});
        EXPECT_NE(facts_of(part).find(told), std::string::npos) << facts_of(part);
    }
    EXPECT_EQ(PolicyPart::logged(), told);
}

TEST_F(HttpPolicy, PricesOfCommonModelsAreKnown) {
    const ScriptedServer server;
    const auto cost = [&](const std::string& model, const std::string& source) {
        PolicyPart part("http", {{"model", model}, {"base_url", server.base_url()}, {"key_env", "OPENAI_API_KEY"}});
        EXPECT_NE(facts_of(part).find("price=" + source + "\n"), std::string::npos) << model << facts_of(part);
        return part.ask(question).usd * 1e6;
    };
    EXPECT_NEAR(cost("openai/gpt-5.4", "hone's table of July 2026"), 10 * 2.5 + 5 * 15, 1e-9);
    EXPECT_NEAR(cost("openai/gpt-5.4-2026-03-05", "hone's table of July 2026"), 10 * 2.5 + 5 * 15, 1e-9);
    EXPECT_NEAR(cost("openai/gpt-5.4-mini", "hone's table of July 2026"), 10 * 0.75 + 5 * 4.5, 1e-9);
    EXPECT_EQ(cost("openai/gpt-5.4-large", "not known"), 0);
    EXPECT_EQ(cost("openai/gpt-5.4-20b", "not known"), 0);
    EXPECT_EQ(cost("openai/gpt-5.4-20", "not known"), 0);
    config(
        "[provider.openai.price.\"gpt-5.4\"]\ninput = 1\noutput = 2\nlong_above = 9\nlong_input = 3\nlong_output = "
        "4\n");
    EXPECT_NEAR(cost("openai/gpt-5.4", "hone.toml"), 10 * 3 + 5 * 4, 1e-9) << "its prompt is a long one";
}

}  // namespace
}  // namespace hone
