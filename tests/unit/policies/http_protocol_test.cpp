// policy.http by each protocol, whole and streamed, against a server that speaks it.
#include <algorithm>
#include <ctime>
#include "http/protocol/events.hpp"
#include "http_fixture.hpp"

namespace hone {
namespace {

using test::Ask, test::GivenAnswer, test::HttpPolicy, test::key, test::PolicyPart, test::ScriptedServer;

struct Way {
    std::string protocol, stream;
};

class HttpProtocol : public HttpPolicy, public ::testing::WithParamInterface<Way> {
protected:
    static bool streams() { return GetParam().stream == "yes"; }
    static Json spoken(const ScriptedServer& server, Json more = Json::object()) {
        more["protocol"] = GetParam().protocol;
        more["stream"] = GetParam().stream;
        return options(server, more);
    }
    static GivenAnswer answer(const ScriptedServer& server, const Json& more = Json::object()) {
        PolicyPart part("http", spoken(server, more));
        return part.ask({.messages = {{"user", "q"}}});
    }
};

const std::string program = "```cpp\nint fäst() { return 1; }\n```";

TEST_P(HttpProtocol, AnAnswerIsReadWithItsTokens) {
    const ScriptedServer server(Json{{"text", program}}.dump());
    const GivenAnswer given = answer(server);
    EXPECT_EQ(given.text, program) << "without thoughts";
    EXPECT_EQ(given.finish, HONE_STOP);
    EXPECT_EQ(given.tokens_in, 10);
    EXPECT_EQ(given.tokens_out, 5);
    EXPECT_EQ(given.model, "gpt-test");
    const Json request = server.requests().at(0);
    const std::string sent = request["authorization"].get<std::string>() + request["x-api-key"].get<std::string>() +
                             request["x-goog-api-key"].get<std::string>();
    EXPECT_EQ(sent.substr(sent.find(' ') + 1), key) << "once";
}

TEST_P(HttpProtocol, AStreamMayBeSplitAtEveryByte) {
    const ScriptedServer server(Json{{"text", program}, {"then", {{"split", 1}}}}.dump());
    EXPECT_EQ(answer(server).text, program);
}

TEST_P(HttpProtocol, KeepAliveLinesAreSkipped) {
    const std::string lines = streams() ? ": keep-alive\n\n" : "\n\n\n";
    const ScriptedServer server(
        Json{{"text", program}, {"then", {{"before", lines}, {"between", ": keep-alive\r\n\r\n"}}}}.dump());
    EXPECT_EQ(answer(server).text, program);
}

TEST_P(HttpProtocol, WhoLooksOnSeesWhatIsWritten) {
    const ScriptedServer server(Json{{"text", program}}.dump());
    PolicyPart part("http", spoken(server));
    part.ask({.messages = {{"user", "q"}}});
    std::string seen;
    for (const std::string& piece : part.pieces(0, 0)) seen += piece;
    EXPECT_EQ(seen, streams() ? program : "");
}

TEST_P(HttpProtocol, WhatPassesIsTriedAgain) {
    const Json failing[] = {{{"status", 500}, {"body", "<html>oh</html>"}},
                            {{"status", 503}, {"body", ""}},
                            {{"status", 529}, {"body", {{"error", {{"message", "overloaded"}}}}}},
                            {{"status", 408}, {"body", {{"error", {{"message", "slow"}}}}}},
                            {{"cut", 20}},
                            {{"body", "{\"choices\": [{\"mess"}},
                            {{"body", {{"error", {{"message", "the engine fell over"}}}}}}};
    for (const Json& step : failing) {
        const ScriptedServer server(Json{{"text", program}, {"steps", {step}}}.dump());
        EXPECT_EQ(answer(server).text, program) << step;
        EXPECT_EQ(server.requests().size(), 2u) << step;
    }
}

// "Wed, 21 Oct 2026 07:28:00 GMT"
std::string date_in(int seconds) {
    const std::time_t then = std::time(nullptr) + seconds;
    char text[64];
    std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", std::gmtime(&then));
    return text;
}

TEST_P(HttpProtocol, EachFormOfAWaitIsKept) {
    const Json info = {{{"@type", "type.googleapis.com/google.rpc.RetryInfo"}, {"retryDelay", "0.3s"}}};
    const Json waits[] = {
        {{"status", 429}, {"headers", {{"Retry-After", "1"}}}, {"body", ""}},
        {{"status", 429}, {"headers", {{"Retry-After", "date"}}}, {"body", ""}},
        {{"status", 429}, {"headers", {{"retry-after-ms", "300"}}}, {"body", ""}},
        {{"status", 429}, {"body", {{"error", {{"message", "Please try again in 300 ms"}}}}}},
        {{"status", 429}, {"body", {{"error", {{"code", 429}, {"message", "slow"}, {"details", info}}}}}}};
    for (Json step : waits) {
        if (step.value("/headers/Retry-After"_json_pointer, "") == "date")
            step["headers"]["Retry-After"] = date_in(2);  // from now on: the step before has waited, too
        const bool whole_seconds = step.value("headers", Json::object()).contains("Retry-After");
        if (whole_seconds && GetParam().protocol != "chat") continue;  // read by libcurl, whatever the body is
        const ScriptedServer server(Json{{"text", program}, {"steps", {step}}}.dump());
        const auto begun = std::chrono::steady_clock::now();
        EXPECT_EQ(answer(server).text, program) << step;
        EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(290)) << step;
    }
}

TEST_P(HttpProtocol, AnAnswerThatIsTooLongIsCutOff) {
    const ScriptedServer server(Json{{"then", {{"filler", 100'000'000}}}}.dump());
    const GivenAnswer given = answer(server);
    EXPECT_EQ(given.finish, HONE_ERROR);
    EXPECT_EQ(given.text,
              "openai/gpt-test, after 2 tries: the answer is longer than 16777216 bytes; it may have been billed");
}

TEST_P(HttpProtocol, ASlowAnswerIsWaitedForAsLongAsItMoves) {
    const ScriptedServer server(Json{{"text", program}, {"then", {{"split", 100}, {"drip", 0.15}}}}.dump());
    EXPECT_EQ(answer(server, {{"silence", 1}}).text, program);
    EXPECT_EQ(server.requests().size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Spoken, HttpProtocol,
                         ::testing::Values(Way{"chat", "no"}, Way{"chat", "yes"}, Way{"responses", "no"},
                                           Way{"responses", "yes"}, Way{"messages", "no"}, Way{"messages", "yes"},
                                           Way{"gemini", "no"}, Way{"gemini", "yes"}),
                         [](const auto& way) {
                             return way.param.protocol + (way.param.stream == "yes" ? "_streamed" : "_whole");
                         });

Json asked(const std::string& protocol, const Ask& ask, const Json& more = Json::object()) {
    const ScriptedServer server;
    Json options = {{"model", "x/m"},
                    {"base_url", server.base_url()},
                    {"key_env", "OPENAI_API_KEY"},
                    {"protocol", protocol},
                    {"stream", "no"}};
    options.update(more);
    PolicyPart part("http", options);
    part.ask(ask);
    Json request = server.requests().at(0);
    request["body"]["target"] = request["target"];
    return request["body"];
}

const Ask full = {.messages = {{"system", "be fast"}, {"user", "q"}, {"assistant", "a"}, {"user", "r"}},
                  .seed = 7,
                  .temperature = 0.5,
                  .max_tokens = 99,
                  .stop = {"END"},
                  .top_k = 40};

TEST_F(HttpPolicy, AsksByResponses) {
    EXPECT_EQ(asked("responses", full), (Json{{"target", "/v1/responses"},
                                              {"model", "m"},
                                              {"input",
                                               {{{"role", "system"}, {"content", "be fast"}},
                                                {{"role", "user"}, {"content", "q"}},
                                                {{"role", "assistant"}, {"content", "a"}},
                                                {{"role", "user"}, {"content", "r"}}}},
                                              {"store", false},
                                              {"max_output_tokens", 99},
                                              {"temperature", 0.5}}));
    EXPECT_NE(PolicyPart::logged().find("x/m does not take \"top_k\": it is left out from now on\n"),
              std::string::npos);
}

TEST_F(HttpPolicy, AsksByMessages) {
    const Json cached = {{"type", "text"}, {"text", "be fast"}, {"cache_control", {{"type", "ephemeral"}}}};
    EXPECT_EQ(asked("messages", full), (Json{{"target", "/v1/messages"},
                                             {"model", "m"},
                                             {"system", Json::array({cached})},
                                             {"messages",
                                              {{{"role", "user"}, {"content", "q"}},
                                               {{"role", "assistant"}, {"content", "a"}},
                                               {{"role", "user"}, {"content", "r"}}}},
                                             {"max_tokens", 99},
                                             {"temperature", 0.5},
                                             {"top_k", 40},
                                             {"stop_sequences", {"END"}}}));
    EXPECT_EQ(asked("messages", full, {{"cache", "no"}})["system"], "be fast")
        << "a server that takes no cache_control";
}

TEST_F(HttpPolicy, AsksByGenerateContent) {
    const Json thinking = {{"generationConfig", {{"thinkingConfig", {{"thinkingBudget", 128}}}}}};
    EXPECT_EQ(asked("gemini", full, {{"model", "x/m/ü"}, {"body", thinking.dump()}}),
              (Json{{"target", "/v1/models/m%2F%C3%BC:generateContent"},
                    {"systemInstruction", {{"parts", {{{"text", "be fast"}}}}}},
                    {"contents",
                     {{{"role", "user"}, {"parts", {{{"text", "q"}}}}},
                      {{"role", "model"}, {"parts", {{{"text", "a"}}}}},
                      {{"role", "user"}, {"parts", {{{"text", "r"}}}}}}},
                    {"generationConfig",
                     {{"maxOutputTokens", 99},
                      {"temperature", 0.5},
                      {"topK", 40},
                      {"seed", 7},
                      {"stopSequences", {"END"}},
                      {"thinkingConfig", {{"thinkingBudget", 128}}}}}}));
}

std::string said(const std::string& protocol, const Json& step, const Json& more = Json::object()) {
    const ScriptedServer server(Json{{"then", step}}.dump());
    Json options = {{"model", "x/m"},
                    {"base_url", server.base_url()},
                    {"key_env", "OPENAI_API_KEY"},
                    {"protocol", protocol},
                    {"backoff", 0.01},
                    {"tries", 1}};
    options.update(more);
    PolicyPart part("http", options);
    const GivenAnswer given = part.ask({.messages = {{"user", "q"}}, .stop = {"END"}});
    const char* const finishes[] = {"stop", "length", "refusal", "error"};
    return std::string(finishes[given.finish]) + ": " + given.text;
}

Json response(const std::string& status, const Json& content, const Json& more = Json::object()) {
    Json reply = {{"status", status}, {"output", {{{"type", "message"}, {"content", content}}}}};
    reply.update(more);
    return {{"body", reply}};
}

TEST_F(HttpPolicy, TheEndsOfResponses) {
    const Json text = {{{"type", "output_text"}, {"text", "one END two"}}};
    EXPECT_EQ(said("responses", response("completed", text)), "stop: one ") << "stop is cut here";
    const Json limit = {{"incomplete_details", {{"reason", "max_output_tokens"}}}},
               filter = {{"incomplete_details", {{"reason", "content_filter"}}}};
    EXPECT_EQ(said("responses", response("incomplete", {{{"type", "output_text"}, {"text", "one"}}}, limit)),
              "length: one");
    EXPECT_EQ(said("responses", response("incomplete", Json::array(), limit)),
              "error: x/m: the answer is empty: max_tokens were spent before its first word; raise max_tokens, or ask "
              "for less reasoning");
    EXPECT_EQ(said("responses", response("incomplete", text, filter)),
              "refusal: x/m: a content filter stopped the answer");
    EXPECT_EQ(said("responses", response("completed", {{{"type", "refusal"}, {"refusal", "no"}}})),
              "refusal: x/m: the model refused: no");
    EXPECT_EQ(said("responses", response("cancelled", text)),
              "error: x/m: the answer did not end by itself (status \"cancelled\")");
    EXPECT_EQ(said("responses", response("failed", Json::array(), {{"error", {{"message", "it broke"}}}})),
              "error: x/m, after 1 try: the server failed, with status 200: it broke");
}

Json message(const std::string& reason, const std::string& text) {
    return {{"body", {{"content", {{{"type", "text"}, {"text", text}}}}, {"stop_reason", reason}}}};
}

TEST_F(HttpPolicy, TheEndsOfMessages) {
    EXPECT_EQ(said("messages", message("stop_sequence", "one")), "stop: one");
    EXPECT_EQ(said("messages", message("max_tokens", "one")), "length: one");
    EXPECT_EQ(said("messages", message("model_context_window_exceeded", "one")), "length: one");
    EXPECT_EQ(said("messages", message("refusal", "I may not")), "refusal: x/m: the model refused: I may not");
    EXPECT_EQ(said("messages", message("pause_turn", "one")),
              "error: x/m: the answer did not end by itself (stop_reason \"pause_turn\")");
    EXPECT_EQ(said("messages", message("end_turn", "")), "error: x/m: the answer is empty (stop_reason \"end_turn\")");
}

TEST_F(HttpPolicy, TheEndsOfGenerateContent) {
    const auto ends = [](const std::string& reason) -> Json {
        const Json candidate = {{"content", {{"parts", {{{"text", "one"}}}}}}, {"finishReason", reason}};
        return {{"body", {{"candidates", {candidate}}}}};
    };
    EXPECT_EQ(said("gemini", ends("STOP")), "stop: one");
    EXPECT_EQ(said("gemini", ends("MAX_TOKENS")), "length: one");
    EXPECT_EQ(said("gemini", ends("RECITATION")), "refusal: x/m: a content filter stopped the answer (RECITATION)");
    EXPECT_EQ(said("gemini", ends("OTHER")), "error: x/m: the answer did not end by itself (finishReason \"OTHER\")");
    EXPECT_EQ(said("gemini", {{"body", {{"promptFeedback", {{"blockReason", "SAFETY"}}}}}}),
              "refusal: x/m: a filter of the provider refused the prompt: SAFETY");
}

// An error within a stream comes after status 200, and what was written before it is no answer.
TEST_F(HttpPolicy, AStreamThatFailsIsNoAnswer) {
    const auto told = [](const std::string& protocol, const std::vector<std::string>& events) {
        return said(protocol, {{"events", events}});
    };
    const std::string begun = "data: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"one\"}}]}\n\n";
    EXPECT_EQ(told("chat", {begun}), "error: x/m, after 1 try: the stream ended before the answer did");
    EXPECT_EQ(told("chat", {begun, "data: {\"error\": {\"message\": \"it broke\"}}\n\n"}),
              "error: x/m, after 1 try: the server failed, with status 200: it broke");
    EXPECT_EQ(told("chat", {begun, "data: {\"choices\": [\n\n"}),
              "error: x/m, after 1 try: an event of the answer is no JSON object (at byte 14: syntax error while "
              "parsing value - unexpected end of input; "
              "expected '[', '{', or a literal): {\"choices\": [");
    const std::string open =
        "data: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"one\"}, \"finish_reason\": null}]}\n\n";
    const std::string done = "data: [DONE]\n\n";
    EXPECT_EQ(told("chat", {open, done}), "error: x/m, after 1 try: the stream ended before the answer did");
    EXPECT_EQ(told("chat", {begun, done}), "stop: one") << "some servers tell no end of an answer";
    EXPECT_EQ(told("chat", {open, "data: {\"object\": \"error\", \"message\": \"EngineDeadError\"}\n\n", done}),
              "error: x/m, after 1 try: the server failed, with status 200: EngineDeadError");
    EXPECT_EQ(told("messages", {"event: error\ndata: {\"type\": \"error\", \"error\": {\"type\": \"api_error\", "
                                "\"message\": \"Internal error\"}}\n\n"}),
              "error: x/m, after 1 try: the server failed, with status 200: Internal error");
    EXPECT_EQ(told("responses", {"data: {\"type\": \"error\", \"code\": \"server_error\", \"message\": \"oh\"}\n\n"}),
              "error: x/m, after 1 try: the server failed, with status 200: oh");
    EXPECT_EQ(told("gemini", {"data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"one\"}]}}]}\n\n"}),
              "error: x/m, after 1 try: the stream ended before the answer did");
}

TEST_F(HttpPolicy, AStopTextWithinReasoningStopsNothing) {
    const auto answer = [](const std::string& text) { return said("chat", {{"body", test::completion(text)}}); };
    EXPECT_EQ(answer("<think>the END of it</think>one END two"), "stop: <think>the END of it</think>one ");
    EXPECT_EQ(answer("<think>the END of it"), "stop: <think>the END of it");
    EXPECT_EQ(answer("one END <think>two</think>"), "stop: one ");
}

// A server that was asked for a stream may answer whole.
TEST_F(HttpPolicy, AWholeAnswerInPlaceOfAStreamIsRead) {
    EXPECT_EQ(said("chat", {{"body", test::completion("one")}}), "stop: one");
}

TEST_F(HttpPolicy, AFieldThatASentenceNamesIsLeftOut) {
    const auto fields = [](const std::string& words) {
        const ScriptedServer server(
            Json{{"steps", {{{"status", 400}, {"body", {{"type", "error"}, {"error", {{"message", words}}}}}}}}}
                .dump());
        PolicyPart part("http", {{"model", "claude/m" + std::to_string(words.size())},
                                 {"base_url", server.base_url()},
                                 {"key_env", "OPENAI_API_KEY"},
                                 {"protocol", "messages"},
                                 {"stream", "no"}});
        part.ask({.messages = {{"user", "q"}}, .stop = {"END"}, .top_k = 3});
        const auto requests = server.requests();
        std::string gone;
        for (const auto& [field, value] : requests.at(0)["body"].items())
            if (requests.size() > 1 && !requests[1]["body"].contains(field)) gone += field + " ";
        return gone;
    };
    EXPECT_EQ(fields("`temperature` is deprecated for this model."), "temperature ");
    EXPECT_EQ(fields("top_k: Extra inputs are not permitted"), "top_k ");
    EXPECT_EQ(fields("stop_sequences: not supported here"), "stop_sequences ");
    EXPECT_EQ(fields("temperature: range: 0..1"), "") << "of its value";
    EXPECT_EQ(fields("a stop is not supported before noon"), "") << "a word of the sentence";
}

TEST_F(HttpPolicy, TheDaysQuotaIsAnEnd) {
    const Json violation = {{"violations", {{{"quotaId", "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}}}}};
    const Json error = {{"code", 429}, {"message", "Quota exceeded"}, {"details", {violation}}};
    const ScriptedServer server(Json{{"then", {{"status", 429}, {"body", {{"error", error}}}}}}.dump());
    EXPECT_EQ(sample_error(server, {{"protocol", "gemini"}}),
              "openai/gpt-test: the account's quota is spent (429): Quota exceeded");
}

TEST_F(HttpPolicy, ThreeHundredStreamsAtOnce) {
    const ScriptedServer server(
        Json{{"text", program}, {"then", {{"split", 60}, {"drip", 0.001}, {"together", 300}}}}.dump());
    PolicyPart part("http", options(server, {{"concurrency", 300}, {"stream", "yes"}}));
    std::vector<Ask> asks(300, Ask{.messages = {{"user", "q"}}});
    const auto answers = part.sample(asks);
    EXPECT_EQ(answers.size(), 300u);
    EXPECT_TRUE(std::all_of(answers.begin(), answers.end(), [](const auto& a) { return a.second.text == program; }));
    EXPECT_GE(server.most_at_once(), 300);
}

std::vector<std::string> data_of(const std::vector<std::string>& pieces) {
    std::vector<std::string> all;
    http::EventReader reader;
    const auto give = [&](const std::string& data) { all.push_back(data); };
    for (const std::string& piece : pieces) reader.take(piece, give);
    reader.end(give);
    return all;
}

TEST(HttpEvents, AreReadAsTheStandardSays) {
    using List = std::vector<std::string>;
    EXPECT_EQ(data_of({"data: a\n\ndata:b\n\n"}), (List{"a", "b"}));
    EXPECT_EQ(data_of({"data: a\r\n\r", "\ndata: b\r\rdata: c\n\n"}), (List{"a", "b", "c"}));
    EXPECT_EQ(data_of({"data: a\ndata: b\n\n"}), (List{"a\nb"}));
    EXPECT_EQ(data_of({": note\nevent: x\nid: 1\nretry: 5\ndata:  two\n\n"}), (List{" two"}));
    EXPECT_EQ(data_of({"event: x\n\n\n\ndata\n\n"}), (List{""}));
    EXPECT_EQ(data_of({"dat", "a: la", "st"}), (List{"last"})) << "without its empty line";
    EXPECT_EQ(data_of({"\xEF\xBB",
                       "\xBF"
                       "data: a\n\ndata: b\n\n"}),
              (List{"a", "b"}))
        << "behind a byte order mark";
    EXPECT_EQ(data_of({"database: no\n\n"}), (List{}));
}

}  // namespace
}  // namespace hone
