#include "run/judge_session.hpp"
#include <sstream>
#include "base/error.hpp"
#include "base/hash.hpp"
#include "parts/verifiers.hpp"

namespace hone {
namespace {

// The judge numbers what it does; a resumed run does less. Equal findings have equal names, so that the journals are
// equal.
std::string name_by_content(Judgement judgement) {
    judgement.wall.reset();
    judgement.id.clear();
    return sha256(to_json(judgement).dump(-1, ' ', false, Json::error_handler_t::replace)).substr(0, 16);
}

}  // namespace

JudgeSession::JudgeSession(std::shared_ptr<Run> run, JudgePlan plan) : run_(std::move(run)), judge_(std::move(plan)) {}

std::uint64_t JudgeSession::submit(const Task& task, const Candidate& candidate, const Candidate* against) {
    judge_.submit(next_ticket_, task, candidate, against);
    return next_ticket_++;
}

void JudgeSession::poll(double seconds) {
    for (auto one = judge_.collect(seconds); one; one = judge_.collect(0)) {
        one->second.id = name_by_content(one->second);
        ready_.insert(std::move(*one));
    }
}

std::optional<Judgement> JudgeSession::take(std::uint64_t ticket) {
    auto found = ready_.extract(ticket);
    return found ? std::optional(std::move(found.mapped())) : std::nullopt;
}

Json JudgeSession::brief(const Task& task) {
    auto [entry, fresh] = briefs_.try_emplace(task.name() + task.hash());
    if (fresh) entry->second = judge_.brief(task);
    return entry->second;
}

std::vector<std::string> JudgeSession::fences(const Task& task) {
    std::istringstream words(brief(task).value("fences", ""));
    std::vector<std::string> list;
    for (std::string word; words >> word;) list.push_back(all_names(word));
    if (list.empty())
        throw Error(Blame::input, "verifier \"" + judge_.plan().verifier.id + "\"", "its brief names no fences");
    return list;
}

Json JudgeSession::description() const {
    const JudgePlan& plan = judge_.plan();
    const auto part = [](const Recipe& recipe) { return Json{{"id", recipe.id}, {"options", recipe.options}}; };
    return {{"verifier", part(plan.verifier)},
            {"timer", part(plan.timer)},
            {"reference", part(plan.reference)},
            {"options", plan.options}};
}

}  // namespace hone
