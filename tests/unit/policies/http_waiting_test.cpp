// policy.http against a scripted server: many at once, waits, retries, limits, servers that are slow, gone or silent.
#include <sys/resource.h>
#include <chrono>
#include <cmath>
#include <thread>
#include "base/load.hpp"
#include "http/limit.hpp"
#include "http/retry.hpp"
#include "http_fixture.hpp"

namespace hone {
namespace {

using test::Ask, test::completion, test::GivenAnswer, test::HttpPolicy, test::key, test::PolicyPart,
    test::ScriptedServer;

TEST_F(HttpPolicy, KeepsManyUnderWay) {
    const ScriptedServer server(R"({"then": {"together": 64}})");
    PolicyPart part("http", options(server));
    std::vector<Ask> asks;
    for (unsigned i = 0; i < 64; ++i) asks.push_back({.messages = {{"user", std::to_string(i)}}});
    EXPECT_EQ(part.sample(asks).size(), 64u);
    EXPECT_EQ(server.most_at_once(), 64);
    EXPECT_EQ(server.requests().size(), 64u);
}

TEST_F(HttpPolicy, WaitsAsLongAsTheServerAsks) {
    const ScriptedServer server(
        R"({"steps": [{"status": 429, "headers": {"Retry-After": "1"}, "body": {"error": {"message": "slow down"}}}]})");
    PolicyPart part("http", options(server));
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text, "an answer");
    EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(1000));
    EXPECT_EQ(server.requests().size(), 2u);
}

TEST_F(HttpPolicy, WaitsAPartOfASecondToo) {
    const ScriptedServer server(R"({"steps": [{"status": 429, "headers": {"Retry-After": "1.5"}, "body": ""}]})");
    PolicyPart part("http", options(server));
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text, "an answer");
    EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(1500));
}

TEST_F(HttpPolicy, TriesAgainAfterWhatPasses) {
    const ScriptedServer server(R"({"steps": [{"status": 500, "body": "oops"}, {"cut": 20}, {"body": "<html>not JSON"},
                                              {"status": 529, "headers": {"retry-after-ms": "20"}}]})");
    PolicyPart part("http", options(server));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text, "an answer");
    EXPECT_EQ(server.requests().size(), 5u);
}

TEST_F(HttpPolicy, GivesUpAfterItsTries) {
    const ScriptedServer server(R"({"then": {"status": 500, "body": {"error": {"message": "down for key )" + key +
                                "\"}}}}");
    PolicyPart part("http", options(server, {{"tries", 3}}));
    const GivenAnswer answer = part.ask({.messages = {{"user", "q"}}, .group = 1});
    EXPECT_EQ(answer.finish, HONE_ERROR);
    EXPECT_EQ(answer.text, "openai/gpt-test, after 3 tries: 500: down for key [key]");
    EXPECT_EQ(server.requests().size(), 3u);
}

// What costs nothing is tried until the deadline, however often.
TEST_F(HttpPolicy, ALimitOfRequestsIsWaitedFor) {
    std::string steps;
    for (int i = 0; i < 4; ++i)
        steps += R"({"status": 429, "body": {"error": {"message": "slow down"}}}, {"status": 503, "body": "busy"}, )";
    const ScriptedServer server("{\"steps\": [" + steps + R"({"status": 500, "body": "x"}]})");
    PolicyPart part("http", options(server, {{"tries", 2}}));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text, "an answer");
    EXPECT_EQ(server.requests().size(), 10u);
    EXPECT_NE(PolicyPart::logged().find("openai/gpt-test is asked again until the deadline of 900 s: 429: slow down\n"),
              std::string::npos);
    const ScriptedServer busy(R"({"then": {"status": 503, "body": "busy"}})");
    PolicyPart other("http", options(busy, {{"deadline", 0.3}, {"backoff", 0.1}}));
    EXPECT_NE(other.ask({.messages = {{"user", "q"}}}).text.find("503: busy"), std::string::npos);
    EXPECT_GT(busy.requests().size(), 2u);
}

// A status that an error names counts as the reply's, whole and within a stream.
TEST_F(HttpPolicy, ALimitThatComesWithStatus200IsALimit) {
    const Json limits[] = {{{"message", "slow down"}, {"code", 429}},
                           {{"message", "slow down"}, {"code", "429"}},
                           {{"message", "slow down"}, {"type", "rate_limit_error"}},
                           {{"message", "slow down"}, {"status", "RESOURCE_EXHAUSTED"}}};
    for (const Json& error : limits)
        for (const bool streams : {false, true}) {
            const Json body = {{"error", error}},
                       step = streams ? Json{{"events", {"data: " + body.dump() + "\n\n"}}} : Json{{"body", body}};
            const ScriptedServer server(Json{{"steps", {step, step, step}}}.dump());
            PolicyPart part("http", options(server, {{"tries", 1}}));
            EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text, "an answer") << step;
            const ScriptedServer busy(Json{{"then", step}}.dump());
            PolicyPart other("http", options(busy, {{"tries", 1}, {"deadline", 0.3}, {"backoff", 0.1}}));
            const GivenAnswer given = other.ask({.messages = {{"user", "q"}}});
            EXPECT_EQ(given.fault, HONE_FAULT_LIMIT) << step;
            EXPECT_TRUE(given.text.ends_with(": the server failed, with status 200: slow down")) << given.text;
        }
}

// A status that no try mends is not asked again either.
TEST_F(HttpPolicy, ARefusalThatComesWithStatus200IsNotAskedAgain) {
    const Json error = {{"message", "method not allowed"}, {"code", 405}};
    const ScriptedServer server(Json{{"then", {{"body", {{"error", error}}}}}}.dump());
    PolicyPart part("http", options(server, {{"tries", 6}, {"backoff", 0.01}}));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text,
              "openai/gpt-test, after 1 try: the server refused the request, with status 200: method not allowed");
    EXPECT_EQ(server.requests().size(), 1u);
}

// A wait that is no number is none, so that the next try comes after the usual one.
TEST_F(HttpPolicy, AWaitThatIsNoNumberIsNone) {
    for (const char* told : {"nan", "inf", "-5", "soon"}) {
        const Json step = {{"status", 429}, {"headers", {{"retry-after-ms", told}}}, {"body", ""}};
        const ScriptedServer busy(Json{{"then", step}}.dump());
        PolicyPart part("http", options(busy, {{"deadline", 0.4}, {"backoff", 0.1}}));
        EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).fault, HONE_FAULT_LIMIT) << told;
        EXPECT_LT(busy.requests().size(), 30u) << told;
        EXPECT_GT(busy.requests().size(), 1u) << told;
    }
}

// Anthropic's, and an error of OpenRouter's behind the first words of an answer, which may be billed.
TEST_F(HttpPolicy, AnOverloadWithinAStreamIsWaitedForBeforeItsFirstEventAlone) {
    const Json overloaded = {{"type", "error"}, {"error", {{"type", "overloaded_error"}, {"message", "Overloaded"}}}},
               step = {{"events", {"event: error\ndata: " + overloaded.dump() + "\n\n"}}};
    const ScriptedServer server(Json{{"steps", {step, step}}}.dump());
    PolicyPart part("http", options(server, {{"protocol", "messages"}, {"tries", 1}}));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text, "an answer");
    const std::string begun = R"(data: {"choices": [{"index": 0, "delta": {"content": "one"}}]})",
                      error = R"(data: {"error": {"message": "slow down", "code": 429}})";
    const ScriptedServer broken(Json{{"then", {{"events", {begun + "\n\n", error + "\n\n"}}}}}.dump());
    PolicyPart other("http", options(broken, {{"tries", 2}}));
    const GivenAnswer given = other.ask({.messages = {{"user", "q"}}});
    EXPECT_EQ(given.text, "openai/gpt-test, after 2 tries: the server failed, with status 200: slow down");
    EXPECT_EQ(given.fault, HONE_FAULT_LIMIT);
}

TEST_F(HttpPolicy, AServerThatIsGoneForAWhileIsWaitedFor) {
    auto server = std::make_unique<ScriptedServer>();
    const Json given = options(*server, {{"tries", 1}, {"deadline", 0.5}, {"backoff", 0.05}});
    PolicyPart part("http", given);
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text, "an answer");
    server.reset();
    const std::string text = part.ask({.messages = {{"user", "q"}}}).text;
    EXPECT_EQ(text.find("after 1 try"), std::string::npos) << text;
    EXPECT_NE(text.find("Failed to connect to 127.0.0.1"), std::string::npos) << text;
}

TEST(HttpRetry, AWaitIsReadFromTheServersWords) {
    EXPECT_EQ(http::wait_told("Limit 60, Used 60. Please try again in 20s."), 20);
    EXPECT_EQ(http::wait_told("try again in 250 ms"), 0.25);
    EXPECT_EQ(http::wait_told("try again in 1m30.5s. Visit"), 90.5);
    EXPECT_EQ(http::wait_told("Try again in 6 minutes"), 360);
    EXPECT_EQ(http::wait_told("try again in a moment"), 0);
    EXPECT_EQ(http::wait_told("try again in 5"), 0);
    EXPECT_EQ(http::wait_told("slow down"), 0);
}

TEST_F(HttpPolicy, AWaitInWordsIsKept) {
    const ScriptedServer server(
        R"({"steps": [{"status": 429, "body": {"error": {"message": "Please try again in 600ms."}}}]})");
    PolicyPart part("http", options(server));
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text, "an answer");
    EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(600));
}

TEST_F(HttpPolicy, AWaitBeyondTheDeadlineIsTold) {
    const ScriptedServer server(
        R"({"then": {"status": 429, "headers": {"Retry-After": "3600"}, "body": {"error": {"message": "slow down"}}}})");
    PolicyPart part("http", options(server));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text,
              "openai/gpt-test, after 1 try: 429: slow down; the server asks to wait 3600 s, and the deadline of 900 s "
              "ends before");
}

TEST_F(HttpPolicy, SlowAndSilentServersAreGivenUp) {
    const ScriptedServer server(R"({"steps": [{"delay": 20}]})");
    PolicyPart part("http", options(server, {{"deadline", 0.3}}));
    const GivenAnswer answer = part.ask({.messages = {{"user", "q"}}});
    EXPECT_EQ(answer.finish, HONE_ERROR);
    EXPECT_EQ(answer.text.find("openai/gpt-test, after 1 try: Operation timed out"), 0u) << answer.text;
    EXPECT_NE(answer.text.find(" received (options deadline and silence say how long)"), std::string::npos)
        << answer.text;
    EXPECT_NE(PolicyPart::logged().find("it may have been billed"), std::string::npos);
}

TEST_F(HttpPolicy, NobodyListens) {
    PolicyPart part("http",
                    {{"model", "vllm/m"}, {"base_url", "http://127.0.0.1:9/v1"}, {"tries", 2}, {"backoff", 0.01}});
    const GivenAnswer answer = part.ask({.messages = {{"user", "q"}}});
    EXPECT_EQ(answer.text.find("vllm/m, after 2 tries: Failed to connect to 127.0.0.1 port 9"), 0u) << answer.text;
    EXPECT_TRUE(answer.text.ends_with("; is base_url right? It is http://127.0.0.1:9/v1")) << answer.text;
}

TEST_F(HttpPolicy, StopsWhenAsked) {
    const ScriptedServer server(R"({"then": {"delay": 30}})");
    PolicyPart part("http", options(server));
    const auto begun = std::chrono::steady_clock::now();
    part.on_stop([&] { return std::chrono::steady_clock::now() - begun > std::chrono::milliseconds(200); });
    EXPECT_TRUE(part.sample({{.messages = {{"user", "q"}}}}).empty());
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
    EXPECT_NE(PolicyPart::logged().find(
                  "openai/gpt-test: 1 request that was under way is given up: it may have been billed\n"),
              std::string::npos);
}

// A request that is not sent is not billed, and nobody would wait for its answer.
TEST_F(HttpPolicy, NothingIsSentOnceTheUserAskedToStop) {
    config("[provider.openai.price.\"gpt-test\"]\ninput = 1\noutput = 2\n");
    const ScriptedServer server(R"({"then": {"delay": 30}})");
    PolicyPart stopped("http", options(server));
    stopped.on_stop([] { return 1; });
    EXPECT_TRUE(stopped.sample({{.messages = {{"user", "q"}}}}).empty());
    EXPECT_EQ(server.requests().size(), 0u);
    EXPECT_EQ(PolicyPart::logged(), "");
    const auto ask = [&] {  // policies of one key: a place that one leaves is not taken by the other
        PolicyPart part("http", options(server, {{"concurrency", 1}}));
        part.on_stop([&] { return !server.requests().empty(); });
        EXPECT_TRUE(part.sample({{.messages = {{"user", "q"}}}}).empty());
    };
    std::thread beside(ask);
    ask();
    beside.join();
    EXPECT_EQ(server.requests().size(), 1u);
    EXPECT_EQ(PolicyPart::logged(),
              "openai/gpt-test: 1 request that was under way is given up: it may have been billed\n");
}

TEST_F(HttpPolicy, AConnectionThatBreaksMayHaveCost) {
    const ScriptedServer server(R"({"steps": [{"cut": 20}]})");
    PolicyPart part("http", options(server));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text, "an answer");
    EXPECT_NE(PolicyPart::logged().find("a connection broke after its request was sent: it may have been billed\n"),
              std::string::npos);
    PolicyPart::logged().clear();
    PolicyPart nobody("http", {{"model", "vllm/m"}, {"base_url", "http://127.0.0.1:9/v1"}, {"tries", 1}});
    nobody.ask({.messages = {{"user", "q"}}});
    EXPECT_EQ(PolicyPart::logged().find("billed"), std::string::npos) << "nothing was sent";
}

TEST(HttpLimit, HalvesOnceForAllThatWereUnderWay) {
    http::Limit limit(64);
    std::vector<unsigned> epochs;
    const auto begin = [&] { return limit.begin(&limit); };
    while (const auto epoch = begin()) epochs.push_back(*epoch);
    EXPECT_EQ(epochs.size(), 64u);
    for (const unsigned epoch : epochs) limit.end(epoch, true);
    EXPECT_EQ(limit.now(), 32);
    for (int i = 0; i < 33; ++i) limit.end(*begin(), false);
    EXPECT_GT(limit.now(), 32.9);
    for (int i = 0; i < 20; ++i) limit.end(*begin(), true);
    EXPECT_EQ(limit.now(), 1);
    EXPECT_TRUE(begin());
    EXPECT_FALSE(begin());
    limit.drop();
    EXPECT_TRUE(begin()) << "one that was given up leaves its place";
}

TEST(HttpLimit, AMinuteBringsSoManyRequestsAndTokens) {
    const int who = 0;
    http::Limit requests(64, 2, 0, 100);
    EXPECT_TRUE(requests.begin(&who, 9, 100));
    EXPECT_FALSE(requests.begin(&who, 9, 100 + 29)) << "not two at once";
    EXPECT_TRUE(requests.begin(&who, 9, 100 + 31)) << "half a minute brings one";
    http::Limit tokens(64, 0, 1200, 100);  // 20 a second, 100 at once
    EXPECT_TRUE(tokens.begin(&who, 80, 100));
    EXPECT_FALSE(tokens.begin(&who, 80, 102)) << "60 are there";
    EXPECT_TRUE(tokens.begin(&who, 80, 103.5));
    tokens.take_back(80);
    EXPECT_TRUE(tokens.begin(&who, 80, 103.5)) << "what was not sent takes none";
    EXPECT_FALSE(tokens.begin(&who, 500, 107)) << "more than the bucket holds passes when it is full";
    EXPECT_TRUE(tokens.begin(&who, 500, 109));
    EXPECT_FALSE(tokens.begin(&who, 1, 128)) << "and is paid back";
    EXPECT_TRUE(tokens.begin(&who, 1, 130));
}

TEST(HttpLimit, SaysWhichLimitHoldsARequestBack) {
    const int who = 0;
    http::Limit limit(64, 2, 1200, 100);
    const auto told = [&](double tokens, double now) {
        const http::Limit::Wait wait = limit.wait(tokens, now);
        return wait.option + std::string(" ") + std::to_string(std::lround(wait.seconds));
    };
    EXPECT_EQ(told(80, 100), " 0");
    EXPECT_TRUE(limit.begin(&who, 80, 100));
    EXPECT_EQ(told(20, 110), "requests_per_minute 20");
    EXPECT_EQ(told(500, 100), "requests_per_minute 30");
    EXPECT_TRUE(limit.begin(&who, 500, 130));
    EXPECT_EQ(told(100, 130), "requests_per_minute 30");
    EXPECT_EQ(told(100, 154), "requests_per_minute 6") << "the tokens are paid back before";
    EXPECT_EQ(http::Limit(64, 0, 1200, 100).wait(1, 100).option, std::string());
    http::Limit places(2, 2, 0, 100);
    EXPECT_TRUE(places.begin(&who, 1, 100));
    EXPECT_TRUE(places.begin(&who, 1, 131));
    EXPECT_EQ(places.wait(1, 131).option, std::string("concurrency")) << "a minute's requests are spent as well";
    places.end(0, true);
    EXPECT_EQ(places.wait(1, 131).value, 1) << "one place is left after an overload, and taken";
    places.end(0, false);
    EXPECT_EQ(places.wait(1, 131).option, std::string("requests_per_minute"));
}

// In words that the progress line shows, and not more often than they change.
TEST_F(HttpPolicy, SaysWhatRequestsWaitFor) {
    const ScriptedServer server(
        R"({"steps": [{"status": 429, "headers": {"Retry-After": "2"}, "body": {"error": {"message": "slow"}}}]})");
    PolicyPart at_limit("http", options(server));
    at_limit.ask({.messages = {{"user", "q"}}});
    using List = std::vector<std::string>;
    EXPECT_EQ(at_limit.waits(), (List{"requests wait for the server's limit (429), about 2 s",
                                      "requests wait for the server's limit (429), about 1 s", ""}));
    PolicyPart part("http", options(server, {{"requests_per_minute", 30}}));  // two at once
    const double worked = used_seconds(RUSAGE_SELF);
    part.sample(std::vector<Ask>(3, Ask{.messages = {{"user", "q"}}}));
    EXPECT_LT(used_seconds(RUSAGE_SELF) - worked, 0.5) << "it waits for 2 s, and takes no core meanwhile";
    EXPECT_EQ(part.waits(), (List{"requests wait for requests_per_minute = 30, about 1 s", ""}));
    const ScriptedServer slow(R"({"then": {"delay": 0.1}})");
    PolicyPart narrow("http", options(slow, {{"concurrency", 1}, {"requests_per_minute", 12}}));
    narrow.sample(std::vector<Ask>(2, Ask{.messages = {{"user", "q"}}}));
    EXPECT_EQ(narrow.waits().front(), "requests wait for concurrency = 1");
}

TEST(HttpLimit, WhoWaitedFirstComesFirst) {
    const int one = 0, other = 0;
    http::Limit limit(1);
    EXPECT_TRUE(limit.begin(&one));
    EXPECT_FALSE(limit.begin(&other));
    limit.end(0, false);
    EXPECT_FALSE(limit.begin(&one)) << "the other has waited";
    EXPECT_TRUE(limit.begin(&other));
    limit.end(0, false);
    EXPECT_FALSE(limit.begin(&other)) << "now it is the first one's turn";
    limit.leave(&one);
    EXPECT_TRUE(limit.begin(&other)) << "who has left is not waited for";
}

// What a provider counts is a key's.
TEST_F(HttpPolicy, PoliciesOfOneKeyShareItsLimits) {
    const ScriptedServer server(R"({"then": {"delay": 0.05}})");
    const auto ask = [&](const Json& more) {
        PolicyPart part("http", options(server, more));
        std::vector<Ask> asks;
        for (unsigned i = 0; i < 6; ++i) asks.push_back({.messages = {{"user", std::to_string(i)}}});
        part.sample(asks);
    };
    const auto both = [&](const Json& one, const Json& other) {
        std::thread beside([&] { ask(one); });
        ask(other);
        beside.join();
    };
    both({{"concurrency", 2}}, {{"concurrency", 2}});
    EXPECT_EQ(server.most_at_once(), 2);
    both({{"concurrency", 2}, {"model", "openai/one"}}, {{"concurrency", 2}, {"model", "openai/other"}});
    EXPECT_GT(server.most_at_once(), 2) << "models have limits of their own";
}

TEST(HttpBackoff, GrowsToAMinuteAndKeepsTheServersWord) {
    http::Backoff backoff(1);
    for (int tries = 1; tries < 40; ++tries) {
        const double wait = backoff.wait(tries, 0);
        EXPECT_GE(wait, 0);
        EXPECT_LE(wait, std::min(60.0, std::pow(2.0, tries - 1)));
        EXPECT_GE(backoff.wait(tries, 5), 5);
    }
}

}  // namespace
}  // namespace hone
