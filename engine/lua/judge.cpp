#include "lua/judge.hpp"
#include <cmath>
#include <sstream>
#include "base/error.hpp"
#include "base/hash.hpp"
#include "lua/tables.hpp"

namespace hone::lua {
namespace {

// speedup.estimate, lower, upper as natural logarithms
void take_logarithms(Json& doc) {
    const auto speedup = doc.find("speedup");
    if (speedup == doc.end() || !speedup->is_object()) return;
    for (const char* key : {"estimate", "lower", "upper"})
        if (speedup->contains(key) && (*speedup)[key].is_number()) (*speedup)[key] = std::log((*speedup)[key].get<double>());
}

// The judge numbers what it does; a resumed run does less. Equal findings have equal names, so that the journals are equal.
std::string name_by_content(Json doc) {
    doc.erase("wall");
    doc.erase("id");
    return sha256(doc.dump(-1, ' ', false, Json::error_handler_t::replace)).substr(0, 16);
}

}  // namespace

JudgePart::JudgePart(std::shared_ptr<Run> run, JudgePlan plan) : run_(std::move(run)), judge_(std::move(plan)) {}

std::uint64_t JudgePart::submit(const Task& task, const Candidate& candidate, const Candidate* against) {
    judge_.submit(next_ticket_, task, candidate, against);
    return next_ticket_++;
}

void JudgePart::poll(double seconds) {
    for (auto one = judge_.collect(seconds); one; one = judge_.collect(0)) {
        one->second.doc["id"] = name_by_content(one->second.doc);
        ready_.insert(std::move(*one));
    }
}

std::optional<Judgement> JudgePart::take(std::uint64_t ticket) {
    auto found = ready_.extract(ticket);
    return found ? std::optional(std::move(found.mapped())) : std::nullopt;
}

Json JudgePart::brief(const Task& task) {
    auto [entry, fresh] = briefs_.try_emplace(task.name() + task.hash());
    if (fresh) entry->second = judge_.brief(task);
    return entry->second;
}

std::vector<std::string> JudgePart::fences(const Task& task) {
    std::istringstream words(brief(task).value("fences", ""));
    std::vector<std::string> list;
    for (std::string word; words >> word;) list.push_back(word);
    if (list.empty()) throw Error(Blame::input, "verifier \"" + judge_.plan().verifier.id + "\"", "its brief names no fences");
    return list;
}

Json JudgePart::description() const {
    const JudgePlan& plan = judge_.plan();
    const auto part = [](const Recipe& recipe) { return Json{{"id", recipe.id}, {"options", recipe.options}}; };
    return {{"verifier", part(plan.verifier)}, {"timer", part(plan.timer)}, {"reference", part(plan.reference)}, {"options", plan.options}};
}

Json candidate_json(const Candidate& candidate) {
    return {{"task", candidate.task},
            {"code", candidate.code},
            {"plan", candidate.plan},
            {"language", candidate.language},
            {"hash", candidate.hash}};
}

void push_judgement(lua_State* L, const Json& doc) {
    Json shown = doc;
    take_logarithms(shown);
    const bool passed = doc.value("verdict", "") == "PASSED";
    shown["passed"] = passed;
    shown["scorable"] = doc.value("verdict", "") != "INFRASTRUCTURE";
    if (!shown.contains("noise") || !shown["noise"].is_number()) shown["noise"] = 0.0;
    push_json(L, shown);
}

void push_exemplar(lua_State* L, Json row) {
    take_logarithms(row);
    row["passed"] = true;
    push_json(L, row);
}

}  // namespace hone::lua
