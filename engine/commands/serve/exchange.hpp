// commands/serve/exchange.hpp: requests and answers between two threads: clients' sessions on the network's, the policy
// on the main one, which takes requests between two decode steps.
#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include "parts/policy.hpp"

namespace hone::serve {

struct Event {  // of one answer: a piece of its text, or the answer itself, its last event
    std::uint32_t member = 0;
    std::string piece;
    std::optional<Answer> answer;
};

// A session's side of one request. All of it belongs to the network's thread.
struct Exchange {
    explicit Exchange(boost::asio::io_context& io) : changed(io, boost::asio::steady_timer::time_point::max()) {}
    std::uint64_t tag = 0;
    std::deque<Event> events;           // that are not read yet
    boost::asio::steady_timer changed;  // is cancelled when an event has come
};

class Exchanges {
public:
    explicit Exchanges(boost::asio::io_context& io) : io_(io) {}

    // On the network's thread. The request goes to the policy; its events come into the exchange.
    std::shared_ptr<Exchange> begin(SampleRequest request);
    // Its session is gone. Not taken by the policy yet, the request is never asked; else its events are dropped.
    void end(const std::shared_ptr<Exchange>&);
    std::size_t open() const { return open_.size(); }
    std::size_t waiting() const;  // of those, that the policy has not taken
    void close();                 // no request comes any more: the policy returns once it has answered all

    // On the policy's thread: as Policy::Source, give and piece.
    std::int32_t next(std::int32_t wait_ms, SampleRequest& out);
    void give(Answer answer);
    void piece(std::uint64_t tag, std::uint32_t member, const std::string& text);
    void fail_all(const std::string& reason, std::int32_t fault);  // every answer that is open ends with "error"

private:
    void post(std::uint64_t tag, Event event);
    boost::asio::io_context& io_;
    std::map<std::uint64_t, std::shared_ptr<Exchange>> open_;  // the network's
    std::uint64_t last_tag_ = 0;                               // the network's

    mutable std::mutex mutex_;
    std::condition_variable came_;
    std::deque<SampleRequest> waiting_;
    std::map<std::uint64_t, std::vector<bool>> taken_;  // members of a request that are answered
    bool closed_ = false;
};

}  // namespace hone::serve
