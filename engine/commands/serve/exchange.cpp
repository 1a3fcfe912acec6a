#include "commands/serve/exchange.hpp"
#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>

namespace hone::serve {

std::shared_ptr<Exchange> Exchanges::begin(SampleRequest request) {
    auto exchange = std::make_shared<Exchange>(io_);
    exchange->tag = request.tag = ++last_tag_;
    open_[exchange->tag] = exchange;
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(request));
    came_.notify_one();
    return exchange;
}

void Exchanges::end(const std::shared_ptr<Exchange>& exchange) {
    open_.erase(exchange->tag);
    const std::lock_guard lock(mutex_);
    std::erase_if(waiting_, [&](const SampleRequest& request) { return request.tag == exchange->tag; });
}

std::size_t Exchanges::waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
}

void Exchanges::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    came_.notify_one();
}

std::int32_t Exchanges::next(std::int32_t wait_ms, SampleRequest& out) {
    std::unique_lock lock(mutex_);
    came_.wait_for(lock, std::chrono::milliseconds(wait_ms), [&] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return closed_ ? -1 : 0;
    out = std::move(waiting_.front());
    waiting_.pop_front();
    taken_[out.tag].assign(out.group, false);
    return 1;
}

void Exchanges::give(Answer answer) {
    {
        const std::lock_guard lock(mutex_);
        const auto found = taken_.find(answer.tag);
        if (found == taken_.end() || answer.member >= found->second.size()) return;
        found->second[answer.member] = true;
        if (std::count(found->second.begin(), found->second.end(), false) == 0) taken_.erase(found);
    }
    const std::uint64_t tag = answer.tag;
    const std::uint32_t member = answer.member;
    post(tag, {member, "", std::move(answer)});
}

void Exchanges::piece(std::uint64_t tag, std::uint32_t member, const std::string& text) {
    post(tag, {member, text, std::nullopt});
}

void Exchanges::fail_all(const std::string& reason, std::int32_t fault) {
    std::map<std::uint64_t, std::vector<bool>> failed;
    {
        const std::lock_guard lock(mutex_);
        failed = std::exchange(taken_, {});
    }
    for (const auto& [tag, answered] : failed)
        for (std::uint32_t member = 0; member < answered.size(); ++member) {
            if (answered[member]) continue;
            Answer answer;
            answer.tag = tag, answer.member = member, answer.finish = "error", answer.text = reason,
            answer.fault = fault;
            post(tag, {member, "", std::move(answer)});
        }
}

void Exchanges::post(std::uint64_t tag, Event event) {
    boost::asio::post(io_, [this, tag, event = std::move(event)]() mutable {
        const auto found = open_.find(tag);
        if (found == open_.end()) return;  // its client is gone
        found->second->events.push_back(std::move(event));
        found->second->changed.cancel();
    });
}

}  // namespace hone::serve
