// `hone serve` as a process of its own, with real sockets. Its model is policy.http on a scripted server, which says
// how slow it is and what it answers; where tokens and seeds matter, the tiny model of torch-lm.
#include <gtest/gtest.h>
#include "commands/serve_fixture.hpp"

namespace hone {
namespace {

using namespace test::serve;
using test::ScriptedServer;

TEST(Serve, AnswersWhole) {
    const ScriptedServer model(R"({"text": "an answer"})");
    Serving serving(words_for(model));
    const Reply reply = serving.chat({{"model", "m"},
                                      {"temperature", 0.5},
                                      {"max_completion_tokens", 9},
                                      {"stop", "END"},
                                      {"n", 2},
                                      {"tools", Json::array()},
                                      {"user", "u"}});
    ASSERT_EQ(reply.status, 200u) << reply.body;
    const Json body = reply.json();
    EXPECT_EQ(body["object"], "chat.completion");
    EXPECT_EQ(body["model"], "m");
    ASSERT_EQ(body["choices"].size(), 2u);
    EXPECT_EQ(body["choices"][1]["index"], 1);
    EXPECT_EQ(body["choices"][1]["message"]["content"], "an answer");
    EXPECT_EQ(body["choices"][1]["finish_reason"], "stop");
    EXPECT_EQ(body["usage"]["prompt_tokens"], 20) << "the provider was asked twice";
    EXPECT_EQ(body["usage"]["completion_tokens"], 10);
    EXPECT_NE(serving.ask("/metrics", "").body.find("\nhone_prompt_tokens_total 20\n"), std::string::npos);
    const Json asked = model.requests().at(0)["body"];
    EXPECT_EQ(asked["temperature"], 0.5);
    EXPECT_EQ(asked["max_tokens"], 9);
    EXPECT_EQ(asked["stop"], Json::array({"END"}));
    const Reply text = serving.ask("/v1/completions", R"({"prompt": "once"})");
    EXPECT_EQ(text.json()["object"], "text_completion") << text.body;
    EXPECT_EQ(text.json()["choices"][0]["text"], "an answer");
}

TEST(Serve, TokensThatNobodyCountedAreNull) {
    const Json message = {{"role", "assistant"}, {"content", "an answer"}},
               body = {{"choices", {{{"index", 0}, {"message", message}, {"finish_reason", "stop"}}}}};
    const ScriptedServer model(Json{{"then", {{"body", body}}}}.dump());
    Serving serving(words_for(model));
    const Reply reply = serving.chat({});
    ASSERT_EQ(reply.status, 200u) << reply.body;
    EXPECT_EQ(reply.json()["choices"][0]["message"]["content"], "an answer");
    EXPECT_EQ(reply.json()["usage"], nullptr);
}

TEST(Serve, AnswersAsAStream) {
    const ScriptedServer model(R"({"text": "an answer"})");
    Serving serving(words_for(model));
    const Reply reply = serving.chat({{"stream", true}, {"stream_options", {{"include_usage", true}}}});
    ASSERT_EQ(reply.status, 200u) << reply.body;
    EXPECT_EQ(reply.type, "text/event-stream");
    EXPECT_TRUE(reply.body.ends_with("data: [DONE]\n\n"));
    const auto chunks = chunks_of(reply.body);
    ASSERT_GE(chunks.size(), 5u) << "the role, pieces, the end, the usage";
    EXPECT_EQ(chunks[0]["choices"][0]["delta"]["role"], "assistant");
    std::string text;
    for (const Json& chunk : chunks)
        for (const Json& choice : chunk["choices"]) text += choice["delta"].value("content", "");
    EXPECT_EQ(text, "an answer");
    EXPECT_EQ(chunks[chunks.size() - 2]["choices"][0]["finish_reason"], "stop");
    EXPECT_EQ(chunks.back()["usage"]["completion_tokens"], 5);
}

Json texts_of(const std::vector<Json>& chunks) {
    std::string text;
    Json finish, error;
    for (const Json& chunk : chunks) {
        if (chunk.contains("error")) error = chunk["error"]["message"];
        for (const Json& choice : chunk.value("choices", Json::array())) {
            text += choice["delta"].value("content", "");
            if (!choice["finish_reason"].is_null()) finish = choice["finish_reason"];
        }
    }
    return {{"text", text}, {"finish", finish}, {"error", error}};
}

Json event(const std::string& text) {
    return "data: " + Json{{"choices", {{{"index", 0}, {"delta", {{"content", text}}}}}}}.dump() + "\n\n";
}

// What a client has read cannot be taken back, and is not the beginning of what a second try answers.
TEST(Serve, AStreamWhoseFirstTryBrokeOffEndsWithAnError) {
    const Json broken = {
        {"events", {event("half an "), event("answer that"), "data: {\"error\": {\"message\": \"boom\"}}\n\n"}}};
    const ScriptedServer model(Json{{"steps", {broken}}, {"text", "another one"}}.dump());
    Serving serving(words_for(model));
    const Json read = texts_of(chunks_of(serving.chat({{"stream", true}}).body));
    EXPECT_EQ(read["text"], "half an answer that");
    EXPECT_EQ(read["finish"], nullptr);
    EXPECT_EQ(read["error"],
              "the answer broke off, and what a later try answered is another one; ask again, without stream for the "
              "later one");
}

// The provider takes no notice of the field.
TEST(Serve, StopHoldsInAStream) {
    const Json events = {event("one two STO"), event("PPER three"), "data: [DONE]\n\n"};
    const ScriptedServer model(Json{{"then", {{"events", events}}}}.dump());
    Serving serving(words_for(model));
    const Json read = texts_of(chunks_of(serving.chat({{"stream", true}, {"stop", "STOPPER"}}).body));
    EXPECT_EQ(read["text"], "one two ");
    EXPECT_EQ(read["error"], nullptr);
}

TEST(Serve, WrongRequestsAreToldWhatIsWrong) {
    const ScriptedServer model;
    Serving serving(words_for(model, {"--max-body", "2000"}));
    const auto told = [&](const Json& body) {
        const Reply reply = serving.chat(body);
        const Json error = reply.json()["error"];
        return std::to_string(reply.status) + " " + error.value("type", "") + " " +
               (error["param"].is_null() ? "-" : error["param"].get<std::string>()) + ": " + error.value("message", "");
    };
    const std::string wrong = "400 invalid_request_error ";
    EXPECT_EQ(told({{"temperature", "hot"}}), wrong + "temperature: 'temperature' must be a number from 0 to 100");
    EXPECT_EQ(told({{"n", 1.5}}), wrong + "n: 'n' must be a whole number from 1 to 128");
    EXPECT_EQ(told({{"max_tokens", 0}}), wrong + "max_tokens: 'max_tokens' must be a whole number from 1 to 16777216");
    EXPECT_EQ(told({{"stop", {"a", 1}}}),
              wrong + "stop: 'stop' must be a text or a list of up to 4 texts, none of them empty");
    EXPECT_EQ(told({{"stream", 1}}), wrong + "stream: 'stream' must be true or false");
    EXPECT_EQ(told({{"messages", "hi"}}), wrong + "messages: 'messages' must be a list of messages that is not empty");
    EXPECT_EQ(told({{"messages", {{{"role", "tool"}, {"content", "x"}}}}}),
              wrong + "messages[0].role: 'messages[0].role' must be system, developer, user or assistant");
    EXPECT_EQ(told({{"messages", {{{"role", "user"}}}}}),
              wrong + "messages[0].content: 'messages[0].content' must be a text or a list of parts");
    EXPECT_EQ(told({{"model", "gpt-9"}}),
              "404 invalid_request_error model: The model `gpt-9` does not exist; this server has `m`");
    EXPECT_EQ(serving.ask("/v1/chat/completions", "{\"messages\": [").json()["error"]["message"],
              "the body is no JSON: line 1, column 15: unexpected end of input; expected '[', '{', or a literal");
    EXPECT_EQ(serving.ask("/v1/chat/completions", "{\"temperature\": 1e4004}").json()["error"]["message"],
              "the body is no JSON: a number is too large");
    EXPECT_EQ(serving.ask("/v1/chat/completions", "[]").json()["error"]["message"], "the body is no JSON object");
    EXPECT_EQ(serving.ask("/v1/chat/completions", "\xff\xfe{}").status, 400u);
    const Reply unknown = serving.ask("/v2/none");
    EXPECT_EQ(unknown.status, 404u);
    EXPECT_EQ(unknown.json()["error"]["message"],
              "there is no GET /v2/none; there are GET /v1/models, /health and /metrics, POST /v1/chat/completions and "
              "/v1/completions");
    const Reply large = serving.ask("/v1/chat/completions", std::string(3000, 'x'));
    EXPECT_EQ(large.status, 413u);
    EXPECT_EQ(large.json()["error"]["message"], "the body is longer than 2000 bytes");
    EXPECT_NE(serving.ask("/metrics").body.find("{endpoint=\"/v1/chat/completions\",status=\"413\"} 1\n"),
              std::string::npos);
    EXPECT_EQ(serving.say("no HTTP at all\r\n\r\n").json()["error"]["message"], "this is no HTTP request: bad version");
    const Reply long_head = serving.say("GET /health HTTP/1.1\r\nX: " + std::string(10000, 'x') + "\r\n\r\n");
    EXPECT_EQ(long_head.status, 431u);
    EXPECT_EQ(long_head.json()["error"]["message"], "the head of the request is too long");
    EXPECT_TRUE(model.requests().empty());
    EXPECT_EQ(serving.chat({{"temperature", nullptr}, {"n", nullptr}}).status, 200u) << "null is absent";
}

// Faults of a model behind an API: the client reads whose they are, with a stream as without.
TEST(Serve, WhatTheModelCannotAnswerIsAnError) {
    const auto status = [](int number, Json error = Json::object()) {
        error["message"] = "no";
        return Json{{"status", number}, {"headers", {{"Retry-After", "7"}}}, {"body", {{"error", error}}}};
    };
    struct Case {
        Json step;
        unsigned status;
        std::string type, retry_after, said;
    };
    const std::string wrong = "invalid_request_error", failed = "server_error", tried = "test/any, after 1 try: ",
                      later = "; the server asks to wait 7 s, and the deadline of 1 s ends before";
    const Json limited = status(200, {{"code", 429}});
    const Case cases[] = {
        {status(400), 400, wrong, "", tried + "400: no"},
        {status(422), 400, wrong, "", tried + "422: no"},
        {status(401), 502, failed, "",
         "policy \"http\": sample: test wants a key (401), and none was sent, because key_env is "
         "\"none\"; name there the "
         "environment variable that holds the key; the server says: no"},
        {status(403), 502, failed, "",
         "policy \"http\": sample: test/any: the server denies access (403): no; see at the provider "
         "what this account may "
         "use"},
        {status(429), 429, "rate_limit_error", "7", tried + "429: no" + later},
        {limited, 429, "rate_limit_error", "7", tried + "the server failed, with status 200: no" + later},
        {status(503), 503, failed, "7", tried + "503: no" + later},
        {status(500), 502, failed, "", tried + "500: no" + later},
        {status(504), 504, failed, "", tried + "504: no" + later},
        {{{"cut", 20}}, 502, failed, "", ""},
        {{{"delay", 5}}, 504, failed, "", ""}};
    ScriptedServer model;
    Serving serving(words_for(model, {"--option", "deadline=1", "--option", "tries=1"}));
    for (const Case& one : cases)
        for (const bool stream : {false, true}) {
            model.play(Json{{"then", one.step}}.dump());
            const Reply reply = serving.chat({{"stream", stream}});
            const Json error = reply.json().value("error", Json::object());
            EXPECT_EQ(reply.status, one.status) << one.step << stream << reply.body;
            EXPECT_EQ(error.value("type", ""), one.type) << one.step << stream;
            EXPECT_EQ(reply.retry_after, one.retry_after) << one.step << stream;
            if (!one.said.empty()) EXPECT_EQ(error.value("message", ""), one.said) << stream;
        }
    model.play("{}");
    EXPECT_EQ(serving.chat(Json::object()).status, 200u) << "the server goes on";
}

class ServeTiny : public ::testing::Test {
protected:
    void SetUp() override {
        if (!fs::exists(HONE_TEST_PLUGIN_DIR "/policy.torch-lm.so")) GTEST_SKIP() << "needs LibTorch";
    }
    static Json body(Json more = Json::object()) {
        Json all = {{"prompt", "<|task|>axpy<|code|>"}, {"max_tokens", 12}, {"seed", 3}, {"n", 2}};
        all.update(more);
        return all;
    }
};

TEST_F(ServeTiny, SeedsTokensAndLogProbabilities) {
    Serving serving({"tiny", "--option", "threads=1"});
    const auto choices = [&](const Json& more) {
        return serving.ask("/v1/completions", body(more).dump()).json()["choices"];
    };
    const Json first = choices({{"return_token_ids", true}, {"logprobs", 0}});
    ASSERT_EQ(first.size(), 2u) << first;
    EXPECT_EQ(choices(Json::object())[0]["text"], first[0]["text"]);
    EXPECT_NE(choices({{"seed", 4}})[0]["text"], first[0]["text"]);
    EXPECT_FALSE(choices(Json::object())[0].contains("token_ids"));
    const std::size_t n = first[0]["token_ids"].size();
    EXPECT_GT(n, 0u);
    EXPECT_EQ(first[0]["logprobs"]["token_logprobs"].size(), n);
    // a second client at the same time changes nothing
    std::thread other([&] { choices({{"seed", 9}, {"max_tokens", 200}}); });
    EXPECT_EQ(choices(Json::object())[1]["text"], first[1]["text"]);
    other.join();
    const Reply stream = serving.ask("/v1/completions", body({{"stream", true}}).dump());
    std::string text;
    for (const Json& chunk : chunks_of(stream.body))
        for (const Json& choice : chunk["choices"])
            if (choice["index"] == 0) text += choice["text"].get<std::string>();
    EXPECT_EQ(text, first[0]["text"]);
}

// Before a stream begins, so that a client reads a status; hone's own client does not ask again.
TEST_F(ServeTiny, APromptBeyondTheContextIsRefused) {
    Serving serving({"tiny", "--option", "threads=1"});
    std::string words;
    for (int i = 0; i < 2000; ++i) words += "x y ";
    for (const bool stream : {false, true}) {
        const Reply text = serving.ask("/v1/completions", body({{"prompt", words}, {"stream", stream}}).dump()),
                    chat = serving.chat({{"messages", {{{"role", "user"}, {"content", words}}}}, {"stream", stream}});
        for (const auto& [reply, param] : {std::pair(text, "prompt"), std::pair(chat, "messages")}) {
            EXPECT_EQ(reply.status, 400u) << reply.body;
            EXPECT_EQ(reply.json()["error"]["type"], "invalid_request_error");
            EXPECT_EQ(reply.json()["error"]["code"], "context_length_exceeded");
            EXPECT_EQ(reply.json()["error"]["param"], param);
        }
    }
    test::PolicyPart part("http", {{"model", "hone/tiny"}, {"base_url", serving.url()}});
    const auto answer = part.ask({.messages = {{"user", words}}, .max_tokens = 8});
    EXPECT_EQ(answer.text.find("hone/tiny, after 1 try: 400: the prompt has "), 0u) << answer.text;
    EXPECT_EQ(answer.fault, HONE_FAULT_CONTEXT);
}

// What hone serves, hone can learn from: answers of policy.http come with their tokens.
TEST_F(ServeTiny, PolicyHttpGetsTokens) {
    Serving serving({"tiny", "--option", "threads=1"});
    for (const char* stream : {"yes", "no"}) {
        test::PolicyPart part("http", {{"model", "hone/tiny"}, {"base_url", serving.url()}, {"stream", stream}});
        const auto answers = part.sample({{.messages = {{"user", "q"}}, .group = 3, .seed = 5, .max_tokens = 8}});
        ASSERT_EQ(answers.size(), 3u);
        for (const auto& [at, answer] : answers) {
            EXPECT_GT(answer.ids.size(), 0u) << stream << answer.text;
            EXPECT_EQ(answer.ids.size(), answer.logp.size());
            EXPECT_GT(answer.prompt_ids.size(), 0u) << stream;
        }
    }
}

}  // namespace
}  // namespace hone
