// Who may ask `hone serve`, how many at once, and how connections end.
#include <gtest/gtest.h>
#include "commands/serve_fixture.hpp"

namespace hone {
namespace {

using namespace test::serve;
using test::ScriptedServer;

// Copies of such a document ran out of stack.
TEST(Serve, ABodyThatIsNestedWithoutEndIsRefused) {
    const ScriptedServer model;
    Serving serving(words_for(model));
    const std::string begin = R"({"messages": [{"role": "user", "content": "q"}], "stop": )";
    for (const char* opening : {"[", "{\"a\":"}) {
        std::string deep = begin;
        for (int i = 0; i < 200000; ++i) deep += opening;
        const Reply reply = serving.ask("/v1/chat/completions", deep);
        EXPECT_EQ(reply.status, 400u);
        EXPECT_EQ(reply.json()["error"].value("message", ""),
                  "the body is nested too deep: more than 64 lists and objects stand within each other");
    }
    const std::string closed = begin + std::string(200000, '[') + std::string(200000, ']') + "}";
    EXPECT_EQ(serving.ask("/v1/chat/completions", closed).status, 400u);
    EXPECT_EQ(serving.chat({{"n", 1}}).status, 200u) << "it lives";
}

// To its end, however long the server keeps connections that may ask again.
std::string all_of(tcp::socket socket) {
    timeval limit{10, 0};
    setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    std::string all;
    char some[4096];
    ssize_t n = 0;
    while ((n = ::recv(socket.native_handle(), some, sizeof some, 0)) > 0)
        all.append(some, static_cast<std::size_t>(n));
    return n == 0 ? all : "still open: " + all;
}

TEST(Serve, AConnectionEndsWhereItsClientWantsThat) {
    const ScriptedServer model(R"({"text": "an answer"})");
    Serving serving(words_for(model));
    const auto asked = [&](const std::string& version, const std::string& fields, bool stream) {
        const std::string body =
            R"({"messages": [{"role": "user", "content": "q"}], "stream": )" + std::string(stream ? "true}" : "false}");
        tcp::socket socket = serving.connect();
        asio::write(socket, asio::buffer("POST /v1/chat/completions HTTP/" + version + "\r\n" + fields +
                                         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body));
        return all_of(std::move(socket));
    };
    for (const bool stream : {false, true}) {
        const std::string closed = asked("1.1", "Host: x\r\nConnection: close\r\n", stream);
        EXPECT_TRUE(closed.starts_with("HTTP/1.1 200 OK\r\n")) << closed;
        EXPECT_NE(closed.find("\r\nConnection: close\r\n"), std::string::npos) << closed;
        EXPECT_EQ(closed.ends_with("\r\n0\r\n\r\n"), stream) << closed;
        const std::string old = asked("1.0", "", stream);
        EXPECT_TRUE(old.starts_with("HTTP/1.0 200 OK\r\n")) << old;
        EXPECT_EQ(old.find("chunked"), std::string::npos) << old;
        EXPECT_EQ(old.ends_with("data: [DONE]\n\n"), stream) << old;
    }
    EXPECT_TRUE(asked("1.0", "Connection: keep-alive\r\n", true).ends_with("data: [DONE]\n\n"))
        << "only the end of the connection ends this body";
}

TEST(Serve, AKeyIsAskedForWhereOneIsSet) {
    const ScriptedServer model;
    Serving serving(words_for(model), "secret-of-serve");
    const Reply without = serving.ask("/v1/models", "", false);
    EXPECT_EQ(without.status, 401u);
    EXPECT_EQ(without.json()["error"]["type"], "authentication_error");
    EXPECT_EQ(serving.ask("/health", "", false).status, 200u);
    const Reply with = serving.ask("/v1/models");
    EXPECT_EQ(with.status, 200u);
    EXPECT_EQ(with.json()["data"][0]["id"], "m");
    EXPECT_EQ(serving.ask("/v1/models/m").json(), with.json()["data"][0]);
    EXPECT_EQ(serving.ask("/v1/models/n").status, 404u);
}

// A browser sends such a request for any page, without asking anybody.
TEST(Serve, AWebPageNeedsAKey) {
    const ScriptedServer model(R"({"text": "an answer"})");
    Serving open(words_for(model)), closed(words_for(model), "secret-of-serve");
    const std::string head = "GET /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\nOrigin: https://a.example\r\n";
    const Reply refused = open.say(head + "\r\n");
    EXPECT_EQ(refused.status, 403u);
    EXPECT_EQ(refused.json()["error"]["message"],
              "a web page asks, and this server has no key: any page that a browser here shows could ask; set "
              "HONE_SERVE_KEY");
    EXPECT_EQ(closed.say(head + "Authorization: Bearer secret-of-serve\r\n\r\n").status, 200u);
}

TEST(Serve, BeyondItsLimitItAsksToWait) {
    const ScriptedServer model(R"({"then": {"delay": 1}})");
    Serving serving(words_for(model, {"--requests", "2"}));
    std::vector<tcp::socket> under_way;
    const std::string body = R"({"messages": [{"role": "user", "content": "q"}]})";
    for (int i = 0; i < 2; ++i) {
        under_way.push_back(serving.connect());
        serving.send(under_way.back(), "/v1/chat/completions", body);
    }
    while (model.requests().size() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const Reply refused = serving.ask("/v1/chat/completions", body);
    EXPECT_EQ(refused.status, 429u);
    EXPECT_EQ(refused.retry_after, "1");
    EXPECT_EQ(refused.json()["error"]["type"], "rate_limit_error");
    EXPECT_EQ(refused.json()["error"]["message"], "this server answers 2 requests at once; try again");
    for (tcp::socket& socket : under_way) EXPECT_EQ(Serving::receive(socket).status, 200u);
    EXPECT_EQ(serving.ask("/v1/chat/completions", body).status, 200u);
}

TEST(Serve, ClientsThatLeaveOrSleepCostNothingElse) {
    const ScriptedServer model(R"({"text": "an answer", "then": {"delay": 0.1}})");
    Serving serving(words_for(model, {"--slow", "0.3"}));
    {
        tcp::socket leaves = serving.connect(), other = serving.connect();
        serving.send(leaves, "/v1/chat/completions", R"({"messages": [{"role": "user", "content": "q"}]})");
        serving.send(other, "/v1/chat/completions",
                     R"({"stream": true, "messages": [{"role": "user", "content": "q"}]})");
    }
    tcp::socket slow = serving.connect();
    const std::string half = "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{\"mess";
    asio::write(slow, asio::buffer(half));
    tcp::socket half_a_head = serving.connect();
    asio::write(half_a_head, asio::buffer(half.substr(0, 20)));
    char byte;
    boost::system::error_code e;
    EXPECT_EQ(asio::read(half_a_head, asio::buffer(&byte, 1), e), 0u) << "it is closed";
    EXPECT_EQ(asio::read(slow, asio::buffer(&byte, 1), e), 0u) << "it is closed";
    EXPECT_EQ(serving.chat(Json::object()).status, 200u);
    const std::string metrics = serving.ask("/metrics").body;
    EXPECT_NE(metrics.find("hone_requests_total{endpoint=\"/v1/chat/completions\",status=\"200\"} "), std::string::npos)
        << metrics;
    EXPECT_NE(metrics.find("\nhone_requests_open 0\n"), std::string::npos) << metrics;
    EXPECT_NE(metrics.find("hone_request_seconds_bucket{le=\"+Inf\"} "), std::string::npos) << metrics;
}

TEST(Serve, AClientThatLeftBeforeItsAnswerIsNoneThatWasAnswered) {
    const ScriptedServer model(R"({"text": "an answer", "then": {"delay": 0.3}})");
    Serving serving(words_for(model));
    {
        tcp::socket leaves = serving.connect();
        serving.send(leaves, "/v1/chat/completions", R"({"messages": [{"role": "user", "content": "q"}]})");
        while (model.requests().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(serving.chat(Json::object()).status, 200u);
    const std::string metrics = serving.ask("/metrics").body;
    EXPECT_NE(metrics.find("\nhone_clients_gone_total 1\n"), std::string::npos) << metrics;
    EXPECT_NE(metrics.find("{endpoint=\"/v1/chat/completions\",status=\"200\"} 1\n"), std::string::npos) << metrics;
}

TEST(Serve, WhatIsUnderWayIsAnsweredBeforeItEnds) {
    const ScriptedServer model(R"({"text": "late", "then": {"delay": 0.5}})");
    Serving serving(words_for(model));
    tcp::socket under_way = serving.connect(), later = serving.connect();
    const std::string body = R"({"messages": [{"role": "user", "content": "q"}]})";
    serving.send(under_way, "/v1/chat/completions", body);
    while (model.requests().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    serving.signal(SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    serving.send(later, "/v1/chat/completions", body);
    const Reply refused = Serving::receive(later), answered = Serving::receive(under_way);
    EXPECT_EQ(refused.status, 503u);
    EXPECT_EQ(answered.json()["choices"][0]["message"]["content"], "late") << answered.body;
    EXPECT_EQ(serving.ended(), 0);
}

TEST(Serve, WhatTakesLongerThanItsGraceIsGivenUp) {
    const ScriptedServer model(R"({"text": "late", "then": {"delay": 20}})");
    Serving serving(words_for(model, {"--grace", "0.2"}));
    tcp::socket under_way = serving.connect();
    const auto begun = std::chrono::steady_clock::now();
    serving.send(under_way, "/v1/chat/completions", R"({"messages": [{"role": "user", "content": "q"}]})");
    while (model.requests().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    serving.signal(SIGTERM);
    EXPECT_NE(Serving::receive(under_way).status, 200u);
    EXPECT_EQ(serving.ended(), 130);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(15));
}

TEST(Serve, OnlyLoopbackNeedsNoKey) {
    Serving serving({"test/any", "--policy", "http", "--host", "0.0.0.0"});
    EXPECT_THROW(serving.url(), std::runtime_error);
    EXPECT_EQ(serving.ended(), 2);
}

}  // namespace
}  // namespace hone
