#include "judge/compare.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include "base/error.hpp"
#include "base/options.hpp"
#include "judge/numbers.hpp"

namespace hone {
namespace {

struct ToleranceClass { const char* name; double epsilon; };
// About a hundred times the format's unit roundoff for f32, where sums of many terms in any order must pass; a few times for narrow
// formats, whose inputs and outputs alone are rounded that much.
constexpr ToleranceClass classes[] = {{"f64", 1e-13}, {"f32", 3e-5}, {"tf32", 1e-3}, {"f16", 1e-3}, {"bf16", 8e-3}};

constexpr double rms_factor = 3, element_factor = 10, unexplained = 0.1;

double square(double x) { return x * x; }

// "1e-2": the power of ten below; the text a policy may see
std::string bucket(double relative) {
    if (!std::isfinite(relative)) return "infinite";
    const int power = static_cast<int>(std::floor(std::log10(std::max(relative, 1e-12))));
    return power >= 3 ? "1e3 or more" : "1e" + std::to_string(power);
}

std::string share(std::size_t part, std::size_t whole) {
    if (part == whole) return "all";
    const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    return percent < 1 ? "less than 1 %" : percent > 99 ? "more than 99 %" : std::to_string(static_cast<int>(percent)) + " %";
}

double allowed_at(const Truth& truth, double value) { return truth.relative_allowed * (std::fabs(value) + truth.rms); }

std::string output_name(const Truth& truth) { return "output \"" + truth.name + "\""; }

std::size_t count_untouched(const Truth& truth, const std::string& got, const std::string& untouched) {
    if (untouched.empty()) return 0;
    const std::size_t width = dtype_bytes(truth.dtype);
    std::size_t count = 0;
    for (std::size_t i = 0; i < truth.values.size(); ++i) {
        if (std::memcmp(got.data() + i * width, untouched.data() + i * width, width) != 0) continue;
        // a whole number may happen to be the poison's value
        count += is_float(truth.dtype) || widened_at(truth.dtype, got.data() + i * width) != truth.values[i];
    }
    return count;
}

struct Errors {
    std::size_t compared = 0, wrong = 0, not_finite = 0;
    double sum = 0, worst = 0;  // of squares; of |error| / (|y| + rms)
};

Errors measure_errors(const Truth& truth, const std::vector<double>& got) {
    Errors errors;
    for (std::size_t i = 0; i < got.size(); ++i) {
        const double value = truth.values[i];
        if (std::isnan(value)) continue;
        ++errors.compared;
        const double error = std::fabs(got[i] - value);
        if (!std::isfinite(error)) { ++errors.not_finite; continue; }
        errors.sum += error * error;
        errors.wrong += error > allowed_at(truth, value);
        errors.worst = std::max(errors.worst, error / (std::fabs(value) + truth.rms + std::numeric_limits<double>::min()));
    }
    return errors;
}

std::optional<Mismatch> judge_errors(const Truth& truth, const Errors& errors, const std::string& where) {
    const auto wrong = [&](const std::string& how) {
        return Mismatch{Verdict::INCORRECT_NUMERICAL, output_name(truth) + " " + how + " (" + where + ")"};
    };
    if (errors.not_finite) return wrong("is NaN or infinite in " + share(errors.not_finite, errors.compared) + " of its elements");
    if (!errors.compared) return std::nullopt;
    const double rms = std::sqrt(errors.sum / static_cast<double>(errors.compared)), size = truth.rms + std::numeric_limits<double>::min();
    if (errors.wrong && !is_float(truth.dtype)) return wrong("is wrong in " + share(errors.wrong, errors.compared) + " of its elements");
    if (errors.wrong) return wrong("is wrong in " + share(errors.wrong, errors.compared) + " of its elements: the largest error is about " +
                                   bucket(errors.worst) + " of its size");
    if (rms > truth.rms_allowed) return wrong("is not precise enough: its error is about " + bucket(rms / size) + " of its size");
    if (rms > truth.centred_allowed) return wrong("does not follow its inputs: it explains less than 99 % of the variance");
    return std::nullopt;
}

}  // namespace

double tolerance_epsilon(const Task& task) {
    const Json& tolerance = task.doc.at("tolerance");
    const std::string name = tolerance.is_string() ? tolerance.get<std::string>() : tolerance.value("class", "f32");
    const double factor = tolerance.is_string() ? 1 : tolerance.value("factor", 1.0);
    std::vector<std::string> names;
    for (const ToleranceClass& c : classes) {
        if (name == c.name) return c.epsilon * factor;
        names.push_back(c.name);
    }
    throw Error(Blame::input, "task \"" + task.name() + "\"", "no tolerance class \"" + name + "\"" + suggestion(name, names),
                "classes: f64, f32, tf32, f16, bf16");
}

Truth make_truth(const TensorSpec& output, std::vector<double> values, const std::vector<double>& eager, double epsilon) {
    Truth truth{output.name, output.dtype, std::move(values)};
    if (!is_float(output.dtype)) return truth;
    double sum = 0, sum_of_squares = 0, error = 0;
    std::size_t n = 0;
    for (std::size_t i = 0; i < truth.values.size(); ++i) {
        double& y = truth.values[i];
        if (!std::isfinite(y) || !std::isfinite(eager[i])) y = std::numeric_limits<double>::quiet_NaN();
        if (std::isnan(y)) continue;
        sum += y;
        sum_of_squares += y * y;
        error += square(eager[i] - y);
        ++n;
    }
    if (!n) return truth;
    const auto count = static_cast<double>(n);
    truth.rms = std::sqrt(sum_of_squares / count);
    const double reference_rms = std::sqrt(error / count);
    double worst = 0;
    for (std::size_t i = 0; i < truth.values.size(); ++i)
        if (!std::isnan(truth.values[i]))
            worst = std::max(worst, std::fabs(eager[i] - truth.values[i]) / (std::fabs(truth.values[i]) + truth.rms + 1e-300));
    truth.rms_allowed = rms_factor * reference_rms + epsilon * truth.rms;
    truth.relative_allowed = element_factor * (worst + epsilon);
    const double centred = std::sqrt(std::max(0.0, sum_of_squares / count - square(sum / count)));
    const bool asked = n > 1 && rms_factor * reference_rms < unexplained * centred;
    truth.centred_allowed = asked ? unexplained * centred : std::numeric_limits<double>::infinity();
    return truth;
}

std::optional<Mismatch> compare(const Truth& truth, const std::string& got, const std::string& untouched, const std::string& where) {
    const std::size_t left = count_untouched(truth, got, untouched);
    if (left) {
        return Mismatch{Verdict::INCORRECT_NUMERICAL,
                        output_name(truth) + " is not written in " + share(left, truth.values.size()) + " of its elements (" + where + ")"};
    }
    const std::vector<double> numbers = widened(truth.dtype, got.data(), truth.values.size());
    return judge_errors(truth, measure_errors(truth, numbers), where);
}

bool agrees_at(const Truth& truth, const std::vector<std::size_t>& positions, const std::vector<double>& got) {
    for (std::size_t k = 0; k < positions.size(); ++k) {
        const double value = truth.values[positions[k]];
        if (!std::isnan(value) && !(std::fabs(got[k] - value) <= allowed_at(truth, value))) return false;
    }
    return true;
}

}  // namespace hone
