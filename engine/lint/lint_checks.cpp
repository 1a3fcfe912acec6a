#include "lint/lint_checks.hpp"
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include "base/printable.hpp"
#include "base/stats.hpp"
#include "judge/correctness/numbers.hpp"

namespace hone {
namespace {

constexpr double spread_of_allowed = 100, spread_of_size = 0.25;
constexpr double share_of_memory = 0.6;
constexpr int drawn_judgings = 8;

bool same_bits(const Numbers& a, const Numbers& b) {
    return std::equal(
        a.begin(), a.end(), b.begin(), b.end(), [](const std::vector<double>& x, const std::vector<double>& y) {
            return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
        });
}

}  // namespace

// Numbers that lie close together need a tolerance that is narrower still.
void check_spread(LintSample& sample, LintResult& result) {
    for (std::size_t output = 0; output < sample.outputs().size(); ++output) {
        if (!is_float(sample.outputs()[output].dtype)) continue;
        std::map<Variant, std::pair<std::vector<double>, double>> seen;  // values, sum of what is needed
        std::map<Variant, double> sets;
        for (const LintCase& one : sample.cases()) {
            const FetchedTruth& truth = one.set.truth[output];
            auto& [values, needed] = seen[one.set.variant];
            for (const double value : truth.values)
                if (std::isfinite(value)) values.push_back(value);
            needed += truth.rms * std::min(spread_of_allowed * truth.bounds.mean, spread_of_size);
            sets[one.set.variant] += 1;
        }
        std::vector<std::string> small;
        for (const auto& [variant, values] : seen)
            if (deviation(values.first) < values.second / sets[variant]) small.push_back(variant_name(variant));
        const std::string text = "narrow: output \"" + sample.outputs()[output].name +
                                 "\" spreads over less than 100 times what the judge allows (inputs " + listed(small) +
                                 "): a guess comes close";
        if (small.size() == seen.size()) result.reasons.push_back(text);
        else if (!small.empty()) result.notes.push_back(text);
    }
}

void check_randomness(LintSample& sample, LintResult& result) {
    const std::vector<std::string>& inputs = sample.cases().front().set.inputs;
    if (!same_bits(sample.answer(inputs), sample.answer(inputs)))
        result.reasons.push_back("random: the reference gives other numbers for the same inputs: nobody can be right");
}

// What is verified on one distribution alone is fitted to it: a maximum of negative numbers that starts from a guess, a
// bound on a sum.
void check_distributions(LintSample& sample, LintResult& result) {
    sample.prepared().settle_variants();
    if (sample.prepared().variants().size() > 1) return;
    const std::vector<TensorSpec>& inputs = sample.inputs();
    if (std::none_of(inputs.begin(), inputs.end(), [](const TensorSpec& spec) { return is_float(spec.dtype); }))
        return result.notes.push_back(
            "distributions: whole numbers alone are verified on one distribution, that of their law");
    result.reasons.push_back(
        "distributions: every input is strict or an index, so the task is verified on one distribution alone; leave "
        "out strict = true where other values exist");
}

// The judge draws shapes anew for each judging; the definition must have an answer at all of them.
void check_drawn_shapes(LintSample& sample, LintResult& result) {
    PreparedTask& prepared = sample.prepared();
    const Task& task = prepared.task();
    bool another = task.sizes.empty();  // than the timed one
    std::size_t shape = 0;
    try {
        for (int judging = 0; judging < drawn_judgings; ++judging) {
            prepared.begin_judging("lint " + std::to_string(judging));
            for (const Shape& hidden : hidden_shapes(prepared.drawn_task()))
                another = another || hidden != timed_shape(task);
            for (shape = prepared.lasting_shapes(); shape < prepared.shapes(); ++shape)
                prepared.set(shape, Variant::declared, 0);
        }
        if (!another)
            result.reasons.push_back(
                "hidden: no shape but the timed one is verified, so a program that is right for that one alone passes; "
                "widen `ranges`, name hidden shapes, or write numbers in place of sizes where there are no others");
    } catch (const Error& e) {
        if (e.blame() != Blame::input) throw;
        result.reasons.push_back("ranges: the reference fails at a shape that the judge may draw, " +
                                 Json(prepared.drawn_task().hidden[shape - 1]).dump() +
                                 "; say with `ranges` or `multiples` which sizes it takes: " + e.what());
    }
}

constexpr std::size_t few_elements = 64;

// Elements on which definition and reference disagree whether they are finite are not compared, and those of declared
// inputs should be finite.
void check_finite(LintSample& sample, LintResult& result) {
    std::set<std::string> told;
    for (std::size_t shape = 0; shape < sample.prepared().shapes(); ++shape)
        for (const Variant variant : sample.prepared().variants()) {
            const InputSet& set = sample.prepared().set(shape, variant, 0);
            for (std::size_t output = 0; output < set.truths().size(); ++output) {
                const FetchedTruth truth = set.fetch_truth(output);
                std::size_t lost = 0;
                for (std::size_t i = 0; i < truth.values.size(); ++i)
                    lost += truth.is_silent(i) || (variant == Variant::declared && !std::isfinite(truth.values[i]));
                if (!lost || !told.insert(truth.spec.name + variant_name(variant)).second) continue;
                const bool all = lost == truth.values.size();
                const std::string text = "not-finite: output \"" + truth.spec.name + "\" is not finite in " +
                                         (all ? "all" : "some") + " of its elements at " +
                                         sample.prepared().shape_name(shape) + ", inputs " + variant_name(variant) +
                                         ": they are not compared";
                // at a small shape a mask may take away short rows
                const bool refused =
                    shape == 0 ? variant == Variant::declared || all : all && truth.values.size() >= few_elements;
                (refused ? result.reasons : result.notes).push_back(text);
            }
        }
}

void check_tolerance(LintSample& sample, LintResult& result) {
    for (const LintCase& one : sample.cases())
        for (std::size_t i = 0; i < one.set.truth.size(); ++i)
            if (!sample.accepts(one, i, one.set.truth[i].values))
                return result.reasons.push_back(
                    "tolerance: the judge refuses the truth itself, rounded to the dtype of output \"" +
                    one.set.truth[i].spec.name + "\" (inputs " + std::string(variant_name(one.set.variant)) + ")");
}

bool check_footprint(const Task& task, LintResult& result) {
    double most = 0;
    std::vector<Shape> shapes = hidden_shapes(task);
    shapes.push_back(timed_shape(task));
    for (const Shape& shape : shapes) {
        double bytes = 0;
        for (const char* side : {"inputs", "outputs"})
            for (const TensorSpec& spec : tensors(task, side, shape)) bytes += static_cast<double>(spec.bytes());
        most = std::max(most, bytes);
    }
    const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
    if (most <= share_of_memory * memory) return true;
    result.reasons.push_back("footprint: inputs and outputs take more than 60 % of this machine's memory");
    return false;
}

}  // namespace hone
