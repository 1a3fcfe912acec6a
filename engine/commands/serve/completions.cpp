// Completions: a request to the policy, and its answer, whole or as a stream of events.
#include <boost/asio/write.hpp>
#include <boost/beast/http.hpp>
#include <cstdio>
#include "base/process.hpp"
#include "commands/serve/coroutines.hpp"
#include "commands/serve/reply.hpp"
#include "commands/serve/server.hpp"

namespace hone::serve {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

// Of a chunked body; an empty one ends it.
std::string chunk_of(const std::string& text) {
    char head[20];
    std::snprintf(head, sizeof head, "%zx\r\n", text.size());
    return head + text + "\r\n";
}

std::string event_of(const Json& document) { return "data: " + text_of(document) + "\n\n"; }

const ApiError broken_off(502,
                          "the answer broke off, and what a later try answered is another one; ask again, without "
                          "stream for the later one");

struct Begun {  // an exchange, until its session is done with it
    Begun(Exchanges& all, SampleRequest request) : exchanges(all), exchange(all.begin(std::move(request))) {}
    Begun(const Begun&) = delete;
    ~Begun() { exchanges.end(exchange); }
    Exchanges& exchanges;
    std::shared_ptr<Exchange> exchange;
};

}  // namespace

asio::awaitable<bool> Server::complete(Stream& stream, const Request& request, const std::string& endpoint, bool chat) {
    const Counted counted(open_);
    std::optional<Asked> asked;
    std::optional<ApiError> error;
    try {
        check_room();
        asked = read_request(request.body(), chat, served_);
    } catch (const ApiError& e) {
        error = e;
    }
    if (error) co_return co_await send_error(stream, request, *error, endpoint);
    const Begun begun(exchanges_, asked->request);
    if (asked->stream) co_return co_await send_stream(stream, request, *asked, *begun.exchange, endpoint);
    co_return co_await send_whole(stream, request, *asked, *begun.exchange, endpoint);
}

asio::awaitable<Event> Server::next(Exchange& exchange) {
    while (exchange.events.empty()) {
        exchange.changed.expires_at(asio::steady_timer::time_point::max());
        co_await exchange.changed.async_wait(result);
    }
    Event event = std::move(exchange.events.front());
    exchange.events.pop_front();
    co_return event;
}

void Server::count(const Answer& answer) {
    metrics_.tokens_in += prompt_tokens(answer);
    metrics_.tokens_out += completion_tokens(answer);
}

asio::awaitable<bool> Server::send_whole(Stream& stream, const Request& request, const Asked& asked, Exchange& exchange,
                                         const std::string& endpoint) {
    const double begun = monotonic_seconds();
    std::vector<Answer> answers(asked.request.group);
    for (std::size_t open = answers.size(); open > 0;) {
        const Event event = co_await next(exchange);
        if (!event.answer) continue;
        count(*event.answer);
        answers[event.member] = *event.answer;
        --open;
    }
    metrics_.duration.add(monotonic_seconds() - begun);
    for (const Answer& answer : answers)
        if (is_failed(answer)) co_return co_await send_error(stream, request, error_of(answer, asked), endpoint);
    const Replies replies(asked, served_, std::to_string(++ids_));
    co_return co_await send(stream, request, 200, text_of(replies.whole(answers)), endpoint);
}

// The stream begins when something of an answer has come: what fails before has a status of its own. The body ends with
// the connection's chunked coding, so that the client may ask again on the same connection. HTTP/1.0 has no such
// coding: there the end of the connection ends the body.
asio::awaitable<bool> Server::send_stream(Stream& stream, const Request& request, const Asked& asked,
                                          Exchange& exchange, const std::string& endpoint) {
    const double begun = monotonic_seconds();
    std::optional<Event> event = co_await next(exchange);
    if (event->answer && is_failed(*event->answer))
        co_return co_await send_error(stream, request, error_of(*event->answer, asked), endpoint);
    metrics_.first_token.add(monotonic_seconds() - begun);
    const Replies replies(asked, served_, std::to_string(++ids_));
    const bool chunked = request.version() >= 11;
    const auto write = [&](std::string text) -> asio::awaitable<bool> {
        const std::string bytes = chunked ? chunk_of(text) : text;
        stream.expires_after(milliseconds(limits_.slow));
        const auto [e, n] = co_await asio::async_write(stream, asio::buffer(bytes), result);
        co_return !e;
    };
    http::response<http::empty_body> head{http::status::ok, request.version()};
    head.keep_alive(request.keep_alive() && chunked);
    head.set(http::field::content_type, "text/event-stream");
    head.set(http::field::cache_control, "no-cache");
    head.chunked(chunked);
    http::response_serializer<http::empty_body> serializer(head);
    stream.expires_after(milliseconds(limits_.slow));
    const auto [e, n] = co_await http::async_write_header(stream, serializer, result);
    bool alive = !e;
    for (std::uint32_t member = 0; asked.chat && alive && member < asked.request.group; ++member)
        alive = co_await write(event_of(replies.first(member)));
    std::vector<Answer> answers;
    std::vector<std::string> sent(asked.request.group);
    for (; alive && answers.size() < asked.request.group; event.reset()) {
        if (!event) event = co_await next(exchange);
        if (!event->answer) {
            sent[event->member] += event->piece;
            alive = co_await write(event_of(replies.piece(event->member, event->piece)));
            continue;
        }
        count(*event->answer);
        answers.push_back(*event->answer);
        const std::string& told = sent[event->member];
        const bool goes_on = event->answer->text.starts_with(told);  // else a later try has answered
        const Json last = is_failed(*event->answer) ? error_body(error_of(*event->answer, asked))
                          : goes_on                 ? replies.last(*event->answer, told)
                                                    : error_body(broken_off);
        alive = co_await write(event_of(last));
    }
    if (alive && asked.usage) alive = co_await write(event_of(replies.usage(answers)));
    if (alive) alive = co_await write("data: [DONE]\n\n");
    if (alive && chunked) alive = co_await write("");
    if (alive) ++metrics_.requests[{endpoint, 200}], metrics_.duration.add(monotonic_seconds() - begun);
    else ++metrics_.gone;
    co_return alive&& head.keep_alive();
}

}  // namespace hone::serve
