#include "scripted_server.hpp"
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>
#include "provider_replies.hpp"

namespace hone::test {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

std::chrono::milliseconds milliseconds(double seconds) {
    return std::chrono::milliseconds(static_cast<long>(seconds * 1000));
}

}  // namespace

struct ScriptedServer::State {
    Json script;
    std::function<std::string(const Json&)> write;
    asio::io_context io;
    tcp::acceptor acceptor{io, {asio::ip::make_address("127.0.0.1"), 0}};
    mutable std::mutex mutex;
    std::condition_variable changed;
    std::vector<Json> requests;
    std::size_t first = 0;  // request of the script that is played
    int at_once = 0, most_at_once = 0;
    bool ending = false;
    std::list<tcp::socket> sockets;
    std::vector<std::thread> threads;
    std::thread accepting;

    void accept() {
        for (;;) {
            tcp::socket socket(io);
            boost::system::error_code e;
            acceptor.accept(socket, e);
            const std::lock_guard lock(mutex);
            if (e || ending) return;
            sockets.push_back(std::move(socket));
            threads.emplace_back([this, &s = sockets.back()] { serve(s); });
        }
    }

    void serve(tcp::socket& socket) {
        beast::flat_buffer buffer;
        for (bool alive = true; alive;) {
            Request request;
            boost::system::error_code e;
            http::read(socket, buffer, request, e);
            if (e) return;
            alive = answer(socket, request);
        }
    }

    // False once the connection is cut.
    bool answer(tcp::socket& socket, const Request& request) {
        const Json body = Json::parse(request.body(), nullptr, false);
        const Json step = arrive(request, body);
        Response response(static_cast<http::status>(step.value("status", 200)), 11);
        fill(response, step, std::string(request.target()), body);
        const Json headers = step.value("headers", Json::object());
        for (const auto& [name, value] : headers.items()) response.set(name, value.get<std::string>());
        response.prepare_payload();
        std::ostringstream whole;
        whole << response;
        const bool sent = send(socket, whole.str(), response.body().size(), step);
        const std::lock_guard lock(mutex);
        --at_once;
        return sent && !step.contains("cut");
    }

    // Of a body's last bytes, where they are to be cut off, none; split: each byte alone.
    bool send(tcp::socket& socket, const std::string& bytes, std::size_t body_size, const Json& step) {
        boost::system::error_code e;
        const std::size_t head = bytes.size() - body_size;
        const std::size_t end = step.contains("cut") ? head + step["cut"].get<std::size_t>() : bytes.size();
        const std::size_t piece = step.value("split", end);
        socket.set_option(tcp::no_delay(true), e);
        for (std::size_t at = 0; at < end && !e; at += piece) {
            asio::write(socket, asio::buffer(bytes.data() + at, std::min(piece, end - at)), e);
            if (step.contains("drip")) pause(step["drip"].get<double>());
        }
        if (step.contains("cut")) socket.shutdown(tcp::socket::shutdown_both, e);
        return !e;
    }

    void pause(double seconds) {
        std::unique_lock lock(mutex);
        changed.wait_for(lock, milliseconds(seconds), [&] { return ending; });
    }

    Json arrive(const Request& request, const Json& body) {
        std::unique_lock lock(mutex);
        const std::size_t number = requests.size() - first;
        requests.push_back({{"target", std::string(request.target())},
                            {"authorization", std::string(request[http::field::authorization])},
                            {"x-api-key", std::string(request["x-api-key"])},
                            {"x-goog-api-key", std::string(request["x-goog-api-key"])},
                            {"body", body}});
        most_at_once = std::max(most_at_once, ++at_once);
        changed.notify_all();
        const Json steps = script.value("steps", Json::array());
        const Json step = number < steps.size() ? steps[number] : script.value("then", Json::object());
        if (step.contains("together"))
            changed.wait_for(lock, milliseconds(30),
                             [&] { return ending || most_at_once >= step["together"].get<int>(); });
        if (step.contains("delay"))
            changed.wait_for(lock, milliseconds(step["delay"].get<double>()), [&] { return ending; });
        return step;
    }

    std::string text() const {
        const std::lock_guard lock(mutex);
        return script.value("text", "an answer");
    }

    void fill(Response& response, const Json& step, const std::string& target, const Json& request) const {
        response.set(http::field::content_type, "application/json");
        if (const auto body = step.find("body"); body != step.end()) {
            response.body() = body->is_string() ? body->get<std::string>() : body->dump();
            return;
        }
        const ProviderReply reply = provider_reply(target, request, write ? write(request) : text());
        const bool streams = wants_stream(target, request);
        if (streams) response.set(http::field::content_type, step.value("type", "text/event-stream"));
        response.body() = step.value("before", "") + std::string(step.value("filler", 0u), 'x');
        if (!streams) response.body() += reply.whole.dump();
        const auto events = step.value("events", streams ? reply.events : std::vector<std::string>());
        for (const std::string& event : events) response.body() += event + (streams ? step.value("between", "") : "");
    }
};

ScriptedServer::ScriptedServer(const std::string& script, std::function<std::string(const Json&)> write)
    : state_(std::make_unique<State>()) {
    state_->script = Json::parse(script);
    state_->write = std::move(write);
    state_->accepting = std::thread([s = state_.get()] { s->accept(); });
}

ScriptedServer::~ScriptedServer() {
    boost::system::error_code e;
    {
        const std::lock_guard lock(state_->mutex);
        state_->ending = true;
        for (tcp::socket& socket : state_->sockets) socket.shutdown(tcp::socket::shutdown_both, e);
    }
    state_->changed.notify_all();
    tcp::socket knock(state_->io);  // wakes accept
    knock.connect(state_->acceptor.local_endpoint(), e);
    state_->accepting.join();
    for (std::thread& thread : state_->threads) thread.join();
}

void ScriptedServer::play(const std::string& script) {
    const std::lock_guard lock(state_->mutex);
    state_->script = Json::parse(script);
    state_->first = state_->requests.size();
}

std::string ScriptedServer::base_url() const {
    return "http://127.0.0.1:" + std::to_string(state_->acceptor.local_endpoint().port()) + "/v1";
}

std::vector<Json> ScriptedServer::requests() const {
    const std::lock_guard lock(state_->mutex);
    return state_->requests;
}

int ScriptedServer::most_at_once() const {
    const std::lock_guard lock(state_->mutex);
    return state_->most_at_once;
}

}  // namespace hone::test
