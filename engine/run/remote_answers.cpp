#include "run/remote_answers.hpp"
#include <algorithm>
#include <chrono>
#include <utility>
#include "base/error.hpp"
#include "run/interrupt.hpp"

namespace hone {
namespace {

std::string words_of(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception& error) {
        return error.what();
    }
}

}  // namespace

RemoteAnswers::RemoteAnswers(const std::vector<Asked>& asked) : all_(asked.size()) {
    try {
        for (std::size_t i = 0; i < asked.size(); ++i)
            all_[i].thread = std::thread([this, one = asked[i], i] { ask(one, i); });
    } catch (const std::exception&) {  // the system has no more threads
        end();
        throw;
    }
}

void RemoteAnswers::ask(const Asked& asked, std::size_t number) {
    const auto give = [&](Answer answer) {
        const std::lock_guard lock(mutex_);
        given_.push_back({number, std::move(answer)});
        came_.notify_one();
    };
    const auto pause = [&] {
        check_interrupt();
        if (stop_) throw Error(Blame::interrupted, "", "stopped");
    };
    std::exception_ptr thrown;
    try {
        asked.policy->sample(*asked.requests, give, pause);
    } catch (const std::exception&) {
        thrown = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    all_[number].thrown = thrown;
    all_[number].ended = true;
    came_.notify_one();
}

std::vector<RemoteAnswers::Given> RemoteAnswers::take(double seconds) {
    std::unique_lock lock(mutex_);
    came_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return !given_.empty(); });
    return std::exchange(given_, {});
}

bool RemoteAnswers::writes() const {
    const std::lock_guard lock(mutex_);
    return !std::all_of(all_.begin(), all_.end(), [](const One& one) { return one.ended; });
}

bool RemoteAnswers::ended() const {
    const std::lock_guard lock(mutex_);
    return given_.empty() && std::all_of(all_.begin(), all_.end(), [](const One& one) { return one.ended; });
}

void RemoteAnswers::end() {
    stop_ = true;
    for (One& one : all_)
        if (one.thread.joinable()) one.thread.join();
}

void RemoteAnswers::rethrow() const {
    const std::lock_guard lock(mutex_);
    for (const One& one : all_)
        if (one.thrown) std::rethrow_exception(one.thrown);
}

std::vector<std::string> RemoteAnswers::failures() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> words;
    for (One& one : all_)
        if (one.thrown && !std::exchange(one.told, true)) words.push_back(words_of(one.thrown));
    return words;
}

}  // namespace hone
