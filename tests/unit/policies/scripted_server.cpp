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

Json completion(const std::string& text, int count) {
    Json choices = Json::array();
    for (int i = 0; i < count; ++i)
        choices.push_back(
            {{"index", i}, {"message", {{"role", "assistant"}, {"content", text}}}, {"finish_reason", "stop"}});
    return {{"id", "c"},
            {"object", "chat.completion"},
            {"model", "scripted-1"},
            {"choices", choices},
            {"usage", {{"prompt_tokens", 10}, {"completion_tokens", 5 * count}}}};
}

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
        response.set(http::field::content_type, "application/json");
        const Json headers = step.value("headers", Json::object());
        for (const auto& [name, value] : headers.items()) response.set(name, value.get<std::string>());
        response.body() = text_of(step, body);
        response.prepare_payload();
        boost::system::error_code e;
        if (step.contains("cut")) {
            std::ostringstream whole;
            whole << response;
            const std::string bytes =
                whole.str().substr(0, whole.str().size() - response.body().size() + step["cut"].get<std::size_t>());
            asio::write(socket, asio::buffer(bytes), e);
            socket.shutdown(tcp::socket::shutdown_both, e);
        } else {
            http::write(socket, response, e);
        }
        const std::lock_guard lock(mutex);
        --at_once;
        return !e && !step.contains("cut");
    }

    Json arrive(const Request& request, const Json& body) {
        std::unique_lock lock(mutex);
        const std::size_t number = requests.size() - first;
        requests.push_back({{"target", std::string(request.target())},
                            {"authorization", std::string(request[http::field::authorization])},
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

    std::string text_of(const Json& step, const Json& request) const {
        if (const auto body = step.find("body"); body != step.end())
            return body->is_string() ? body->get<std::string>() : body->dump();
        Json reply = completion(write ? write(request) : text(), request.is_object() ? request.value("n", 1) : 1);
        if (request.is_object() && request.contains("model")) reply["model"] = request["model"];
        return reply.dump();
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
