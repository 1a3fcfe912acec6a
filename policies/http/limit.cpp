#include "limit.hpp"
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include "settings.hpp"

namespace http {

Bucket::Bucket(double per_minute, double now)
    : per_minute_(per_minute), most_(std::max(1.0, per_minute / 12)), level_(most_), filled_(now) {}

bool Bucket::take(double n, double now) {
    if (per_minute_ <= 0) return true;
    level_ = std::min(most_, level_ + (now - filled_) * per_minute_ / 60);
    filled_ = now;
    if (level_ < std::min(n, most_)) return false;
    level_ -= n;
    return true;
}

double Bucket::wait(double n, double now) const {
    if (per_minute_ <= 0) return 0;
    const double level = std::min(most_, level_ + (now - filled_) * per_minute_ / 60);
    return std::max(0.0, std::min(n, most_) - level) * 60 / per_minute_;
}

bool Limit::is_full() const { return active_ >= std::floor(now_); }

bool Limit::takes(double tokens, double now) {
    if (is_full() || !requests_.take(1, now)) return false;
    if (tokens_.take(tokens, now)) return true;
    requests_.give_back(1);
    return false;
}

std::optional<unsigned> Limit::begin(const void* who, double tokens, double now) {
    const std::lock_guard lock(mutex_);
    const bool first = waiting_.empty() || waiting_.front() == who;
    if (!first || !takes(tokens, now)) {
        if (std::find(waiting_.begin(), waiting_.end(), who) == waiting_.end()) waiting_.push_back(who);
        return std::nullopt;
    }
    if (!waiting_.empty()) waiting_.pop_front();
    ++active_;
    return epoch_;
}

Limit::Wait Limit::wait(double tokens, double now) const {
    const std::lock_guard lock(mutex_);
    if (is_full()) return {"concurrency", std::floor(now_), 0};
    const double of_requests = requests_.wait(1, now), of_tokens = tokens_.wait(tokens, now);
    if (of_requests <= 0 && of_tokens <= 0) return {};
    if (of_requests >= of_tokens) return {"requests_per_minute", requests_.per_minute(), of_requests};
    return {"tokens_per_minute", tokens_.per_minute(), of_tokens};
}

void Limit::leave(const void* who) {
    const std::lock_guard lock(mutex_);
    std::erase(waiting_, who);
}

void Limit::end(unsigned epoch, bool overloaded) {
    const std::lock_guard lock(mutex_);
    --active_;
    if (!overloaded) now_ = std::min(most_, now_ + 1 / now_);
    else halve(epoch);
}

void Limit::slow_down(unsigned epoch) {
    const std::lock_guard lock(mutex_);
    halve(epoch);
}

void Limit::halve(unsigned epoch) {
    if (epoch == epoch_) now_ = std::max(1.0, now_ / 2), ++epoch_;
}

void Limit::take_back(double tokens) {
    const std::lock_guard lock(mutex_);
    --active_, requests_.give_back(1), tokens_.give_back(tokens);
}

void Limit::drop() {
    const std::lock_guard lock(mutex_);
    --active_;
}

double Limit::now() const {
    const std::lock_guard lock(mutex_);
    return now_;
}

Limit& limit_of(const Settings& s, double now) {
    static std::mutex mutex;
    static std::map<std::tuple<std::string, std::string, std::string, double, double, double>, Limit> all;
    const std::lock_guard lock(mutex);
    return all
        .try_emplace({s.base_url, s.model, s.key, s.concurrency, s.requests_per_minute, s.tokens_per_minute},
                     s.concurrency, s.requests_per_minute, s.tokens_per_minute, now)
        .first->second;
}

}  // namespace http
