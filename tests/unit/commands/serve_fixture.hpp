// `hone serve` as a process of its own, and a client of it with real sockets.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <csignal>
#include <thread>
#include "base/paths.hpp"
#include "base/process.hpp"
#include "policies/policy_fixture.hpp"
#include "policies/scripted_server.hpp"
#include "test_folders.hpp"

namespace hone::test::serve {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

struct Reply {
    unsigned status = 0;
    std::string body, type, retry_after;
    Json json() const { return Json::parse(body, nullptr, false); }
};

class Serving {  // the process
public:
    explicit Serving(std::vector<std::string> words, const std::string& key = "") {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
        const Fd written(ends[1]);
        read_ = Fd(ends[0]);
        SpawnPlan plan;
        plan.argv = {(program_path().parent_path() / "hone").string(), "serve"};
        plan.argv.insert(plan.argv.end(), words.begin(), words.end());
        plan.argv.insert(plan.argv.end(), {"--port", "0", "--quiet"});
        for (char** one = environ; *one; ++one) plan.environment.push_back(*one);
        plan.environment.push_back("HONE_PLUGIN_PATH=" HONE_TEST_PLUGIN_DIR);
        if (!key.empty()) plan.environment.push_back("HONE_SERVE_KEY=" + key);
        plan.files = {{written.get(), 1}};
        child_.emplace(plan);
        key_ = key;
    }
    // "http://127.0.0.1:PORT/v1", once it is told.
    std::string url() {
        while (told_.find("Ctrl-C ends it\n") == std::string::npos) {
            char more[512];
            const ssize_t n = ::read(read_.get(), more, sizeof more);
            if (n <= 0) throw std::runtime_error("hone serve ended: " + told_);
            told_.append(more, static_cast<std::size_t>(n));
        }
        const std::size_t from = told_.find("http://");
        return told_.substr(from, told_.find('\n') - from);
    }
    unsigned short port() {
        const std::string at = url();
        return static_cast<unsigned short>(std::stoi(at.substr(at.rfind(':') + 1)));
    }
    tcp::socket connect() {
        tcp::socket socket(io_);
        socket.connect({asio::ip::make_address("127.0.0.1"), port()});
        return socket;
    }
    void send(tcp::socket& socket, const std::string& target, const std::string& body, bool with_key = true) {
        http::request<http::string_body> request(body.empty() ? http::verb::get : http::verb::post, target, 11);
        request.set(http::field::host, "x");
        if (with_key && !key_.empty()) request.set(http::field::authorization, "Bearer " + key_);
        request.body() = body;
        request.prepare_payload();
        http::write(socket, request);
    }
    static Reply receive(tcp::socket& socket) {
        boost::beast::flat_buffer buffer;
        http::response_parser<http::string_body> parser;
        parser.body_limit(boost::none);
        boost::system::error_code e;
        http::read(socket, buffer, parser, e);
        if (e) return {};
        const auto& got = parser.get();
        return {got.result_int(), got.body(), std::string(got[http::field::content_type]),
                std::string(got[http::field::retry_after])};
    }
    Reply ask(const std::string& target, const std::string& body = "", bool with_key = true) {
        tcp::socket socket = connect();
        send(socket, target, body, with_key);
        return receive(socket);
    }
    Reply say(const std::string& bytes) {
        tcp::socket socket = connect();
        asio::write(socket, asio::buffer(bytes));
        return receive(socket);
    }
    Reply chat(Json body) {
        if (!body.contains("messages")) body["messages"] = {{{"role", "user"}, {"content", "q"}}};
        return ask("/v1/chat/completions", body.dump());
    }
    void signal(int number) { ::kill(child_->pid(), number); }
    int ended() {
        int status = -1;
        return child_->wait(30, &status) && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    Fd read_;
    std::string told_, key_;
    std::optional<Child> child_;
    asio::io_context io_;
};

inline std::vector<std::string> words_for(const ScriptedServer& model, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"test/any", "--policy", "http", "--name", "m"};
    for (const std::string& option : {"base_url=" + model.base_url(), std::string("key_env=none")})
        words.insert(words.end(), {"--option", option});
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

inline std::vector<Json> chunks_of(const std::string& body) {
    std::vector<Json> chunks;
    std::istringstream lines(body);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("data: ") && line != "data: [DONE]") chunks.push_back(Json::parse(line.substr(6)));
    return chunks;
}

}  // namespace hone::test::serve
