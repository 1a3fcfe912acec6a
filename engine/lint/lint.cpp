#include "lint/lint.hpp"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include "base/printable.hpp"
#include "judge/correctness/numbers.hpp"
#include "lint/lint_checks.hpp"
#include "lint/lint_notes.hpp"
#include "lint/lint_trivial.hpp"

namespace hone {
namespace {

constexpr double rounding = 1e-6, of_allowed = 0.1;  // see lint.hpp: what makes a slip and a narrow program count
constexpr std::size_t most_alike = 3;                // reasons of one word

// Relative to the scales that judge/correctness/truth.hpp gives elements.
double rms_error(const FetchedTruth& truth, const std::vector<double>& numbers) {
    double sum = 0, n = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (!std::isfinite(truth.values[i]) || truth.is_silent(i)) continue;
        const double d = (numbers[i] - truth.values[i]) / truth.scale_of(i);
        sum += d * d;
        n += 1;
    }
    return n > 0 ? std::sqrt(sum / n) : 0;
}

bool differs(const FetchedTruth& truth, const std::vector<double>& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double value = truth.values[i];
        if (std::isfinite(value) &&
            !(std::fabs(numbers[i] - value) <= rounding * (std::fabs(value) + 1e-3 * truth.rms)))
            return true;
    }
    return false;
}

bool counts(const TrivialProgram& program, const FetchedTruth& truth, const std::vector<double>& numbers) {
    if (program.kind == TrivialKind::idle) return true;
    if (program.kind == TrivialKind::slip || !is_float(truth.spec.dtype)) return differs(truth, numbers);
    return !(rms_error(truth, numbers) <= of_allowed * truth.bounds.mean);
}

struct Fate {
    std::vector<std::string> passed;  // distributions in which it passed
    std::string caught;               // the first in which it did not; empty: none
};

// Which outputs a program must pass: the one, or all.
std::vector<std::size_t> outputs_asked(LintSample& sample, const TrivialProgram& program, std::size_t output) {
    if (!program.whole) return {output};
    std::vector<std::size_t> all(sample.outputs().size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
}

Fate try_program(LintSample& sample, const TrivialProgram& program, std::size_t output) {
    Fate fate;
    const std::vector<std::size_t> asked = outputs_asked(sample, program, output);
    for (const LintCase& one : sample.cases()) {
        const auto numbers = program.make(sample, one);
        if (!numbers) continue;
        const bool any = std::any_of(asked.begin(), asked.end(), [&](std::size_t i) {
            return !(*numbers)[i].empty() && counts(program, one.set.truth[i], (*numbers)[i]);
        });
        if (!any) continue;
        const std::string distribution = variant_name(one.set.variant);
        if (!std::all_of(asked.begin(), asked.end(),
                         [&](std::size_t i) { return sample.accepts(one, i, (*numbers)[i]); }))
            return {fate.passed, distribution};
        if (fate.passed.empty() || fate.passed.back() != distribution) fate.passed.push_back(distribution);
    }
    return fate;
}

std::string for_output(LintSample& sample, const TrivialProgram& program, std::size_t output) {
    return program.whole || sample.outputs().size() == 1 ? "" : " for output \"" + sample.outputs()[output].name + "\"";
}

void tell(LintSample& sample, const TrivialProgram& program, std::size_t output, const Fate& fate, LintResult& result) {
    if (fate.passed.empty()) return;
    const std::string deed = program.word + ": " + program.deed + for_output(sample, program, output);
    if (fate.caught.empty())
        result.reasons.push_back(deed + " passes (inputs " + listed(fate.passed) + "): " + program.harm);
    else if (fate.passed.front() == variant_name(Variant::declared) && fate.passed.front() != fate.caught)
        result.notes.push_back(deed + " passes with inputs as declared; only inputs " + fate.caught + " catch it");
}

void try_all(LintSample& sample, const std::vector<TrivialProgram>& programs, LintResult& result) {
    std::set<std::string> found;  // a program that need not compute anything passes by every later name, too
    for (const TrivialProgram& program : programs) {
        if (!found.empty() && !found.contains(program.word)) break;
        for (std::size_t output = 0; output < (program.whole ? 1 : sample.outputs().size()); ++output) {
            tell(sample, program, output, try_program(sample, program, output), result);
            if (!result.reasons.empty()) found.insert(program.word);
        }
    }
}

void merge_alike(std::vector<std::string>& texts) {
    std::map<std::string, std::size_t> seen;
    std::vector<std::string> kept;
    for (const std::string& text : texts)
        if (++seen[text.substr(0, text.find(':'))] <= most_alike) kept.push_back(text);
    for (const auto& [word, n] : seen)
        if (n > most_alike) kept.push_back(word + ": and " + std::to_string(n - most_alike) + " more");
    texts = std::move(kept);
}

void examine(const Task& task, const Recipe& reference, LintResult& result) {
    LintSample sample(task, reference);
    check_randomness(sample, result);
    if (result.reasons.empty()) check_drawn_shapes(sample, result);
    if (result.reasons.empty()) check_finite(sample, result);
    if (result.reasons.empty()) check_tolerance(sample, result);
    if (result.reasons.empty()) try_all(sample, trivial_of_outputs(sample), result);
    if (result.reasons.empty()) check_spread(sample, result);
    if (result.reasons.empty()) try_all(sample, trivial_of_inputs(sample), result);
    if (result.reasons.empty()) check_distributions(sample, result);
    if (result.reasons.empty()) take_notes(sample, result.notes);
}

}  // namespace

LintResult lint(const Task& task, const Recipe& reference) {
    LintResult result;
    try {
        if (check_footprint(task, result)) examine(task, reference, result);
    } catch (const PartFailed& e) {
        result.reasons.push_back(std::string("reference: ") + e.what());
    } catch (const Error& e) {
        if (e.blame() != Blame::input) throw;
        result.reasons.push_back(std::string("reference: ") + e.what());
    }
    merge_alike(result.reasons);
    merge_alike(result.notes);
    return result;
}

}  // namespace hone
