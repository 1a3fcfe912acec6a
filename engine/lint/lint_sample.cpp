#include "lint/lint_sample.hpp"
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include "judge/correctness/numbers.hpp"

namespace hone {
namespace {

constexpr std::uint64_t seed = 0x11a7;
constexpr std::size_t keys = 2, keys_of_few = 8, few = 64;  // outputs of few numbers say little a key

Settings lint_settings() {
    Settings settings{};
    settings.seed = seed;
    settings.pool_bytes = std::size_t{256} << 20;
    return settings;
}

std::size_t keys_for(const std::vector<TensorSpec>& outputs) {
    const bool all_few = std::all_of(outputs.begin(), outputs.end(),
                                     [](const TensorSpec& o) { return o.elements() < static_cast<std::int64_t>(few); });
    return all_few ? keys_of_few : keys;
}

// What a C program that computes the number in floating point and stores it as a whole one stores: nothing is rounded
// or saturated, which may be the task's whole work.
double as_whole(int dtype, double value) {
    constexpr double most = 0x1p62;
    const auto whole = static_cast<std::int64_t>(std::isnan(value) ? 0 : std::clamp(value, -most, most));
    switch (dtype) {
        case HONE_I64:
            return static_cast<double>(whole);
        case HONE_I32:
            return static_cast<std::int32_t>(whole);
        case HONE_I8:
            return static_cast<std::int8_t>(whole);
        case HONE_BOOL:
            return value != 0;
        default:
            return static_cast<std::uint8_t>(whole);
    }
}

LintSet fetch(const InputSet& set) {
    LintSet fetched{set, {}, {}};
    for (std::size_t i = 0; i < set.inputs(); ++i) fetched.inputs.push_back(set.fetch_input(i));
    for (std::size_t i = 0; i < set.truths().size(); ++i) fetched.truth.push_back(set.fetch_truth(i));
    return fetched;
}

}  // namespace

std::string filled(const TensorSpec& spec, double value) {
    const std::vector<double> values(static_cast<std::size_t>(spec.elements()), value);
    std::string bytes(spec.bytes(), '\0');
    narrow(spec.dtype, std::span<const double>(values), bytes.data());
    return bytes;
}

namespace {

// Huge values drown all else, in `one_sided` too.
Task without_huge(Task task) {
    task.larger = false;
    return task;
}

}  // namespace

LintSample::LintSample(const Task& task, const Recipe& reference)
    : reference_(reference),
      prepared_(without_huge(task), arena_, reference_, host_, lint_settings(), 0),
      shape_(timed_shape(task)) {
    arena_.fit(prepared_.input_bytes(), prepared_.output_bytes());
    const std::size_t n = keys_for(outputs());
    for (const Variant variant : prepared_.variants()) {
        // a program that only a NaN gives away, values that drown all else, or one number alone, is no less trivial
        if (variant == Variant::special || variant == Variant::furthest) continue;
        const std::size_t first = cases_.size();
        for (std::size_t i = 0; i < n; ++i)
            cases_.push_back({fetch(prepared_.set(0, variant, i)), first + (i + 1) % n});
    }
}

Numbers LintSample::answer(const std::vector<std::string>& given) {
    return answer_in_float64(prepared_.float64(), prepared_.layout(0), given);
}

std::vector<std::string> LintSample::operators() {
    answer(cases_.front().set.inputs);
    std::istringstream text(reference_.facts().value("operators", ""));
    std::vector<std::string> names;
    for (std::string name; std::getline(text >> std::ws, name, ',');) names.push_back(name);
    return names;
}

bool LintSample::accepts(const LintCase& one, std::size_t output, const std::vector<double>& numbers) {
    const TensorSpec& spec = outputs()[output];
    std::vector<double> values = numbers;
    if (!is_float(spec.dtype))
        for (double& value : values) value = as_whole(spec.dtype, value);
    std::string bytes(spec.bytes(), '\0');
    narrow(spec.dtype, std::span<const double>(values), bytes.data());
    const FetchedTruth& truth = one.set.truth[output];
    const hone_tensor got = tensor_at(spec, reinterpret_cast<std::uint64_t>(bytes.data()));
    return is_within(truth.bounds, on_host::compare(got, truth.comparison()));
}

}  // namespace hone
