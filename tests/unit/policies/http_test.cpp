// policy.http against a scripted server: what is asked, which fields are left out, what is an answer.
#include "http/reply_text.hpp"
#include "http_fixture.hpp"

namespace hone {
namespace {

using test::Ask, test::completion, test::GivenAnswer, test::HttpPolicy, test::key, test::PolicyPart,
    test::ScriptedServer;

TEST_F(HttpPolicy, SendsWhatTheApiWants) {
    const ScriptedServer server(R"({"text": "```cpp\nx\n```"})");
    PolicyPart part("http", options(server, {{"body", "{\"reasoning_effort\": \"low\"}"}}));
    const GivenAnswer answer = part.ask({.messages = {{"system", "be fast"}, {"", "pie"}, {"plain", "ce"}},
                                         .seed = 7,
                                         .temperature = 0.5,
                                         .max_tokens = 99,
                                         .stop = {"END"},
                                         .top_k = 40,
                                         .min_p = 0.1});
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
              {"top_k", 40},
              {"min_p", 0.1},
              {"stream", true},
              {"stream_options", {{"include_usage", true}}},
              {"reasoning_effort", "low"}}));
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

// Two protocols of one model at one address: what the one lacks the other may have.
TEST_F(HttpPolicy, WhatAProtocolLacksIsLeftOutOfItsRequestsAlone) {
    const ScriptedServer server;
    PolicyPart first("http", options(server, {{"protocol", "messages"}}));
    PolicyPart second("http", options(server, {{"protocol", "chat"}}));
    second.ask({.messages = {{"user", "q"}}, .seed = 3, .min_p = 0.1});
    EXPECT_EQ(server.requests().at(0)["body"]["seed"], 3);
    EXPECT_EQ(server.requests().at(0)["body"]["min_p"], 0.1);
    EXPECT_EQ(facts_of(second).find("does not take"), std::string::npos) << facts_of(second);
}

// A server could have the stack run over.
TEST_F(HttpPolicy, AReplyThatNestsTooDeepIsNoAnswer) {
    const std::string deep = "{\"error\": " + std::string(100000, '[') + std::string(100000, ']') + "}";
    const ScriptedServer server(Json{{"then", {{"body", deep}}}}.dump());
    PolicyPart part("http", options(server));
    const auto answer = part.ask({.messages = {{"user", "q"}}});
    EXPECT_NE(answer.text.find("it nests more than 256 levels deep"), std::string::npos) << answer.text;
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
    EXPECT_NE(facts_of(part).find("openai/gpt-test does not take \"n\": it is left out from now on\n"),
              std::string::npos)
        << "for the record";
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

TEST(HttpReplyText, ANumberBeyondAllNumbersIsNoJson) {
    EXPECT_EQ(http::read_text("{\"a\": 1e999}").fault, "a number is too large");
}

TEST(HttpReplyText, BytesThatAreNoTextAreReplaced) {
    EXPECT_EQ(http::read_text("{\"a\": \"x \xff\xfe y\"}").document["a"], "x \xef\xbf\xbd\xef\xbf\xbd y");
    EXPECT_EQ(http::read_text("{\"a\": 1}\n<!-- proxy -->").fault.substr(0, 12), "at byte 10: ");
    EXPECT_TRUE(http::read_text("").document.is_discarded());
    EXPECT_EQ(http::read_text(std::string(200000, '[')).fault, "it nests more than 256 levels deep");
    EXPECT_EQ(http::read_text("{\"a\": \"" + std::string(300, '[') + "\\\"" + std::string(300, '[') + "\"}").fault, "")
        << "within a text";

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

TEST_F(HttpPolicy, AStreamIsReadWhateverItsTypeSays) {
    const ScriptedServer server(Json{{"steps", {{{"type", "text/html"}}}}, {"text", "an answer"}}.dump());
    PolicyPart part("http", options(server));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text, "an answer");
    EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(HttpPolicy, AnErrorWithStatus200IsTold) {
    const ScriptedServer server(playing(R"({"error": {"message": "upstream is gone", "code": 502}})"));
    PolicyPart part("http", options(server, {{"tries", 3}}));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text,
              "openai/gpt-test, after 3 tries: the server failed, with status 200: upstream is gone");
}

// Asked once more, the server would say the same.
TEST_F(HttpPolicy, AWrongRequestIsSentOnceThoughItsRefusalComesWithinAStream) {
    const Json type = {{"message", "too long"}, {"type", "invalid_request_error"}},
               code = {{"message", "too long"}, {"code", 400}},
               prompt = {{"message", "too long"}, {"code", "invalid_prompt"}};
    Json argument = code;
    argument["status"] = "INVALID_ARGUMENT";
    const std::pair<const char*, Json> streams[] = {
        {"chat", {{"error", type}}},
        {"chat", {{"error", code}}},
        {"messages", {{"type", "error"}, {"error", type}}},
        {"responses", {{"type", "error"}, {"message", "too long"}, {"code", "invalid_prompt"}}},
        {"responses", {{"type", "response.failed"}, {"response", {{"status", "failed"}, {"error", prompt}}}}},
        {"gemini", {{"error", argument}}}};
    for (const auto& [protocol, event] : streams) {
        const ScriptedServer server(Json{{"then", {{"events", {"data: " + event.dump() + "\n\n"}}}}}.dump());
        PolicyPart part("http", options(server, {{"protocol", protocol}}));
        const GivenAnswer answer = part.ask({.messages = {{"user", "q"}}});
        EXPECT_EQ(answer.text,
                  "openai/gpt-test, after 1 try: the server refused the request, with status 200: too long")
            << event;
        EXPECT_EQ(answer.fault, HONE_FAULT_REQUEST) << event;
        EXPECT_EQ(server.requests().size(), 1u) << event;
    }
}

TEST_F(HttpPolicy, AFieldThatAStreamComplainsOfIsLeftOut) {
    const Json error = {{"message", "unsupported"}, {"type", "invalid_request_error"}, {"param", "seed"}};
    const ScriptedServer server(
        Json{{"steps", {{{"events", {"data: " + Json{{"error", error}}.dump() + "\n\n"}}}}}}.dump());
    PolicyPart part("http", options(server, {{"model", "openai/without-seed"}}));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text, "an answer");
    EXPECT_FALSE(server.requests().at(1)["body"].contains("seed"));
}

// For a server that passes an answer on.
TEST_F(HttpPolicy, FaultsAreTold) {
    const auto status = [](int number) { return Json{{"status", number}, {"body", "no"}}; };
    const Json too_long = {{"status", 400}, {"body", {{"error", {{"code", "context_length_exceeded"}}}}}},
               later = {{"status", 429}, {"headers", {{"Retry-After", "7"}}}, {"body", "slow down"}};
    const std::pair<Json, int> faults[] = {
        {status(400), HONE_FAULT_REQUEST}, {status(422), HONE_FAULT_REQUEST},   {too_long, HONE_FAULT_CONTEXT},
        {later, HONE_FAULT_LIMIT},         {status(503), HONE_FAULT_BUSY},      {status(504), HONE_FAULT_TIME},
        {status(500), HONE_FAULT_SERVER},  {{{"cut", 20}}, HONE_FAULT_SERVER},  {{{"delay", 3}}, HONE_FAULT_TIME},
        {status(302), HONE_FAULT_SERVER},  {{{"body", "{"}}, HONE_FAULT_SERVER}};
    for (const auto& [step, fault] : faults) {
        const ScriptedServer server(Json{{"then", step}}.dump());
        PolicyPart part("http", options(server, {{"tries", 1}, {"deadline", 1}, {"backoff", 0.2}}));
        const GivenAnswer answer = part.ask({.messages = {{"user", "q"}}});
        EXPECT_EQ(answer.finish, HONE_ERROR) << step;
        EXPECT_EQ(answer.fault, fault) << step << answer.text;
        EXPECT_EQ(answer.retry_after, fault == HONE_FAULT_LIMIT ? 7 : 0) << step;
    }
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
    EXPECT_EQ(PolicyPart::logged().find("\"n\""), std::string::npos) << "nothing is lost, so nothing is said of n";
    EXPECT_NE(facts_of(part).find("openai/gpt-test does not take \"n\": it is left out from now on\n"),
              std::string::npos)
        << "for the record";
}

TEST_F(HttpPolicy, AnotherModelThanAskedForIsTold) {
    config("[provider.openai.price.\"gpt-test\"]\ninput = 1\noutput = 2\n");
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
              "openai/gpt-test: the server answered with \"gpt-test-2026\" and then with \"cheap\"\n"
              "openai/gpt-test: the server answered with \"cheap\" and then with \"gpt-test-2026\"\n")
        << "each change once";
    PolicyPart::logged().clear();
    const ScriptedServer other(Json{{"then", answering("other")}}.dump());
    PolicyPart second("http", options(other));
    for (int i = 0; i < 2; ++i) second.ask({.messages = {{"user", "q"}}});
    EXPECT_TRUE(PolicyPart::logged().ends_with("openai/gpt-test: the server answers with another model: \"other\"\n"));
    for (const auto& [model, is_other] : std::map<std::string, bool>{{"gpt-test-mini", true},
                                                                     {"gpt-testing", true},
                                                                     {"gpt-test-0613", false},
                                                                     {"openai/gpt-test:latest", false}}) {
        PolicyPart::logged().clear();
        const ScriptedServer named(Json{{"then", answering(model.c_str())}}.dump());
        PolicyPart part_of_name("http", options(named));
        part_of_name.ask({.messages = {{"user", "q"}}});
        EXPECT_EQ(PolicyPart::logged().find("another model") != std::string::npos, is_other) << model;
    }
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

TEST_F(HttpPolicy, WhatFailedIsAskedAgain) {
    const Json kept = {{"answers", folder() + "/paid"}, {"tries", 1}};
    const ScriptedServer server(R"({"steps": [{"status": 500, "body": "down"}]})");
    PolicyPart first("http", options(server, kept)), second("http", options(server, kept));
    EXPECT_EQ(first.ask({.messages = {{"user", "q"}}}).finish, HONE_ERROR);
    EXPECT_EQ(second.ask({.messages = {{"user", "q"}}}).text, "an answer");
}

}  // namespace
}  // namespace hone
