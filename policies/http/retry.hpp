// policies/http/retry.hpp: when to try again, and how long to wait.
#pragma once
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include "transfers.hpp"

namespace http {

// Seconds of the monotonic clock.
inline double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// 408, 409, 429, 5xx (529 too) and broken connections. An exhausted quota also comes as 429, and waiting does not mend
// it: see endings.cpp.
inline bool worth_retrying(const Reply& reply) {
    return reply.status == 0 || reply.status == 408 || reply.status == 409 || reply.status == 429 ||
           reply.status >= 500;
}

inline bool is_overload(const Reply& reply) {
    return reply.status == 429 || reply.status == 503 || reply.status == 529;
}

// What costs nothing and passes with time: a limit of requests a minute, an overload, a server that starts anew. Only
// the deadline ends the tries of such.
inline bool is_free(const Reply& reply) { return reply.unsent || is_overload(reply); }

// Seconds of "Please try again in 20s", "1m30.5s", "250 ms", "6 minutes"; 0 where a text says nothing of the kind.
inline double wait_told(const std::string& text) {
    constexpr std::string_view mark = "again in ";
    const std::size_t found = text.find(mark);
    double sum = 0;
    for (const char* at = found == std::string::npos ? "" : text.c_str() + found + mark.size(); std::isdigit(*at);) {
        char* end = nullptr;
        const double number = std::strtod(at, &end);
        const std::string_view unit(end + std::strspn(end, " "));
        const double seconds = unit.starts_with("ms") || unit.starts_with("milli") ? 0.001
                               : unit.starts_with('s')                             ? 1
                               : unit.starts_with('m')                             ? 60
                               : unit.starts_with('h')                             ? 3600
                                                                                   : 0;
        sum += number * seconds;
        at = unit.data() + std::min(unit.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), unit.size());
    }
    return sum;
}

// Full jitter (Brooker, "Exponential Backoff And Jitter", 2015): uniform in [0, base * 2^(tries made - 1)], at most 60
// s, and never less than the server asked for.
class Backoff {
public:
    explicit Backoff(double base) : base_(base), random_(std::random_device{}()) {}
    double wait(int tries_made, double retry_after) {
        const double most = std::min(60.0, base_ * static_cast<double>(1L << std::min(tries_made - 1, 30)));
        return std::max(retry_after, std::uniform_real_distribution<>(0, most)(random_));
    }

private:
    double base_;
    std::mt19937_64 random_;
};

}  // namespace http
