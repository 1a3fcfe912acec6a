#include "told_text.hpp"
#include <algorithm>
#include <utility>
#include "reply_text.hpp"
#include "secrets.hpp"

namespace http {

ToldText::ToldText(std::vector<std::string> secrets, std::vector<std::string> stops)
    : secrets_(std::move(secrets)), stops_(std::move(stops)) {
    std::erase(stops_, "");
}

std::string ToldText::take(std::string_view more) {
    held_ += more;
    take_secrets_out();
    const std::size_t to = end();
    if (to <= told_) return {};
    return safe_.substr(std::exchange(told_, to), to - told_);
}

// As without() does it, byte by byte. A secret that is whole may have an escape at its end that is not ("&", "&amp;").
void ToldText::take_secrets_out() {
    std::size_t at = 0;
    while (at < held_.size()) {
        const std::string_view rest = std::string_view(held_).substr(at);
        if (may_be_secret(secrets_, rest)) break;
        if (const std::size_t length = secret_at(secrets_, rest); length > 0) {
            safe_ += hidden;
            at += length;
        } else {
            safe_ += held_[at++];
        }
    }
    held_.erase(0, at);
}

// A chain of thoughts in front has no stop text.
std::size_t ToldText::begin_of_proper() {
    if (begin_) return *begin_;
    constexpr std::size_t settles = 64;  // bytes: by then "<think>" has begun, or nothing has
    const std::size_t begin = begin_of_answer(safe_);
    if (begin > 0 ? begin < safe_.size() : safe_.size() > settles) begin_ = begin;
    return begin;
}

std::size_t ToldText::end() {
    if (stops_.empty()) return safe_.size();
    if (end_) return *end_;
    const std::size_t begin = begin_of_proper();
    std::size_t held = 0, first = std::string::npos;
    for (const std::string& stop : stops_) {
        const std::size_t from = searched_ > stop.size() ? searched_ - stop.size() : 0;
        first = std::min(first, safe_.find(stop, std::max(begin, from)));
        for (std::size_t n = std::min(stop.size() - 1, safe_.size()); n > held; --n)
            if (safe_.ends_with(std::string_view(stop).substr(0, n))) held = n;
    }
    searched_ = safe_.size();
    if (first == std::string::npos) return safe_.size() - held;
    end_ = first;
    return first;
}

}  // namespace http
