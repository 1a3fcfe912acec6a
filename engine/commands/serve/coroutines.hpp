// commands/serve/coroutines.hpp: what the server's coroutines share.
#pragma once
#include <boost/asio/experimental/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

namespace hone::serve {

// An operation that is awaited with this gives its error as a value.
inline constexpr auto result = boost::asio::experimental::as_tuple(boost::asio::use_awaitable);

inline std::chrono::milliseconds milliseconds(double seconds) {
    return std::chrono::milliseconds(static_cast<long>(seconds * 1000));
}

// Counts one while it lives.
template <class Count> struct Counted {
    explicit Counted(Count& of) : count(of) { ++count; }
    Counted(const Counted&) = delete;
    ~Counted() { --count; }
    Count& count;
};

}  // namespace hone::serve
