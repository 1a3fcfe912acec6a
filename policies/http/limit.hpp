// policies/http/limit.hpp: how many requests may be under way, and how many a minute. Policies of a process with the
// same address, model, key and limits share one: what a provider counts is a key's, not a policy's. Any thread.
#pragma once
#include <deque>
#include <mutex>
#include <optional>

namespace http {

struct Settings;

// Holds what five seconds bring, one at least, and is filled all the time (token bucket). 0 a minute: no limit.
class Bucket {
public:
    Bucket(double per_minute, double now);
    // False, and nothing is taken: not now. What is more than the bucket can hold passes when it is full.
    bool take(double n, double now);
    void give_back(double n) { level_ += n; }
    double wait(double n, double now) const;  // seconds until take gives so many
    double per_minute() const { return per_minute_; }

private:
    double per_minute_, most_, level_, filled_;
};

// Under way: additive increase, multiplicative decrease. A request that was sent before the last decrease says nothing
// about the limit since.
class Limit {
public:
    Limit(double most, double requests_per_minute = 0, double tokens_per_minute = 0, double now = 0)
        : most_(most), now_(most), requests_(requests_per_minute, now), tokens_(tokens_per_minute, now) {}
    // One request more, of so many tokens at most: its epoch. nullopt: not now. Who was told so first comes first,
    // until it leaves. now: seconds of a monotonic clock.
    std::optional<unsigned> begin(const void* who, double tokens = 0, double now = 0);
    void leave(const void* who);  // it has nothing to send
    // Which limit holds such a request back, and about how long; "": none does. Of places (concurrency) nobody knows
    // for how long: 0 seconds. value: of the option, of places how many there are now.
    struct Wait {
        const char* option = "";
        double value = 0, seconds = 0;
    };
    Wait wait(double tokens, double now) const;
    void end(unsigned epoch, bool overloaded);
    void slow_down(unsigned epoch);  // the server was overloaded, as the words of a reply say that ended
    void take_back(double tokens);   // a request that began and was not sent
    void drop();                     // a request that was given up: says nothing of the server
    double now() const;

private:
    bool is_full() const;
    bool takes(double tokens, double now);
    void halve(unsigned epoch);
    mutable std::mutex mutex_;
    std::deque<const void*> waiting_;
    double most_, now_;
    int active_ = 0;
    unsigned epoch_ = 0;
    Bucket requests_, tokens_;
};

// The one that policies with such settings share, as long as the process lives.
Limit& limit_of(const Settings& settings, double now);

}  // namespace http
