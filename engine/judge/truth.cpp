#include "judge/truth.hpp"
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include "base/error.hpp"
#include "base/options.hpp"
#include "hone/abi.h"
#include "judge/numbers.hpp"

namespace hone {
namespace {

struct ToleranceClass {
    const char* name;
    double epsilon;
};
// About a hundred times the format's unit roundoff for f32, where sums of many terms in any order must pass; a few times for narrow
// formats, whose inputs and outputs alone are rounded that much.
constexpr ToleranceClass classes[] = {{"f64", 1e-13}, {"f32", 3e-5}, {"tf32", 1e-3}, {"f16", 1e-3}, {"bf16", 8e-3}};

constexpr double rms_factor = 3, element_factor = 10, unexplained = 0.1;
constexpr std::size_t neighbours = HONE_NEAR, median_of = 8192;  // elements

double square(double x) { return x * x; }

bool same_special(double a, double b) { return (std::isnan(a) && std::isnan(b)) || (std::isinf(a) && a == b); }

// Elements that are compared by their size: finite and not silent.
std::vector<std::size_t> find_compared(Truth& truth, const std::vector<double>& eager) {
    std::vector<std::size_t> compared;
    compared.reserve(truth.values.size());
    for (std::size_t i = 0; i < truth.values.size(); ++i) {
        const bool finite = std::isfinite(truth.values[i]) && std::isfinite(eager[i]);
        if (finite) compared.push_back(i);
        if (finite || same_special(truth.values[i], eager[i])) continue;
        truth.values[i] = std::bit_cast<double>(HONE_SILENT);
    }
    return compared;
}

double median(std::vector<double>& sizes) {
    if (sizes.empty()) return 0;
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    return *middle;
}

// Raises the size of each neighbourhood to u rms of the rows that it lies in.
void raise_to_rows(Truth& truth, const std::vector<std::size_t>& compared) {
    const std::size_t row = truth.shape.size() > 1 ? static_cast<std::size_t>(truth.shape.back()) : neighbours;
    for (auto next = compared.begin(); next != compared.end();) {
        const std::size_t first = *next / row * row, end = std::min(first + row, truth.values.size());
        double squares = 0;
        std::size_t n = 0;
        for (; next != compared.end() && *next < end; ++next, ++n) squares += square(truth.values[*next]);
        const double least = roundoff(truth.dtype) * std::sqrt(squares / static_cast<double>(n));
        for (std::size_t b = first / neighbours; b * neighbours < end; ++b) truth.sizes[b] = std::max(truth.sizes[b], least);
    }
}

void measure_sizes(Truth& truth, const std::vector<std::size_t>& compared) {
    double squares = 0;
    for (const std::size_t i : compared) squares += square(truth.values[i]);
    truth.rms = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, compared.size())));
    std::vector<double> sample;
    for (const std::int64_t place : size_sample(truth.values.size())) sample.push_back(truth.values[static_cast<std::size_t>(place)]);
    const double usual = usual_of(sample, truth.rms);
    std::vector<double> near;
    auto next = compared.begin();
    for (std::size_t end = neighbours; truth.sizes.size() * neighbours < truth.values.size(); end += neighbours) {
        near.clear();
        for (; next != compared.end() && *next < end; ++next) near.push_back(std::fabs(truth.values[*next]));
        truth.sizes.push_back(std::max(usual, median(near)));
    }
    raise_to_rows(truth, compared);
}

double deviation(const Truth& truth, const std::vector<std::size_t>& compared) {
    const auto n = static_cast<double>(compared.size());
    double sum = 0, squares = 0;
    for (const std::size_t i : compared) sum += truth.values[i];
    for (const std::size_t i : compared) squares += square(truth.values[i] - sum / n);
    return std::sqrt(squares / n);
}

}  // namespace

std::string tolerance_class(const Task& task) {
    const Json tolerance = task.doc.value("tolerance", Json("f32"));
    return tolerance.is_string() ? tolerance.get<std::string>() : tolerance.value("class", "f32");
}

double tolerance_epsilon(const Task& task) {
    const Json& tolerance = task.doc.at("tolerance");
    const std::string name = tolerance_class(task);
    const double factor = tolerance.is_string() ? 1 : tolerance.value("factor", 1.0);
    std::vector<std::string> names;
    for (const ToleranceClass& c : classes) {
        if (name == c.name) return c.epsilon * factor;
        names.push_back(c.name);
    }
    throw Error(Blame::input, "task \"" + task.name() + "\"", "no tolerance class \"" + name + "\"" + suggestion(name, names),
                "classes: f64, f32, tf32, f16, bf16");
}

// Results below the normal numbers may be flushed to zero (in f16, where those are not rare, only rounded), and so may a few summed ones.
double least_error(int dtype) { return 4 * (dtype == HONE_F64 ? 0x1p-1022 : dtype == HONE_F16 ? 0x1p-24 : 0x1p-126); }

double roundoff(int dtype) { return dtype == HONE_F64 ? 0x1p-53 : dtype == HONE_F16 ? 0x1p-11 : dtype == HONE_BF16 ? 0x1p-8 : 0x1p-24; }

std::vector<std::int64_t> size_sample(std::size_t elements) {
    std::vector<std::int64_t> places;
    const std::size_t step = elements / median_of | 1;  // odd: it meets every column
    for (std::size_t i = 0; i < elements; i += step) places.push_back(static_cast<std::int64_t>(i));
    return places;
}

// The lesser of rms and median of the non-zero elements.
double usual_of(const std::vector<double>& values, double rms) {
    std::vector<double> sizes;
    for (const double y : values)
        if (std::isfinite(y) && y != 0) sizes.push_back(std::fabs(y));
    return std::min(median(sizes), rms);
}

Allowance allow(const ErrorSums& sums, double epsilon, double least) {
    Allowance allowance{element_factor * (sums.worst + epsilon), rms_factor * std::sqrt(sums.relative / sums.compared) + epsilon / 2,
                        std::numeric_limits<double>::infinity()};
    if (sums.compared >= 2 && rms_factor * std::sqrt(sums.squares / sums.compared) < unexplained * sums.deviation)
        allowance.centred = unexplained * sums.deviation + least;
    return allowance;
}

double lone_size(const std::vector<double>& values, double input_rms) {
    constexpr double cancelled = 0.01;
    for (const double value : values)
        if (std::fabs(value) < cancelled * input_rms) return cancelled * input_rms;
    return 0;
}

double Truth::size_at(std::size_t i) const { return std::fabs(values[i]) + sizes[i / neighbours] + HONE_NO_SIZE; }

Truth make_truth(const TensorSpec& output, std::vector<double> values, const std::vector<double>& eager, double epsilon, double lone) {
    Truth truth;
    truth.name = output.name;
    truth.dtype = output.dtype;
    truth.shape = output.shape;
    truth.values = std::move(values);
    truth.centred_allowed = std::numeric_limits<double>::infinity();
    if (!is_float(output.dtype)) return truth;
    const std::vector<std::size_t> compared = find_compared(truth, eager);
    measure_sizes(truth, compared);
    if (!truth.sizes.empty()) truth.sizes[0] = std::max(truth.sizes[0], lone);
    truth.least = least_error(output.dtype);
    truth.element_allowed = std::numeric_limits<double>::infinity();
    ErrorSums sums{static_cast<double>(std::max<std::size_t>(1, compared.size())), 0, 0, 0, 0};
    for (const std::size_t i : compared) {
        const hone_look look = truth.look_at(i, eager[i]);
        sums.squares += square(look.error);
        sums.relative += square(look.d);
        sums.worst = std::max(sums.worst, look.d);
    }
    if (!compared.empty()) sums.deviation = deviation(truth, compared);
    const Allowance allowance = allow(sums, epsilon, truth.least);
    truth.element_allowed = allowance.element;
    truth.mean_allowed = allowance.mean;
    truth.centred_allowed = allowance.centred;
    return truth;
}

}  // namespace hone
