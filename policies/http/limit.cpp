#include "limit.hpp"
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include "settings.hpp"

namespace http {

bool Bucket::take(double n, double now) {
    if (most_ <= 0) return true;
    level_ = std::min(most_, level_ + (now - filled_) * most_ / 60);
    filled_ = now;
    if (level_ < std::min(n, most_)) return false;
    level_ -= n;
    return true;
}

std::optional<unsigned> Limit::begin(double tokens, double now) {
    const std::lock_guard lock(mutex_);
    if (active_ >= std::floor(now_) || !requests_.take(1, now)) return std::nullopt;
    if (!tokens_.take(tokens, now)) return requests_.give_back(1), std::nullopt;
    ++active_;
    return epoch_;
}

void Limit::end(unsigned epoch, bool overloaded) {
    const std::lock_guard lock(mutex_);
    --active_;
    if (!overloaded) now_ = std::min(most_, now_ + 1 / now_);
    else if (epoch == epoch_) now_ = std::max(1.0, now_ / 2), ++epoch_;
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

std::shared_ptr<Limit> limit_of(const Settings& s, double now) {
    static std::mutex mutex;
    static std::map<std::tuple<std::string, std::string, std::string, double, double, double>, std::weak_ptr<Limit>>
        all;
    const std::lock_guard lock(mutex);
    std::weak_ptr<Limit>& known =
        all[{s.base_url, s.model, s.key, s.concurrency, s.requests_per_minute, s.tokens_per_minute}];
    std::shared_ptr<Limit> limit = known.lock();
    if (!limit) known = limit = std::make_shared<Limit>(s.concurrency, s.requests_per_minute, s.tokens_per_minute, now);
    return limit;
}

}  // namespace http
