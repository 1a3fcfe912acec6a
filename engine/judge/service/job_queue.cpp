#include "judge/service/job_queue.hpp"
#include <algorithm>
#include <limits>

namespace hone {
namespace {

// Learning a task costs about as much as judging two of its candidates (0.2 to 0.6 s beside 0.2 to 0.3 s, on an H200).
constexpr std::size_t jobs_worth_learning = 2;  // that wait for each bench that knows the task
constexpr int most_overtaken = 16;
constexpr double patience = 0.5;  // seconds

}  // namespace

void JobQueue::push(const Json& job, double now) {
    const Json& task = job.at("task");
    if (waiting_.empty()) since_ = now;
    waiting_.push_back({task.at("hash").get<std::string>() + task.at("name").get<std::string>(), job});
    knowing_.try_emplace(waiting_.back().task);
}

std::optional<Json> JobQueue::next(int bench, double idle_since, double now) {
    const auto oldest = [&](auto&& fits) {
        return std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& w) { return fits(w.task); });
    };
    if (overtaken_ >= most_overtaken) return take(waiting_.begin(), bench);
    auto found = oldest([&](const std::string& task) { return knowing_.at(task).contains(bench); });
    if (found == waiting_.end()) found = oldest([&](const std::string& task) { return worth_learning(task); });
    if (found == waiting_.end() && now >= impatient_at(idle_since)) found = waiting_.begin();
    return take(found, bench);
}

double JobQueue::impatient_at(double idle_since) const {
    return waiting_.empty() ? std::numeric_limits<double>::infinity() : std::max(since_, idle_since) + patience;
}

bool JobQueue::worth_learning(const std::string& task) const {
    const auto jobs = std::count_if(waiting_.begin(), waiting_.end(), [&](const Waiting& w) { return w.task == task; });
    return static_cast<std::size_t>(jobs) > jobs_worth_learning * knowing_.at(task).size();
}

std::optional<Json> JobQueue::take(std::deque<Waiting>::iterator at, int bench) {
    if (at == waiting_.end()) return std::nullopt;
    overtaken_ = at == waiting_.begin() ? 0 : overtaken_ + 1;
    knowing_[at->task].insert(bench);
    Json job = std::move(at->job);
    waiting_.erase(at);
    return job;
}

void JobQueue::forget(int bench) {
    for (auto& [task, benches] : knowing_) benches.erase(bench);
}

}  // namespace hone
