// policies/http/limit.hpp: how many requests may be under way, and how many a minute. Policies of a process with the
// same address, model, key and limits share one: what a provider counts is a key's, not a policy's. Any thread.
#pragma once
#include <memory>
#include <mutex>
#include <optional>

namespace http {

struct Settings;

// Holds what a minute brings, and is filled all the time (token bucket). 0 a minute: no limit.
class Bucket {
public:
    Bucket(double per_minute, double now) : most_(per_minute), level_(per_minute), filled_(now) {}
    // False, and nothing is taken: not now. What is more than the bucket can hold passes when it is full.
    bool take(double n, double now);
    void give_back(double n) { level_ += n; }

private:
    double most_, level_, filled_;
};

// Under way: additive increase, multiplicative decrease. A request that was sent before the last decrease says nothing
// about the limit since.
class Limit {
public:
    Limit(double most, double requests_per_minute = 0, double tokens_per_minute = 0, double now = 0)
        : most_(most), now_(most), requests_(requests_per_minute, now), tokens_(tokens_per_minute, now) {}
    // One request more, of so many tokens at most: its epoch. nullopt: not now. now: seconds of a monotonic clock.
    std::optional<unsigned> begin(double tokens = 0, double now = 0);
    void end(unsigned epoch, bool overloaded);
    void take_back(double tokens);  // a request that began and was not sent
    void drop();                    // a request that was given up: says nothing of the server
    double now() const;

private:
    mutable std::mutex mutex_;
    double most_, now_;
    int active_ = 0;
    unsigned epoch_ = 0;
    Bucket requests_, tokens_;
};

// The one that policies with such settings share, as long as one of them lives.
std::shared_ptr<Limit> limit_of(const Settings& settings, double now);

}  // namespace http
