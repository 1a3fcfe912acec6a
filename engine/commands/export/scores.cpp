#include "commands/export/scores.hpp"
#include <algorithm>
#include <cmath>
#include <set>
#include "base/quantity.hpp"
#include "base/stats.hpp"

namespace hone {
namespace {

constexpr std::size_t most_asked[] = {1, 5, 10, 100};  // k of pass@k

struct Problem {
    std::vector<double> logs;  // of its right answers
    std::size_t answers = 0, compiled = 0, right = 0;
};

// Without problems of which a right answer has no time of that form of the reference.
std::map<int, Problem> by_problem(const std::vector<BenchmarkAnswer>& answers, const std::string& form) {
    std::map<int, Problem> problems;
    std::set<int> untimed;
    for (const BenchmarkAnswer& answer : answers) {
        const auto ratio = ratio_to(answer.judgement, form);
        if (answer.judgement.passed() && !ratio) untimed.insert(answer.problem);
        Problem& problem = problems[answer.problem];
        ++problem.answers;
        problem.compiled += was_compiled(answer.judgement);
        problem.right += answer.judgement.passed();
        if (ratio) problem.logs.push_back(std::log(*ratio));
    }
    for (const int problem : untimed) problems.erase(problem);
    return problems;
}

// 1 - C(n - c, k) / C(n, k)
double pass_at(std::size_t k, const Problem& problem) {
    const std::size_t wrong = problem.answers - problem.right;
    if (wrong < k) return 1;
    double none = 1;
    for (std::size_t i = wrong + 1; i <= problem.answers; ++i)
        none *= 1 - static_cast<double>(k) / static_cast<double>(i);
    return 1 - none;
}

std::size_t count_above(const std::vector<double>& logs, double threshold) {
    return static_cast<std::size_t>(
        std::count_if(logs.begin(), logs.end(), [&](double log) { return std::exp(log) > threshold; }));
}

void add(Scores& scores, const Problem& problem, double weight, std::vector<double>& means, double& sum_of_all) {
    const double share = weight / static_cast<double>(problem.answers);
    scores.answers += problem.answers;
    scores.compiled += share * static_cast<double>(problem.compiled);
    scores.correct += share * static_cast<double>(problem.right);
    for (const double threshold : fast_thresholds)
        scores.fast[threshold] += share * static_cast<double>(count_above(problem.logs, threshold));
    for (const double log : problem.logs) {
        sum_of_all += share * log;
        scores.most = std::max(scores.most.value_or(0), std::exp(log));
    }
    if (!problem.logs.empty()) means.push_back(mean(problem.logs));
}

}  // namespace

bool was_compiled(const Judgement& judgement) {
    return judgement.verdict != Verdict::PARSE_ERROR && judgement.verdict != Verdict::COMPILE_ERROR &&
           judgement.verdict != Verdict::PLAN_ERROR;
}

std::optional<double> ratio_to(const Judgement& judgement, const std::string& form) {
    if (!judgement.passed() || !judgement.speedup) return std::nullopt;
    if (form.empty()) return judgement.speedup->estimate;
    if (!judgement.baseline_forms || !judgement.seconds) return std::nullopt;
    const auto found = judgement.baseline_forms->find(form);
    if (found == judgement.baseline_forms->end() || !std::isfinite(found->second)) return std::nullopt;
    return found->second / judgement.seconds->candidate;
}

Scores scores_of(const std::vector<BenchmarkAnswer>& answers, const std::string& form) {
    const std::map<int, Problem> problems = by_problem(answers, form);
    Scores scores;
    scores.problems = problems.size();
    std::vector<double> means;
    double sum_of_all = 0;
    std::size_t fewest = answers.size();
    for (const auto& [number, problem] : problems) {
        add(scores, problem, 1 / static_cast<double>(problems.size()), means, sum_of_all);
        fewest = std::min(fewest, problem.answers);
    }
    scores.geomean_of_all = std::exp(sum_of_all);
    if (!means.empty()) {
        scores.geomean = std::exp(mean(means));
        scores.median = std::exp(quantile(means, 0.5));
    }
    for (const std::size_t k : most_asked) {
        if (k > fewest) continue;
        for (const auto& [number, problem] : problems)
            scores.passes[k] += pass_at(k, problem) / static_cast<double>(problems.size());
    }
    return scores;
}

Json to_json(const Scores& scores) {
    const auto or_null = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
    Json json = {{"problems", scores.problems},        {"answers", scores.answers},
                 {"compiled", scores.compiled},        {"correct", scores.correct},
                 {"geomean", or_null(scores.geomean)}, {"geomean_of_all", scores.geomean_of_all},
                 {"median", or_null(scores.median)},   {"max", or_null(scores.most)}};
    for (const auto& [threshold, share] : scores.fast) json["fast"][plain_number(threshold)] = share;
    for (const auto& [k, share] : scores.passes) json["pass"][std::to_string(k)] = share;
    return json;
}

}  // namespace hone
