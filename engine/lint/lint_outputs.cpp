#include <algorithm>
#include <cmath>
#include <cstring>
#include "judge/correctness/numbers.hpp"
#include "lint/lint_positions.hpp"
#include "lint/lint_trivial.hpp"

namespace hone {
namespace {

using Values = std::vector<double>;
// Of one output: its true values here and with another key.
using Change = std::function<std::optional<Values>(const Values& truth, const Values& other, const TensorSpec&)>;

TrivialProgram changed(std::string word, std::string deed, std::string harm, TrivialKind kind, Change change) {
    return {std::move(word),
            std::move(deed),
            std::move(harm),
            kind,
            false,
            [change](LintSample& sample, const LintCase& one) -> std::optional<Numbers> {
                Numbers numbers;
                bool any = false;
                for (std::size_t i = 0; i < one.set.truth.size(); ++i) {
                    const Values& truth = one.set.truth[i].values;
                    auto values = change(truth, sample.other(one).set.truth[i].values, sample.outputs()[i]);
                    any |= values.has_value();
                    numbers.push_back(values ? std::move(*values) : Values());  // an empty list: not for this output
                }
                return any ? std::optional(std::move(numbers)) : std::nullopt;
            }};
}

double mean_of(const Values& values) {
    double sum = 0, n = 0;
    for (const double value : values)
        if (std::isfinite(value)) sum += value, n += 1;
    return n > 0 ? sum / n : 0;
}

// Elements that lie alike but for their index along the axis get their mean.
Values flat_along(const Values& truth, const TensorSpec& spec, std::size_t axis) {
    const std::vector<std::size_t> first = along(spec.shape, axis, [](std::int64_t) { return 0; });
    std::vector<double> sum(truth.size()), n(truth.size());
    for (std::size_t i = 0; i < truth.size(); ++i)
        if (std::isfinite(truth[i])) sum[first[i]] += truth[i], n[first[i]] += 1;
    Values flat(truth.size());
    for (std::size_t i = 0; i < truth.size(); ++i) flat[i] = n[first[i]] > 0 ? sum[first[i]] / n[first[i]] : 0;
    return flat;
}

void add_constants(std::vector<TrivialProgram>& list) {
    const std::string nothing = "nothing need be computed";
    list.push_back(
        changed("zeros", "writing zeros", nothing, TrivialKind::idle,
                [](const Values& truth, const Values&, const TensorSpec&) { return Values(truth.size(), 0.0); }));
    list.push_back(changed("constant", "writing one number, the mean of other inputs' output", nothing,
                           TrivialKind::idle, [](const Values& truth, const Values& other, const TensorSpec&) {
                               return Values(truth.size(), mean_of(other));
                           }));
    list.push_back(changed("stale", "writing the output that belongs to other inputs",
                           "the output hardly depends on the inputs", TrivialKind::idle,
                           [](const Values&, const Values& other, const TensorSpec&) { return other; }));
    for (const bool zeros : {true, false})
        list.push_back(changed(
            "partial",
            std::string("writing the first half and ") + (zeros ? "zeros after it" : "other inputs' output after it"),
            "the rest need not be computed", TrivialKind::idle,
            [zeros](const Values& truth, const Values& other, const TensorSpec& spec) -> std::optional<Values> {
                if (spec.shape.empty() || spec.shape[0] < 2) return std::nullopt;
                const std::size_t row = truth.size() / static_cast<std::size_t>(spec.shape[0]);
                Values mixed = zeros ? Values(truth.size(), 0.0) : other;
                const std::size_t kept = row * (static_cast<std::size_t>(spec.shape[0]) / 2);
                std::copy(truth.begin(), truth.begin() + static_cast<std::ptrdiff_t>(kept), mixed.begin());
                return mixed;
            }));
    list.push_back(
        changed("partial", "leaving out the last row", "a tail may be skipped", TrivialKind::slip,
                [](const Values& truth, const Values& other, const TensorSpec& spec) -> std::optional<Values> {
                    if (spec.shape.empty() || spec.shape[0] < 2) return std::nullopt;
                    const auto row = static_cast<std::ptrdiff_t>(truth.size()) / spec.shape[0];
                    Values mixed = truth;
                    std::copy(other.end() - row, other.end(), mixed.end() - row);
                    return mixed;
                }));
}

// A map of indices along one axis, tried on each axis that is long enough.
using Map = std::function<std::int64_t(std::int64_t k, std::int64_t n)>;

void add_rearrangements(std::vector<TrivialProgram>& list, std::size_t rank) {
    const std::string harm = "the comparison does not see where a number stands";
    const auto on_axis = [&](std::size_t axis, const char* word, const std::string& deed, Map map) {
        list.push_back(
            changed(word, deed + " along axis " + std::to_string(axis), harm, TrivialKind::slip,
                    [axis, map](const Values& truth, const Values&, const TensorSpec& spec) -> std::optional<Values> {
                        if (axis >= spec.shape.size() || spec.shape[axis] < 2) return std::nullopt;
                        const std::int64_t n = spec.shape[axis];
                        return gathered(truth, along(spec.shape, axis, [&](std::int64_t k) { return map(k, n); }));
                    }));
    };
    for (std::size_t axis = 0; axis < rank; ++axis) {
        on_axis(axis, "axis", "writing the output in reverse order",
                [](std::int64_t k, std::int64_t n) { return n - 1 - k; });
        on_axis(axis, "shift", "writing the output one place too early",
                [](std::int64_t k, std::int64_t n) { return (k + 1) % n; });
        list.push_back(
            changed("constant", "writing the mean along axis " + std::to_string(axis),
                    "the output hardly varies along it", TrivialKind::slip,
                    [axis](const Values& truth, const Values&, const TensorSpec& spec) -> std::optional<Values> {
                        if (axis >= spec.shape.size() || spec.shape[axis] < 2) return std::nullopt;
                        return flat_along(truth, spec, axis);
                    }));
    }
    list.push_back(changed("axis", "writing the transpose", harm, TrivialKind::slip,
                           [](const Values& truth, const Values&, const TensorSpec& spec) -> std::optional<Values> {
                               if (spec.shape.size() != 2 || spec.shape[0] != spec.shape[1]) return std::nullopt;
                               const auto n = static_cast<std::size_t>(spec.shape[0]);
                               Values turned(truth.size());
                               for (std::size_t i = 0; i < truth.size(); ++i) turned[i % n * n + i / n] = truth[i];
                               return turned;
                           }));
}

void add_slips(std::vector<TrivialProgram>& list) {
    list.push_back(changed("clamp", "writing 0 for negative numbers", "the sign is not tested", TrivialKind::slip,
                           [](const Values& truth, const Values&, const TensorSpec&) {
                               Values clamped = truth;
                               for (double& value : clamped) value = value < 0 ? 0 : value;
                               return clamped;
                           }));
    for (const bool all : {true, false})
        list.push_back(
            changed("whole", all ? "adding 1 to whole numbers" : "adding 1 to one whole number",
                    "whole numbers must be exact", TrivialKind::slip,
                    [all](const Values& truth, const Values&, const TensorSpec& spec) -> std::optional<Values> {
                        if (is_float(spec.dtype)) return std::nullopt;
                        Values wrong = truth;
                        for (std::size_t i = all ? 0 : truth.size() / 2; i < truth.size(); ++i) {
                            wrong[i] = spec.dtype == HONE_BOOL ? 1 - wrong[i] : wrong[i] + 1;
                            if (!all) break;
                        }
                        return wrong;
                    }));
}

// The inputs themselves as the output: repeated where they are shorter, cut where they are longer.
void add_aliases(std::vector<TrivialProgram>& list, LintSample& sample) {
    for (std::size_t input = 0; input < sample.inputs().size(); ++input)
        for (const bool spread : {false, true})  // a short input may be repeated as a whole, or each element of it
            list.push_back({"alias",
                            "copying input \"" + sample.inputs()[input].name + "\" to the output" +
                                (spread ? ", each number several times" : ""),
                            "nothing need be computed", TrivialKind::idle, false,
                            [input, spread](LintSample& s, const LintCase& one) -> std::optional<Numbers> {
                                const TensorSpec& spec = s.inputs()[input];
                                const auto n = static_cast<std::size_t>(spec.elements());
                                const Values values = widened(spec.dtype, one.set.inputs[input].data(), n);
                                Numbers numbers;
                                for (const TensorSpec& output : s.outputs()) {
                                    const auto m = static_cast<std::size_t>(output.elements());
                                    Values copy;
                                    if (!spread || (n < m && m % n == 0))
                                        for (std::size_t i = 0; i < m; ++i)
                                            copy.push_back(values[spread ? i / (m / n) : i % n]);
                                    numbers.push_back(std::move(copy));
                                }
                                return numbers;
                            }});
}

}  // namespace

std::vector<TrivialProgram> trivial_of_outputs(LintSample& sample) {
    std::vector<TrivialProgram> list;
    std::size_t rank = 0;
    for (const TensorSpec& output : sample.outputs()) rank = std::max(rank, output.shape.size());
    add_constants(list);
    add_aliases(list, sample);
    add_rearrangements(list, rank);
    add_slips(list);
    return list;
}

}  // namespace hone
