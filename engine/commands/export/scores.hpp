// commands/export/scores.hpp: the numbers that KernelBench's field reports (Ouyang et al. 2025, section 3: fast_p).
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>
#include "commands/export/answers.hpp"

namespace hone {

constexpr double fast_thresholds[] = {0, 0.5, 0.8, 1, 1.5, 2};

// Of one level. A problem with several answers counts once: each answer of its with the same weight.
struct Scores {
    std::size_t problems = 0, answers = 0;
    double compiled = 0, correct = 0;      // shares
    std::map<double, double> fast;         // threshold: share of answers that are right and more than so much faster
    std::optional<double> geomean;         // of the right answers' speed-ups; like the next two none without any
    std::optional<double> median, most;    // of the same: of the problems' geometric means; of all answers
    double geomean_of_all = 1;             // a wrong answer counts 1: the reference is used instead
    std::map<std::size_t, double> passes;  // pass@k: that one of k answers is right (Chen et al. 2021, equation 1)
};

// Times faster than that form of the reference ("eager", "compiled", ...); "": than the baseline of the judgement.
// nullopt: the answer is wrong, or that form was not timed.
std::optional<double> ratio_to(const Judgement&, const std::string& form);
bool was_compiled(const Judgement&);
Scores scores_of(const std::vector<BenchmarkAnswer>&, const std::string& form);
Json to_json(const Scores&);

}  // namespace hone
