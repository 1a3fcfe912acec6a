// policy.http against a scripted server: many at once, retries, refusals, cut and slow connections, and a key that is
// never shown.
#include <gtest/gtest.h>
#include <unistd.h>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include "http/reply_text.hpp"
#include "http/retry.hpp"
#include "policy_fixture.hpp"
#include "scripted_server.hpp"

namespace hone {
namespace {

using test::Ask, test::completion, test::GivenAnswer, test::PolicyPart, test::ScriptedServer;

const std::string key = "sk-secret-0123456789";

class HttpPolicy : public ::testing::Test {
protected:
    HttpPolicy() {
        mkdtemp(folder_);
        setenv("HONE_CONFIG", (folder() + "/hone.toml").c_str(), 1);
        setenv("OPENAI_API_KEY", key.c_str(), 1);
        unsetenv("OPENAI_BASE_URL");
        config("");
        PolicyPart::logged().clear();
    }
    ~HttpPolicy() override {
        for (const char* name : {"HONE_CONFIG", "OPENAI_API_KEY", "OPENAI_BASE_URL"}) unsetenv(name);
        std::filesystem::remove_all(folder_);
    }
    std::string folder() const { return folder_; }
    void config(const std::string& text) const { std::ofstream(folder() + "/hone.toml") << text; }
    static Json options(const ScriptedServer& server, Json more = Json::object()) {
        Json all = {{"model", "openai/gpt-test"}, {"base_url", server.base_url()}, {"backoff", 0.01}};
        all.update(more);
        return all;
    }
    static std::string refusal(const Json& options) {
        try {
            PolicyPart part("http", options);
        } catch (const std::runtime_error& e) {
            return e.what();
        }
        return "no error";
    }
    static std::string sample_error(const ScriptedServer& server, const Json& more = Json::object()) {
        PolicyPart part("http", options(server, more));
        try {
            part.ask({.messages = {{"user", "q"}}});
        } catch (const std::runtime_error& e) {
            return e.what();
        }
        return "no error";
    }

    // "name=value" a line; numbers by name alone.
    static std::string facts_of(const PolicyPart& part) {
        std::string facts;
        hone_out out{
            &facts, [](void* to, const char* name, double) { *static_cast<std::string*>(to) += name; },
            [](void* to, const char* name, hone_text value) {
                static_cast<std::string*>(to)->append(name).append("=").append(value.at, value.len).append("\n");
            }};
        part.check(part.functions().facts(part.self(), &out));
        return facts;
    }

private:
    char folder_[32] = "/tmp/hone_http_XXXXXX";
};

TEST_F(HttpPolicy, SendsWhatTheApiWants) {
    const ScriptedServer server(R"({"text": "```cpp\nx\n```"})");
    PolicyPart part("http", options(server, {{"body", "{\"reasoning_effort\": \"low\"}"}}));
    const GivenAnswer answer = part.ask({.messages = {{"system", "be fast"}, {"", "pie"}, {"plain", "ce"}},
                                         .seed = 7,
                                         .temperature = 0.5,
                                         .max_tokens = 99,
                                         .extra = {{"stop", {"END"}}}});
    EXPECT_EQ(answer.text, "```cpp\nx\n```");
    EXPECT_EQ(answer.finish, HONE_STOP);
    EXPECT_EQ(answer.tokens_in, 10);
    EXPECT_EQ(answer.tokens_out, 5);
    const Json request = server.requests().at(0);
    EXPECT_EQ(request["target"], "/v1/chat/completions");
    EXPECT_EQ(request["authorization"], "Bearer " + key);
    EXPECT_EQ(
        request["body"],
        (Json{{"model", "gpt-test"},
              {"messages", {{{"role", "system"}, {"content", "be fast"}}, {{"role", "user"}, {"content", "piece"}}}},
              {"temperature", 0.5},
              {"seed", 7},
              {"max_tokens", 99},
              {"stop", {"END"}},
              {"reasoning_effort", "low"}}));
}

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

TEST_F(HttpPolicy, OneBadPromptIsOneBadAnswer) {
    const ScriptedServer server(
        R"({"steps": [{"status": 400, "body": {"error": {"message": "too long", "code": "context_length_exceeded"}}}]})");
    PolicyPart part("http", options(server, {{"concurrency", 1}}));
    const auto answers = part.sample({{.messages = {{"user", "long"}}}, {.messages = {{"user", "short"}}}});
    EXPECT_EQ(answers.at({0, 0}).finish, HONE_ERROR);
    EXPECT_EQ(answers.at({0, 0}).text, "openai/gpt-test, after 1 try: 400: too long");
    EXPECT_EQ(answers.at({1, 0}).text, "an answer");
}

TEST_F(HttpPolicy, LeavesOutWhatTheModelRefuses) {
    const ScriptedServer server(
        R"({"steps": [{"status": 400, "body": {"error": {"message": "unsupported", "param": "temperature"}}},
                                              {"status": 400, "body": {"error": {"message": "unsupported", "param": "max_tokens"}}}]})");
    PolicyPart part("http", options(server));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}, .max_tokens = 50}).text, "an answer");
    const Json last = server.requests().at(2)["body"];
    EXPECT_FALSE(last.contains("temperature"));
    EXPECT_EQ(last["max_completion_tokens"], 50);
    EXPECT_NE(PolicyPart::logged().find("openai/gpt-test does not take \"temperature\": it is left out from now on\n"),
              std::string::npos);
    EXPECT_NE(
        facts_of(part).find("notes=openai/gpt-test does not take \"max_tokens\": max_completion_tokens is sent "
                            "instead\nopenai/gpt-test does not take \"temperature\": it is left out from now on\n"),
        std::string::npos)
        << "for the record";
}

TEST_F(HttpPolicy, FieldsThatAreForbiddenAreLeftOut) {
    const Json details = {
        {{"type", "extra_forbidden"}, {"loc", {"body", "seed"}}, {"msg", "Extra inputs are not permitted"}},
        {{"type", "extra_forbidden"}, {"loc", {"body", "n"}}, {"msg", "Extra inputs are not permitted"}}};
    for (const Json& body : {Json{{"detail", details}}, Json{{"message", {{"detail", details}}}}}) {
        const ScriptedServer server(Json{{"steps", {{{"status", 422}, {"body", body}}}}}.dump());
        PolicyPart part("http", options(server));
        EXPECT_EQ(part.sample({{.messages = {{"user", "q"}}, .group = 2}}).size(), 2u);
        EXPECT_EQ(server.requests().size(), 3u);
        EXPECT_FALSE(server.requests().back()["body"].contains("seed"));
        EXPECT_NE(PolicyPart::logged().find("openai/gpt-test does not take \"seed\": it is left out from now on\n"),
                  std::string::npos);
    }
    const Json missing = {{{"type", "missing"}, {"loc", {"body", "seed"}}, {"msg", "Field required"}}};
    const ScriptedServer strict(Json{{"then", {{"status", 422}, {"body", {{"detail", missing}}}}}}.dump());
    PolicyPart part("http", options(strict));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text, "openai/gpt-test, after 1 try: 422: seed: Field required");
}

TEST_F(HttpPolicy, AComplaintOfAValueLeavesNothingOut) {
    const auto said = [](const std::string& message, const std::string& param, const std::string& code) {
        const Json error = {{"message", message}, {"param", param}, {"code", code}};
        const ScriptedServer server(Json{{"then", {{"status", 400}, {"body", {{"error", error}}}}}}.dump());
        PolicyPart part("http", options(server));
        return part.ask({.messages = {{"user", "q"}}, .max_tokens = 8192}).text;
    };
    const std::string large = "max_tokens is too large: 8192. This model supports at most 4096 completion tokens.";
    EXPECT_EQ(said(large, "max_tokens", "invalid_value"), "openai/gpt-test, after 1 try: 400: " + large);
    EXPECT_NE(said("Expected a value <= 2", "temperature", "decimal_above_max_value").find("after 1 try"),
              std::string::npos);
    EXPECT_EQ(PolicyPart::logged().find("does not take"), std::string::npos);
    EXPECT_NE(
        said("'temperature' does not support 0.7 with this model. Only the default (1) value is supported. At most 1.",
             "temperature", "unsupported_value")
            .find("after 2 tries"),
        std::string::npos);
}

TEST_F(HttpPolicy, NullInTheBodyLeavesAFieldOut) {
    config("[provider.openai]\nbody = { user = \"me\" }\n");
    const ScriptedServer server;
    PolicyPart part("http", options(server, {{"body", R"({"temperature": null, "user": null, "top_k": 4})"}}));
    part.ask({.messages = {{"user", "q"}}});
    const Json body = server.requests().at(0)["body"];
    EXPECT_FALSE(body.contains("temperature") || body.contains("user"));
    EXPECT_EQ(body["top_k"], 4);
}

std::string complaint_of(const std::string& field, const std::string& together = "") {
    return R"({"status": 400, )" + together + R"("body": {"error": {"message": "unsupported", "param": ")" + field +
           "\"}}}";
}

// The first eight requests are refused together, whatever they hold.
std::string eight_complaints_of(const std::string& field) {
    std::string steps;
    for (int i = 0; i < 8; ++i) steps += (i ? ", " : "") + complaint_of(field, "\"together\": 8, ");
    return "{\"steps\": [" + steps + "]}";
}

std::vector<Ask> eight_questions(std::uint32_t group) {
    std::vector<Ask> asks;
    for (unsigned i = 0; i < 8; ++i) asks.push_back({.messages = {{"user", std::to_string(i)}}, .group = group});
    return asks;
}

TEST_F(HttpPolicy, AFieldThatIsRefusedCostsNoAnswerThatWasUnderWay) {
    const ScriptedServer server(eight_complaints_of("temperature"));
    PolicyPart part("http", options(server, {{"concurrency", 8}}));
    const auto answers = part.sample(eight_questions(1));
    ASSERT_EQ(answers.size(), 8u);
    for (const auto& [of, answer] : answers) EXPECT_EQ(answer.text, "an answer");
    EXPECT_EQ(server.requests().size(), 16u);
    const std::string told = "openai/gpt-test does not take \"temperature\": it is left out from now on\n";
    const std::size_t first = PolicyPart::logged().find(told);
    EXPECT_NE(first, std::string::npos);
    EXPECT_EQ(PolicyPart::logged().find(told, first + 1), std::string::npos) << "told once";
    PolicyPart other("http", options(server));
    EXPECT_EQ(other.ask({.messages = {{"user", "q"}}}).text, "an answer");
    EXPECT_FALSE(server.requests().back()["body"].contains("temperature")) << "known of the model, not of the policy";
    EXPECT_EQ(server.requests().size(), 17u);
}

TEST_F(HttpPolicy, GroupsThatAreUnderWayAreSplitWhereNIsRefused) {
    const ScriptedServer server(eight_complaints_of("n"));
    PolicyPart part("http", options(server, {{"concurrency", 8}}));
    std::vector<Ask> asks = eight_questions(3);
    asks.insert(asks.end(), asks.begin(), asks.end());  // the second eight wait meanwhile
    const auto answers = part.sample(asks);
    ASSERT_EQ(answers.size(), 48u);
    for (const auto& [of, answer] : answers) EXPECT_EQ(answer.text, "an answer");
    EXPECT_EQ(server.requests().size(), 8u + 48u);
}

TEST_F(HttpPolicy, AFieldThatCannotBeLeftOutFailsTheAnswer) {
    const ScriptedServer server("{\"then\": " + complaint_of("messages") + "}");
    PolicyPart part("http", options(server));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text, "openai/gpt-test, after 1 try: 400: unsupported");
    const ScriptedServer stubborn("{\"then\": " + complaint_of("seed") + "}");
    PolicyPart twice("http", options(stubborn));
    EXPECT_EQ(twice.ask({.messages = {{"user", "q"}}}).text, "openai/gpt-test, after 2 tries: 400: unsupported");
}

// What a provider or a model does instead of answering holds no program, and is told as such.
TEST_F(HttpPolicy, WhatIsNoAnswerIsNamed) {
    const auto given = [](const Json& change) {
        Json body = completion("some text");
        body["choices"][0].merge_patch(change);
        const ScriptedServer server("{\"then\": {\"body\": " + body.dump() + "}}");
        PolicyPart part("http", options(server));
        const GivenAnswer answer = part.ask({.messages = {{"user", "q"}}});
        EXPECT_EQ(answer.tokens_out, 5) << "it was paid for";
        return std::to_string(answer.finish) + " " + answer.text;
    };
    const std::string refusal = std::to_string(HONE_REFUSAL) + " openai/gpt-test: ",
                      error = std::to_string(HONE_ERROR) + " openai/gpt-test: ";
    EXPECT_EQ(given({{"message", {{"content", nullptr}, {"refusal", "I cannot help with that"}}}}),
              refusal + "the model refused: I cannot help with that");
    EXPECT_EQ(given({{"finish_reason", "content_filter"}}), refusal + "a content filter stopped the answer");
    EXPECT_EQ(given({{"message", {{"content", nullptr}}}}), error + "the answer is empty (finish_reason \"stop\")");
    EXPECT_EQ(given({{"message", {{"content", " \n"}}}}), error + "the answer is empty (finish_reason \"stop\")");
    EXPECT_EQ(given({{"message", {{"content", ""}}}, {"finish_reason", "length"}}),
              error +
                  "the answer is empty: max_tokens were spent before its first word; raise max_tokens, or ask for "
                  "less reasoning");
    EXPECT_EQ(given({{"finish_reason", "error"}, {"error", {{"message", "upstream is gone"}}}}),
              error + "the server failed: upstream is gone");
    EXPECT_EQ(given({{"finish_reason", "abort"}}),
              error + "the answer did not end by itself (finish_reason \"abort\")");
    const std::string stop = std::to_string(HONE_STOP) + " some text";
    for (const Json& ended : {Json("tool_calls"), Json("STOP"), Json("eos"), Json(nullptr)})
        EXPECT_EQ(given({{"finish_reason", ended}}), stop);
    EXPECT_EQ(given({{"finish_reason", "insufficient_system_resource"}}),
              error + "the server ran out of resources while it answered");
}

TEST_F(HttpPolicy, AWaitBeyondTheDeadlineIsTold) {
    const ScriptedServer server(
        R"({"then": {"status": 429, "headers": {"Retry-After": "3600"}, "body": {"error": {"message": "slow down"}}}})");
    PolicyPart part("http", options(server));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text,
              "openai/gpt-test, after 1 try: 429: slow down; the server asks to wait 3600 s, and the deadline of 900 s "
              "ends before");
}

TEST_F(HttpPolicy, ARedirectIsNotFollowedAndTold) {
    const ScriptedServer server(
        R"({"then": {"status": 302, "headers": {"Location": "https://me:pass@login.example.org/v1/)" + key +
        R"(?code=1"}, "body": ""}})");
    PolicyPart part("http", options(server));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text,
              "openai/gpt-test, after 1 try: 302: the server sends requests on to "
              "https://login.example.org/v1/[key]; put the address that answers into base_url");
    const ScriptedServer silent(R"({"then": {"status": 418, "body": ""}})");
    PolicyPart other("http", options(silent));
    EXPECT_EQ(other.ask({.messages = {{"user", "q"}}}).text,
              "openai/gpt-test, after 1 try: 418: the server gives no reason");
}

TEST_F(HttpPolicy, RefusedKeysStopTheScript) {
    const ScriptedServer server(
        R"({"then": {"status": 401, "body": {"error": {"message": "Incorrect API key provided: )" + key + "\"}}}}");
    const std::string error = sample_error(server);
    EXPECT_EQ(error, "openai refused the key (401); put a valid one into the environment variable OPENAI_API_KEY");
    EXPECT_EQ(server.requests().size(), 1u);
    const ScriptedServer unknown(R"({"then": {"status": 404, "body": {"error": {"message": "no model gpt-test"}}}})");
    EXPECT_EQ(sample_error(unknown),
              "openai/gpt-test: no such model or address (404): no model gpt-test; asked at " + unknown.base_url());
    const ScriptedServer broke(
        R"({"then": {"status": 429, "body": {"error": {"message": "pay first", "code": "insufficient_quota"}}}})");
    EXPECT_EQ(sample_error(broke), "openai/gpt-test: the account's quota is spent (429): pay first");
}

TEST_F(HttpPolicy, SlowAndSilentServersAreGivenUp) {
    const ScriptedServer server(R"({"steps": [{"delay": 20}]})");
    PolicyPart part("http", options(server, {{"deadline", 0.3}}));
    const GivenAnswer answer = part.ask({.messages = {{"user", "q"}}});
    EXPECT_EQ(answer.finish, HONE_ERROR);
    EXPECT_EQ(answer.text.find("openai/gpt-test, after 1 try: Operation timed out"), 0u) << answer.text;
    EXPECT_NE(PolicyPart::logged().find("it may have been billed"), std::string::npos);
}

TEST_F(HttpPolicy, LongBodiesAreCutOff) {
    const ScriptedServer server("{\"text\": \"" + std::string(5000, 'x') + "\"}");
    PolicyPart part("http", options(server, {{"max_bytes", 1000}, {"tries", 1}}));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text,
              "openai/gpt-test, after 1 try: the answer is longer than 1000 bytes; it may have been billed");
    PolicyPart patient("http", options(server, {{"max_bytes", 1000}}));
    EXPECT_EQ(patient.ask({.messages = {{"user", "q"}}}).text,
              "openai/gpt-test, after 2 tries: the answer is longer than 1000 bytes; it may have been billed");
    EXPECT_EQ(server.requests().size(), 3u);
}

// A server's body as it is.
std::string playing(const std::string& body) { return "{\"then\": {\"body\": " + Json(body).dump() + "}}"; }

TEST_F(HttpPolicy, HalvesOfCharactersAreReplaced) {
    const auto given = [](const std::string& content) {
        std::string body = completion("CONTENT").dump();
        body.replace(body.find("CONTENT"), 7, content);
        const ScriptedServer server(playing(body));
        PolicyPart part("http", options(server));
        const std::string text = part.ask({.messages = {{"user", "q"}}}).text;
        EXPECT_EQ(server.requests().size(), 1u);
        return text;
    };
    EXPECT_EQ(given("a \\ud83d b"), "a \xef\xbf\xbd b");
    EXPECT_EQ(given("\\udc00\\ud83d"), "\xef\xbf\xbd\xef\xbf\xbd");
    EXPECT_EQ(given("\\ud83d\\ude00 \\ud83d"), "\xf0\x9f\x98\x80 \xef\xbf\xbd") << "a pair stays";
    EXPECT_EQ(given("\\\\ud83d \\ud83d"), "\\ud83d \xef\xbf\xbd") << "a backslash and letters stay";
}

TEST(HttpReplyText, BytesThatAreNoTextAreReplaced) {
    EXPECT_EQ(http::read_text("{\"a\": \"x \xff\xfe y\"}").document["a"], "x \xef\xbf\xbd\xef\xbf\xbd y");
    EXPECT_EQ(http::read_text("{\"a\": 1}\n<!-- proxy -->").fault.substr(0, 12), "at byte 10: ");
    EXPECT_TRUE(http::read_text("").document.is_discarded());
    EXPECT_TRUE(http::read_text(std::string(200000, '[')).document.is_discarded());
    EXPECT_TRUE(http::read_text("\"\\ud8").document.is_discarded());
}

TEST_F(HttpPolicy, AnAnswerThatCannotBeReadIsPaidTwiceAtMost) {
    const ScriptedServer server(playing("{\"choices\": []} <!-- " + key + " -->"));
    PolicyPart part("http", options(server));
    const std::string text = part.ask({.messages = {{"user", "q"}}}).text;
    EXPECT_EQ(text.find("openai/gpt-test, after 2 tries: the answer is no chat completion (at byte 17: "), 0u) << text;
    EXPECT_TRUE(text.ends_with("): {\"choices\": []} <!-- [key] -->; it may have been billed")) << text;
    EXPECT_EQ(server.requests().size(), 2u);
}

TEST_F(HttpPolicy, AnErrorWithStatus200IsTold) {
    const ScriptedServer server(playing(R"({"error": {"message": "upstream is gone", "code": 502}})"));
    PolicyPart part("http", options(server, {{"tries", 3}}));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text,
              "openai/gpt-test, after 3 tries: the server failed, with status 200: upstream is gone");
}

TEST_F(HttpPolicy, NobodyListens) {
    PolicyPart part("http",
                    {{"model", "vllm/m"}, {"base_url", "http://127.0.0.1:9/v1"}, {"tries", 2}, {"backoff", 0.01}});
    const GivenAnswer answer = part.ask({.messages = {{"user", "q"}}});
    EXPECT_EQ(answer.text.find("vllm/m, after 2 tries: Failed to connect to 127.0.0.1 port 9"), 0u) << answer.text;
    EXPECT_TRUE(answer.text.ends_with("; is base_url right? It is http://127.0.0.1:9/v1")) << answer.text;
}

TEST_F(HttpPolicy, OneRequestForAGroupWhereAllowed) {
    const ScriptedServer server;
    PolicyPart several("http", options(server));
    EXPECT_EQ(several.sample({{.messages = {{"user", "q"}}, .group = 4}}).size(), 4u);
    EXPECT_EQ(server.requests().size(), 1u);
    EXPECT_EQ(server.requests()[0]["body"]["n"], 4);
    PolicyPart single("http", options(server, {{"several", "no"}}));
    EXPECT_EQ(single.sample({{.messages = {{"user", "q"}}, .group = 3, .seed = 20}}).size(), 3u);
    ASSERT_EQ(server.requests().size(), 4u);
    int seeds = 0;
    for (std::size_t i = 1; i < 4; ++i) seeds += server.requests()[i]["body"]["seed"].get<int>();
    EXPECT_EQ(seeds, 20 + 21 + 22);
}

TEST_F(HttpPolicy, FewerAnswersThanAskedForAreAskedAgain) {
    const ScriptedServer server("{\"steps\": [{\"body\": " + completion("only one").dump() + "}]}");
    PolicyPart part("http", options(server));
    EXPECT_EQ(part.sample({{.messages = {{"user", "q"}}, .group = 3}}).size(), 3u);
    EXPECT_EQ(server.requests().size(), 3u);
    EXPECT_EQ(PolicyPart::logged().find(" n "), std::string::npos) << "nothing is lost, so nothing is said of n";
}

TEST_F(HttpPolicy, AnotherModelThanAskedForIsTold) {
    const auto answering = [](const std::string& model) {
        Json body = completion("x");
        body["model"] = model;
        return Json{{"body", body}};
    };
    Json steps = Json::array();
    for (const char* model : {"gpt-test-2026", "cheap", "cheap", "gpt-test-2026", "cheap"})
        steps.push_back(answering(model));
    const ScriptedServer server(Json{{"steps", steps}}.dump());
    PolicyPart part("http", options(server));
    std::string given;
    for (int i = 0; i < 5; ++i) given += part.ask({.messages = {{"user", "q"}}}).model + " ";
    EXPECT_EQ(given, "gpt-test-2026 cheap cheap gpt-test-2026 cheap ");
    EXPECT_EQ(PolicyPart::logged(),
              "no price is known for openai/gpt-test: its cost counts as 0 unless the provider says it\n"
              "openai/gpt-test: the server answered with \"gpt-test-2026\" and then with \"cheap\"\n"
              "openai/gpt-test: the server answered with \"cheap\" and then with \"gpt-test-2026\"\n")
        << "each change once";
    PolicyPart::logged().clear();
    const ScriptedServer other(Json{{"then", answering("other")}}.dump());
    PolicyPart second("http", options(other));
    for (int i = 0; i < 2; ++i) second.ask({.messages = {{"user", "q"}}});
    EXPECT_TRUE(PolicyPart::logged().ends_with("openai/gpt-test: the server answers with another model: \"other\"\n"));
    PolicyPart::logged().clear();
    const ScriptedServer folder(Json{{"then", answering("Qwen3-8B")}}.dump());
    PolicyPart third("http", options(folder, {{"model", "vllm/Qwen/Qwen3-8B"}}));
    third.ask({.messages = {{"user", "q"}}});
    EXPECT_EQ(PolicyPart::logged().find("another model"), std::string::npos);
}

TEST_F(HttpPolicy, TakesTokenIdsWhereGiven) {
    Json body = completion("a b", 1);
    body["prompt_token_ids"] = {5, 6};
    body["choices"][0]["token_ids"] = {1, 2};
    body["choices"][0]["logprobs"] = {
        {"content", {{{"token", "a"}, {"logprob", -0.5}}, {{"token", " b"}, {"logprob", -0.25}}}}};
    body["choices"][0]["finish_reason"] = "length";
    const ScriptedServer server("{\"then\": {\"body\": " + body.dump() + "}}");
    PolicyPart part("http", options(server, {{"model", "vllm/m"}}));
    const GivenAnswer answer = part.ask({.messages = {{"user", "q"}}});
    EXPECT_EQ(answer.ids, (std::vector<std::int32_t>{1, 2}));
    EXPECT_EQ(answer.prompt_ids, (std::vector<std::int32_t>{5, 6}));
    EXPECT_EQ(answer.logp, (std::vector<float>{-0.5f, -0.25f}));
    EXPECT_EQ(answer.finish, HONE_LENGTH);
    EXPECT_EQ(server.requests()[0]["body"]["return_token_ids"], true);
    EXPECT_EQ(server.requests()[0]["authorization"], "") << "no key where the provider needs none";
}

TEST_F(HttpPolicy, CostsWhatTheTableSays) {
    config("[provider.openai.price.\"gpt-test\"]\ninput = 2\noutput = 10\n");
    const ScriptedServer server;
    PolicyPart part("http", options(server));
    EXPECT_NEAR(part.ask({.messages = {{"user", "q"}}}).usd, (10 * 2 + 5 * 10) / 1e6, 1e-12);
    EXPECT_NEAR(part.spent(), 70e-6, 1e-12);
    part.budget(75e-6);
    EXPECT_THROW(part.ask({.messages = {{"user", "q"}}}), std::runtime_error);
    EXPECT_EQ(server.requests().size(), 1u) << "nothing is sent beyond the budget";
}

TEST_F(HttpPolicy, StopsWhenAsked) {
    const ScriptedServer server(R"({"then": {"delay": 30}})");
    PolicyPart part("http", options(server));
    const auto begun = std::chrono::steady_clock::now();
    part.on_stop([&] { return std::chrono::steady_clock::now() - begun > std::chrono::milliseconds(200); });
    EXPECT_TRUE(part.sample({{.messages = {{"user", "q"}}}}).empty());
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
}

TEST_F(HttpPolicy, SettingsAreReadFromTheRightPlace) {
    const ScriptedServer from_file, from_environment, from_option;
    config("[provider.openai]\nbase_url = \"" + from_file.base_url() + "\"\nbody = { user = \"me\" }\n");
    PolicyPart("http", {{"model", "openai/m"}}).ask({.messages = {{"user", "q"}}});
    ASSERT_EQ(from_file.requests().size(), 1u);
    EXPECT_EQ(from_file.requests()[0]["body"]["user"], "me");
    setenv("OPENAI_BASE_URL", from_environment.base_url().c_str(), 1);
    PolicyPart("http", {{"model", "openai/m"}}).ask({.messages = {{"user", "q"}}});
    EXPECT_EQ(from_environment.requests().size(), 1u);
    PolicyPart("http", options(from_option)).ask({.messages = {{"user", "q"}}});
    EXPECT_EQ(from_option.requests().size(), 1u);
}

TEST_F(HttpPolicy, RefusalsNameTheCure) {
    EXPECT_EQ(refusal({{"model", "gpt-5.4"}}),
              "option model: \"gpt-5.4\" names no provider; did you mean \"openai/gpt-5.4\"?");
    EXPECT_EQ(refusal({{"model", "claude-x"}}),
              "option model: \"claude-x\" names no provider; did you mean \"anthropic/claude-x\"?");
    EXPECT_EQ(refusal({{"model", ""}}), "option model: none is named; write provider/model, such as openai/gpt-5.4");
    EXPECT_EQ(refusal({{"model", "acme/m"}}),
              "provider \"acme\" is not known: say its base_url in hone.toml ([provider.acme]) or as an option");
    unsetenv("OPENAI_API_KEY");
    EXPECT_EQ(refusal({{"model", "openai/m"}}),
              "environment variable OPENAI_API_KEY is not set: it must hold the key for openai");
    setenv("OPENAI_API_KEY", key.c_str(), 1);
    EXPECT_EQ(refusal({{"model", "openai/m"}, {"base_url", "http://example.invalid/v1"}}),
              "http://example.invalid/v1: the key in OPENAI_API_KEY would travel in the clear; use https://, or "
              "key_env = \"none\"");
    EXPECT_EQ(refusal({{"model", "openai/m"}, {"key_env", "MY_PASS"}}),
              "option key_env: candidates could read MY_PASS: name it in hone.toml, or end its name with _KEY, _TOKEN "
              "or _SECRET");
    config("[provider.openai]\nbase_uri = \"x\"\n");
    EXPECT_EQ(refusal({{"model", "openai/m"}})
                  .find(folder() + "/hone.toml: provider.openai has no key \"base_uri\" (keys: base_url, key_env, "),
              0u);
    config("[provider.openai\n");
    EXPECT_EQ(refusal({{"model", "openai/m"}}).find(folder() + "/hone.toml:1:"), 0u);
    config("[providrs.openai]\n");
    EXPECT_EQ(refusal({{"model", "openai/m"}}),
              folder() + "/hone.toml: no table \"providrs\"; did you mean [provider.openai]?");
    setenv("HONE_CONFIG", (folder() + "/none.toml").c_str(), 1);
    EXPECT_EQ(refusal({{"model", "openai/m"}}), folder() + "/none.toml: File could not be opened for reading");
}

TEST_F(HttpPolicy, SecretsInAnAddressAreNotShown) {
    const ScriptedServer server(
        R"({"steps": [{"status": 418, "body": {"error": {"message": "no api-version=secret-2026"}}}], "then": {"status": 404, "body": "no"}})");
    std::string url = server.base_url();
    url.insert(url.find("127"), "me:hunter2@");
    PolicyPart part("http", options(server, {{"base_url", url + "/?api-version=secret-2026"}}));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text, "openai/gpt-test, after 1 try: 418: no [key]");
    EXPECT_EQ(server.requests().at(0)["target"], "/v1/chat/completions?api-version=secret-2026");
    EXPECT_EQ(sample_error(server, {{"base_url", url + "?api-version=secret-2026"}}),
              "openai/gpt-test: no such model or address (404): no; asked at " + server.base_url());
    EXPECT_EQ(refusal({{"model", "openai/m"}, {"base_url", "ftp://me:hunter2@x.org/v1?k=1"}}),
              "base_url: \"ftp://x.org/v1\" must begin with https:// or http://");
    EXPECT_EQ(refusal({{"model", "openai/m"}, {"base_url", "https://x.org/v1/chat/completions/?k=1"}}),
              "base_url: \"https://x.org/v1/chat/completions\" ends in /chat/completions, which hone adds; write "
              "\"https://x.org/v1\"");
    for (const char* name : {"sk-proj-0123456789", "1KEY", "A KEY"})
        EXPECT_EQ(
            refusal({{"model", "openai/m"}, {"key_env", name}}),
            "key_env: no name of an environment variable (letters, digits and _); put the key into a variable and "
            "name that here");
}

TEST_F(HttpPolicy, TheKeyTravelsInTheClearOnThisMachineOnly) {
    for (const char* host :
         {"localhost", "LOCALHOST:8000", "127.0.0.1", "127.9.8.7:8000", "127.1", "[::1]", "[::1]:8000"})
        EXPECT_EQ(refusal({{"model", "openai/m"}, {"base_url", std::string("http://") + host + "/v1"}}), "no error")
            << host;
    for (const char* host : {"localhost.evil.org", "127.evil.org", "127.0.0.1.evil.org", "127.0.0.1@evil.org",
                             "localhost:x@evil.org:80", "evil.org", "128.0.0.1", "[::2]", "[::1", "localhost:port"}) {
        const std::string url = std::string("http://") + host + "/v1",
                          shown = "http://" + url.substr(url.find_last_of("/@", url.find("/v1") - 1) + 1);
        EXPECT_EQ(refusal({{"model", "openai/m"}, {"base_url", url}}),
                  shown + ": the key in OPENAI_API_KEY would travel in the clear; use https://, or key_env = \"none\"");
    }
    EXPECT_EQ(refusal({{"model", "openai/m"}, {"base_url", "https://localhost.evil.org/v1"}}), "no error");
}

TEST_F(HttpPolicy, TheKeyIsNeverShown) {
    const ScriptedServer server("{\"then\": {\"status\": 500, \"body\": \"" + std::string(190, '.') + key + "\"}}");
    PolicyPart part("http", options(server, {{"tries", 2}}));
    const GivenAnswer answer = part.ask({.messages = {{"user", "q"}}});
    EXPECT_EQ(answer.text.find("sk-secret"), std::string::npos)
        << "not even the part of it that a shortened text would keep";
    const std::string facts = facts_of(part);
    EXPECT_NE(facts.find("device=remote\nspeaks=chat\n"), std::string::npos);
    EXPECT_EQ(facts.find(key), std::string::npos);
    EXPECT_EQ(PolicyPart::logged().find(key), std::string::npos);
}

TEST_F(HttpPolicy, AnAnswerThatEchoesTheKeyIsKeptWithoutIt) {
    Json body = completion("Your header was Bearer " + key + ", twice " + key);
    body["model"] = "m-" + key;
    const ScriptedServer server("{\"then\": {\"body\": " + body.dump() + "}}");
    PolicyPart part("http", options(server));
    const GivenAnswer answer = part.ask({.messages = {{"user", "q"}}});
    EXPECT_EQ(answer.text, "Your header was Bearer [key], twice [key]");
    EXPECT_EQ(answer.model, "m-[key]");
}

TEST_F(HttpPolicy, AKeyThatIsInManyWordsIsNotLookedFor) {
    setenv("OPENAI_API_KEY", "k", 1);
    const ScriptedServer server(R"({"then": {"status": 418, "body": {"error": {"message": "broken"}}}})");
    PolicyPart part("http", options(server));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text, "openai/gpt-test, after 1 try: 418: broken");
}

TEST_F(HttpPolicy, AKeyIsOneLine) {
    setenv("OPENAI_API_KEY", (key + "\r\n").c_str(), 1);
    const ScriptedServer server;
    PolicyPart part("http", options(server));
    part.ask({.messages = {{"user", "q"}}});
    EXPECT_EQ(server.requests().at(0)["authorization"], "Bearer " + key) << "as it comes out of a file";
    for (const std::string broken : {"sk-first\nsk-second", "sk-\x7f", "sk-\x01x"}) {
        setenv("OPENAI_API_KEY", broken.c_str(), 1);
        EXPECT_EQ(
            refusal({{"model", "openai/m"}}),
            "environment variable OPENAI_API_KEY holds a newline or another control character within the key; put "
            "the key there alone, on one line");
    }
    setenv("OPENAI_API_KEY", "\n", 1);
    EXPECT_EQ(refusal({{"model", "openai/m"}}),
              "environment variable OPENAI_API_KEY is not set: it must hold the key for openai");
}

TEST(HttpLimit, HalvesOnceForAllThatWereUnderWay) {
    http::Limit limit(64);
    std::vector<unsigned> epochs;
    while (limit.free()) epochs.push_back(limit.begin());
    EXPECT_EQ(limit.active(), 64);
    for (const unsigned epoch : epochs) limit.end(epoch, true);
    EXPECT_EQ(limit.now(), 32);
    for (int i = 0; i < 33; ++i) limit.end(limit.begin(), false);
    EXPECT_GT(limit.now(), 32.9);
    for (int i = 0; i < 20; ++i) limit.end(limit.begin(), true);
    EXPECT_EQ(limit.now(), 1);
    EXPECT_TRUE(limit.free());
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
