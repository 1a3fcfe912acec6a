// commands/serve/server.hpp: the network's side: an OpenAI-compatible server on one thread (Boost.Beast, coroutines).
#pragma once
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <string>
#include "commands/serve/exchange.hpp"
#include "commands/serve/metrics.hpp"
#include "commands/serve/reply.hpp"

namespace hone::serve {

struct Limits {
    std::size_t requests = 256;      // under way; one more is answered by 429
    std::size_t connections = 1024;  // open; one more is closed at once
    std::uint64_t body = 4 << 20;    // bytes of a request
    double idle = 60, slow = 30;     // seconds: between two requests; to receive one, to take a piece of an answer
};

class Server {
public:
    using Request = boost::beast::http::request<boost::beast::http::string_body>;

    // Listens. key: clients send it as bearer token; "": none is asked for. Throws Error(environment) where the address
    // is not to be had.
    Server(const std::string& host, int port, std::string key, Served served, Limits limits);
    ~Server();
    Server(const Server&) = delete;
    int port() const { return acceptor_->local_endpoint().port(); }
    Exchanges& exchanges() { return exchanges_; }

    void run();      // the network's thread: until stop()
    void refuse();   // any thread: new requests are answered by 503 from now on
    void stop();     // any thread: cuts off what is open
    bool is_idle();  // any thread: nothing is under way

private:
    using Stream = boost::beast::tcp_stream;
    boost::asio::awaitable<void> accept();
    boost::asio::awaitable<void> session(boost::asio::ip::tcp::socket socket);
    boost::asio::awaitable<bool> answer(Stream& stream, const Request& request);
    boost::asio::awaitable<bool> complete(Stream& stream, const Request& request, const std::string& endpoint,
                                          bool chat);
    boost::asio::awaitable<bool> send_whole(Stream& stream, const Request& request, const Asked& asked,
                                            Exchange& exchange, const std::string& endpoint);
    boost::asio::awaitable<bool> send_stream(Stream& stream, const Request& request, const Asked& asked,
                                             Exchange& exchange, const std::string& endpoint);
    boost::asio::awaitable<Event> next(Exchange& exchange);
    boost::asio::awaitable<bool> send(Stream& stream, const Request& request, unsigned status, const std::string& body,
                                      const std::string& endpoint, const char* type = "application/json",
                                      double retry_after = 1);
    boost::asio::awaitable<bool> send_error(Stream& stream, const Request& request, const ApiError& error,
                                            const std::string& endpoint);
    boost::asio::awaitable<bool> begins(Stream& stream, boost::beast::flat_buffer& buffer);
    std::optional<ApiError> fault_of(const boost::system::error_code&) const;
    boost::asio::awaitable<void> refuse_rest(Stream& stream, const Request& head, const ApiError&);
    bool has_key(const Request& request) const;
    void check_room() const;
    void count(const Answer& answer);
    Json models() const;

    // Ended by the destructor before all else: sessions that are cut off hold references to the rest.
    std::optional<boost::asio::io_context> io_{std::in_place};
    std::optional<boost::asio::ip::tcp::acceptor> acceptor_{std::in_place, *io_};
    const std::string key_;
    const Served served_;
    const Limits limits_;
    Exchanges exchanges_{*io_};
    Metrics metrics_;
    std::size_t connections_ = 0;
    std::uint64_t ids_ = 0;
    std::atomic<bool> refusing_ = false;
    std::atomic<std::size_t> open_ = 0;  // requests whose answer is not sent
};

}  // namespace hone::serve
