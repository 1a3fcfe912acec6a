#include "domain/judgement.hpp"
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include "base/options.hpp"
#include "domain/document_json.hpp"

namespace hone {

namespace {

constexpr const char* names[] = {"PASSED",          "PARSE_ERROR",         "COMPILE_ERROR",    "PLAN_ERROR",
                                 "LAUNCH_ERROR",    "RUNTIME_ERROR",       "TIMEOUT",          "OUT_OF_MEMORY",
                                 "INCORRECT_SHAPE", "INCORRECT_NUMERICAL", "NONDETERMINISTIC", "REWARD_HACK",
                                 "TOO_FAST",        "INFRASTRUCTURE"};
static_assert(std::size(names) == static_cast<std::size_t>(Verdict::INFRASTRUCTURE) + 1);

// Lists of one length: the store has a row a pair.
void check_samples(const Judgement& judgement) {
    if (!judgement.samples) return;
    const judged::Samples& s = *judgement.samples;
    const auto fits = [&](const auto& list) { return list.size() == s.candidate.size(); };
    const bool all = fits(s.baseline) && fits(s.order) && fits(s.inside) && fits(s.counted);
    if (!all || (s.baseline_inside && !fits(*s.baseline_inside)) || (s.independent && !fits(*s.independent)))
        throw Error(Blame::input, "judgement", "samples: has lists of different lengths", "judge the program anew");
}

}  // namespace

const char* verdict_name(Verdict verdict) { return names[static_cast<int>(verdict)]; }

Verdict parse_verdict(const std::string& name) {
    const auto found = std::find(std::begin(names), std::end(names), name);
    if (found != std::end(names)) return static_cast<Verdict>(found - std::begin(names));
    throw Error(Blame::input, "judgement",
                "no verdict \"" + name + "\"" + suggestion(name, {std::begin(names), std::end(names)}));
}

LogSpeedup Speedup::logarithm() const {
    // an interval that reaches down to nothing has a finite logarithm: shapers and scripts compare it
    const double least = std::numeric_limits<double>::min();
    return {std::log(estimate), std::log(std::max(lower, least)),
            upper ? std::optional(std::log(*upper)) : std::nullopt};
}

std::optional<LogSpeedup> Judgement::log_speedup() const {
    return speedup ? std::optional(speedup->logarithm()) : std::nullopt;
}

Judgement rejected(const std::string& task, const std::string& hash, Verdict verdict, std::string reason) {
    Judgement judgement;
    judgement.verdict = verdict;
    judgement.reason = std::move(reason);
    judgement.task = task;
    judgement.hash = hash;
    return judgement;
}

Json to_json(const Judgement& judgement) { return document_to_json(judgement); }

Judgement judgement_from_json(const Json& json) {
    Judgement judgement = read_record<Judgement>(json, "judgement");
    check_samples(judgement);
    return judgement;
}

Json to_json(const Exemplar& exemplar) { return document_to_json(exemplar); }

}  // namespace hone
