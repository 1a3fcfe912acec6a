#include "run/losses.hpp"
#include <algorithm>
#include <cctype>
#include <iterator>

namespace hone {
namespace {

constexpr std::size_t few = 4;  // fewer may be chance

}  // namespace

std::string kind_of_loss(const std::string& reason) {
    std::string kind;
    std::copy_if(reason.begin(), reason.end(), std::back_inserter(kind),
                 [](unsigned char c) { return !std::isdigit(c); });
    return kind;
}

void Losses::add(const std::string& reason, bool worth_a_try) {
    Kind& kind = kinds_[kind_of_loss(reason)];
    if (kind.count++ == 0) kind.reason = reason;
    ++count_;
    worth_a_try_ += worth_a_try;
}

// A stop must not be for ever: a program that kills its bench is judged again by each resumed run.
bool Losses::too_many(std::size_t total, bool is_step, std::size_t in_a_row, bool judged) const {
    if (count_ == 0) return false;
    if (count_ == total) return in_a_row + count_ >= few || (worth_a_try_ == total && !judged);
    return is_step && count_ >= few && 2 * count_ >= total;
}

std::string Losses::most_frequent() const {
    const auto most = std::max_element(kinds_.begin(), kinds_.end(),
                                       [](const auto& a, const auto& b) { return a.second.count < b.second.count; });
    return most == kinds_.end() ? "" : most->second.reason;
}

}  // namespace hone
