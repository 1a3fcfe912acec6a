#include "commands/serve/server.hpp"
#include <openssl/crypto.h>
#include <sys/socket.h>
#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <cmath>
#include "base/error.hpp"
#include "commands/serve/coroutines.hpp"

namespace hone::serve {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using Response = http::response<http::string_body>;

constexpr double longest_retry = 3600;  // seconds: a provider may ask for anything

std::string path_of(const Server::Request& request) {
    const std::string target(request.target());
    return target.substr(0, target.find('?'));
}

// A connection that the client has closed takes the first write all the same.
bool has_left(boost::beast::tcp_stream& stream) {
    char next;
    const ssize_t n = ::recv(stream.socket().native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

// As metrics count it: whatever a stranger asks for has one name.
std::string endpoint_of(const Server::Request& request) {
    const std::string path = path_of(request);
    for (const char* known : {"/health", "/metrics", "/v1/models", "/v1/chat/completions", "/v1/completions"})
        if (path == known) return path;
    return path.starts_with("/v1/models/") ? "/v1/models" : "other";
}

}  // namespace

Server::Server(const std::string& host, int port, std::string key, Served served, Limits limits)
    : key_(std::move(key)), served_(std::move(served)), limits_(limits) {
    boost::system::error_code e;
    const auto address = asio::ip::make_address(host, e);
    if (e)
        throw Error(Blame::usage, "serve",
                    "--host takes an address such as 127.0.0.1 or 0.0.0.0, not \"" + host + "\"");
    const tcp::endpoint endpoint(address, static_cast<std::uint16_t>(port));
    acceptor_->open(endpoint.protocol(), e);
    if (!e) acceptor_->set_option(tcp::acceptor::reuse_address(true), e);
    if (!e) acceptor_->bind(endpoint, e);
    if (!e) acceptor_->listen(asio::socket_base::max_listen_connections, e);
    if (e)
        throw Error(Blame::environment, "serve",
                    host + ":" + std::to_string(port) + " is not to be had: " + e.message(),
                    "choose another by --port; 0 takes one that is free");
}

Server::~Server() {
    acceptor_.reset();
    io_.reset();
}

void Server::run() {
    asio::co_spawn(*io_, accept(), asio::detached);
    io_->run();
}

void Server::refuse() { refusing_ = true; }
void Server::stop() { io_->stop(); }
bool Server::is_idle() { return open_ == 0; }

asio::awaitable<void> Server::accept() {
    for (;;) {
        auto [e, socket] = co_await acceptor_->async_accept(result);
        if (e == asio::error::operation_aborted) co_return;
        if (!e && connections_ < limits_.connections) asio::co_spawn(*io_, session(std::move(socket)), asio::detached);
        if (!e) continue;
        asio::steady_timer pause(*io_, std::chrono::milliseconds(50));  // no descriptor is free
        co_await pause.async_wait(result);
    }
}

asio::awaitable<void> Server::session(tcp::socket socket) {
    const Counted counted(connections_);
    Stream stream(std::move(socket));
    boost::beast::flat_buffer buffer;
    while (co_await begins(stream, buffer)) {
        http::request_parser<http::string_body> parser;
        parser.body_limit(limits_.body);
        stream.expires_after(milliseconds(limits_.slow));
        const auto [e, bytes] = co_await http::async_read(stream, buffer, parser, result);
        if (const auto error = fault_of(e)) co_await refuse_rest(stream, parser.get(), *error);
        if (e) break;
        const bool goes_on = co_await answer(stream, parser.release());
        if (!goes_on) break;
    }
    boost::system::error_code ignored;
    stream.socket().shutdown(tcp::socket::shutdown_both, ignored);
}

// Whether a first byte of a request comes before the connection ends or has been idle too long.
asio::awaitable<bool> Server::begins(Stream& stream, boost::beast::flat_buffer& buffer) {
    if (buffer.size() > 0) co_return true;
    stream.expires_after(milliseconds(limits_.idle));
    const auto [e, n] = co_await stream.async_read_some(buffer.prepare(1 << 12), result);
    buffer.commit(n);
    co_return !e;
}

// Of a request that was not read to its end; none where the client went away or is too slow.
std::optional<ApiError> Server::fault_of(const boost::system::error_code& e) const {
    if (e.category() != make_error_code(http::error::bad_method).category()) return std::nullopt;
    if (e == http::error::end_of_stream || e == http::error::partial_message) return std::nullopt;
    if (e == http::error::body_limit)
        return ApiError(413, "the body is longer than " + std::to_string(limits_.body) + " bytes");
    if (e == http::error::header_limit) return ApiError(431, "the head of the request is too long");
    return ApiError(400, "this is no HTTP request: " + e.message());
}

// The rest of the request is read away for a while: a connection that is closed before takes the answer along.
asio::awaitable<void> Server::refuse_rest(Stream& stream, const Request& head, const ApiError& error) {
    Request unread(http::verb::post, head.target(), 11);
    unread.keep_alive(false);
    co_await send_error(stream, unread, error, endpoint_of(unread));
    boost::system::error_code ignored;
    stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream.expires_after(std::chrono::seconds(2));
    std::vector<char> rest(1 << 16);
    for (boost::system::error_code e; !e;) {
        const auto [fault, n] = co_await stream.async_read_some(asio::buffer(rest), result);
        e = fault;
    }
}

// In constant time, so that no answer's delay tells how much of a guess is right.
bool Server::has_key(const Request& request) const {
    if (key_.empty()) return true;
    const std::string given(request[http::field::authorization]), wanted = "Bearer " + key_;
    return given.size() == wanted.size() && CRYPTO_memcmp(given.data(), wanted.data(), wanted.size()) == 0;
}

Json Server::models() const {
    return {{"object", "list"},
            {"data", {{{"id", served_.model}, {"object", "model"}, {"created", 0}, {"owned_by", "hone"}}}}};
}

// False once the connection is to be closed.
asio::awaitable<bool> Server::answer(Stream& stream, const Request& request) {
    const std::string path = path_of(request);
    const bool get = request.method() == http::verb::get, post = request.method() == http::verb::post;
    if (get && path == "/health") co_return co_await send(stream, request, 200, "{\"status\":\"ok\"}", path);
    if (!has_key(request))
        co_return co_await send_error(
            stream, request,
            ApiError(401,
                     request[http::field::authorization].empty() ? "a bearer token is wanted, and none was sent"
                                                                 : "a bearer token is wanted, and this one is not it",
                     "", "invalid_api_key"),
            endpoint_of(request));
    if (key_.empty() && !request[http::field::origin].empty())
        co_return co_await send_error(stream, request,
                                      ApiError(403,
                                               "a web page asks, and this server has no key: any page that a "
                                               "browser here shows could ask; set HONE_SERVE_KEY"),
                                      endpoint_of(request));
    if (get && path == "/metrics") {
        const std::string text = metrics_.text(exchanges_.open(), exchanges_.waiting());
        co_return co_await send(stream, request, 200, text, path, "text/plain; version=0.0.4");
    }
    if (get && path == "/v1/models") co_return co_await send(stream, request, 200, text_of(models()), path);
    if (get && path == "/v1/models/" + served_.model)
        co_return co_await send(stream, request, 200, text_of(models()["data"][0]), endpoint_of(request));
    if (post && path == "/v1/chat/completions") co_return co_await complete(stream, request, path, true);
    if (post && path == "/v1/completions") co_return co_await complete(stream, request, path, false);
    const ApiError unknown(404, "there is no " + std::string(request.method_string()) + " " + path +
                                    "; there are GET /v1/models, /health and /metrics, POST /v1/chat/completions and "
                                    "/v1/completions");
    co_return co_await send_error(stream, request, unknown, endpoint_of(request));
}

void Server::check_room() const {
    if (refusing_) throw ApiError(503, "the server is ending");
    if (exchanges_.open() >= limits_.requests)
        throw ApiError(429, "this server answers " + std::to_string(limits_.requests) + " requests at once; try again",
                       "", "rate_limit_exceeded");
}

asio::awaitable<bool> Server::send(Stream& stream, const Request& request, unsigned status, const std::string& body,
                                   const std::string& endpoint, const char* type, double retry_after) {
    Response response(static_cast<http::status>(status), request.version());
    response.set(http::field::content_type, type);
    if (status == 429 || status == 503)
        response.set(http::field::retry_after,
                     std::to_string(std::lround(std::clamp(retry_after, 1.0, longest_retry))));
    response.keep_alive(request.keep_alive());
    response.body() = body;
    response.prepare_payload();
    stream.expires_after(milliseconds(limits_.slow));
    const bool left = has_left(stream);
    const auto [e, n] = co_await http::async_write(stream, response, result);
    if (e || left) ++metrics_.gone;
    else ++metrics_.requests[{endpoint, status}];
    co_return !e && response.keep_alive();
}

asio::awaitable<bool> Server::send_error(Stream& stream, const Request& request, const ApiError& error,
                                         const std::string& endpoint) {
    co_return co_await send(stream, request, error.status, text_of(error_body(error)), endpoint, "application/json",
                            error.retry_after);
}

}  // namespace hone::serve
