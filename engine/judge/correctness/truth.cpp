#include "judge/correctness/truth.hpp"
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include "base/error.hpp"
#include "base/options.hpp"
#include "hone/abi.h"
#include "judge/correctness/numbers.hpp"

namespace hone {
namespace {

struct ToleranceClass {
    const char* name;
    double epsilon;
    bool summed;  // times roundings + 4 sqrt(terms)
};
// Of a few roundings for narrow formats, whose inputs and outputs alone are rounded that much. Where sums are rounded
// to the format: one term's rounding after the other is a random walk, of which a sum in any order must pass; 12
// roundoffs leave room for fast forms of exp and tanh.
constexpr ToleranceClass classes[] = {
    {"f64", 0x1p-53, true}, {"f32", 0x1p-24, true}, {"tf32", 1e-3, false}, {"f16", 1e-3, false}, {"bf16", 8e-3, false}};
constexpr double usual_roundings = 12, roundings_a_root = 4, unknown_terms = 1 << 14;
constexpr double far_factor = 3, outliers_factor = 4;  // truth.hpp
// Of a mean over many rows: n terms one after the other make an error of sqrt(n) / 5. Three products of bf16 pairs
// instead of one in float32 make one of 60 roundings, whatever n is, and are refused up to n = 16384; three of tf32
// pairs make one of 1.
constexpr double mean_roundings = 6, mean_roundings_a_rounding = 1.0 / 40, mean_roundings_a_root = 0.3;
constexpr double biased_roundings_a_term = 1.0 / 8;  // truth.hpp
constexpr double beside_strays = 2;                  // a few far larger terms make most of a sum, and of its error

constexpr double rms_factor = 3, element_factor = 10, unexplained = 0.1;
constexpr std::size_t neighbours = HONE_NEAR, median_of = 8192;  // elements

double square(double x) { return x * x; }

bool same_special(double a, double b) { return (std::isnan(a) && std::isnan(b)) || (std::isinf(a) && a == b); }

bool is_number(double x) { return std::fabs(x) <= std::numeric_limits<double>::max(); }

// Sum of term(i) in lanes, which the compiler turns into vectors. A judgement makes a hundred truths of up to millions
// of elements.
template <class Term> double sum_of(std::size_t begin, std::size_t end, Term&& term) {
    constexpr std::size_t lanes = 8;
    double sums[lanes] = {};
    std::size_t i = begin;
    for (; i + lanes <= end; i += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += term(i + lane);
    for (; i < end; ++i) sums[0] += term(i);
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// Of the elements that are compared by their size: from here on those whose truth is a number.
struct Survey {
    double compared, sum, squares;
};

bool all_numbers(const double* values, std::size_t n) {
    bool all = true;
    for (std::size_t i = 0; i < n; ++i) all &= is_number(values[i]);
    return all;
}

// Silences elements where only one of truth and answer, or each another, is NaN or infinite. Neighbourhood by
// neighbourhood, while it is in the cache.
Survey survey(std::vector<double>& truth, const std::vector<double>& eager) {
    Survey sums{0, 0, 0};
    double* const y = truth.data();
    for (std::size_t begin = 0; begin < truth.size(); begin += neighbours) {
        const std::size_t end = std::min(begin + neighbours, truth.size());
        const bool numbers = all_numbers(y + begin, end - begin) & all_numbers(eager.data() + begin, end - begin);
        for (std::size_t i = begin; i < end && !numbers; ++i)
            if (!(is_number(y[i]) && is_number(eager[i])) && !same_special(y[i], eager[i]))
                y[i] = std::bit_cast<double>(HONE_SILENT);
        sums.compared += sum_of(begin, end, [=](std::size_t i) { return is_number(y[i]) ? 1.0 : 0.0; });
        sums.sum += sum_of(begin, end, [=](std::size_t i) { return is_number(y[i]) ? y[i] : 0.0; });
        sums.squares += sum_of(begin, end, [=](std::size_t i) {
            const double x = y[i] * y[i];
            return is_number(y[i]) ? x : 0.0;
        });
    }
    return sums;
}

double median(std::vector<double>& sizes) {
    if (sizes.empty()) return 0;
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    return *middle;
}

// The same for one whole neighbourhood, without branches that nobody can foresee: the middle one's bits as a float by
// bisection, counting; then the middle one of those few that share them.
double median_of_neighbours(const double* values) {
    std::uint32_t bits[neighbours];
    for (std::size_t i = 0; i < neighbours; ++i)
        bits[i] = std::bit_cast<std::uint32_t>(static_cast<float>(std::fabs(values[i])));
    const auto count = [&](std::uint32_t most) {
        std::uint32_t n = 0;
        for (const std::uint32_t b : bits) n += b <= most;
        return n;
    };
    constexpr std::uint32_t rank = neighbours / 2;  // from 0
    std::uint32_t least = *std::min_element(bits, bits + neighbours), most = *std::max_element(bits, bits + neighbours);
    while (least < most) {
        const std::uint32_t middle = least + (most - least) / 2;
        if (count(middle) > rank) most = middle;
        else least = middle + 1;
    }
    double alike[neighbours];
    std::size_t n = 0;
    std::uint32_t below = 0;
    for (std::size_t i = 0; i < neighbours; ++i) {
        below += bits[i] < least;
        if (bits[i] == least) alike[n++] = std::fabs(values[i]);
    }
    std::nth_element(alike, alike + (rank - below), alike + n);
    return alike[rank - below];
}

double median_near(const std::vector<double>& values, std::size_t begin) {
    const std::size_t end = std::min(begin + neighbours, values.size());
    const bool whole = end - begin == neighbours && all_numbers(values.data() + begin, neighbours);
    if (whole) return median_of_neighbours(values.data() + begin);
    std::vector<double> near;
    for (std::size_t i = begin; i < end; ++i)
        if (is_number(values[i])) near.push_back(std::fabs(values[i]));
    return median(near);
}

// Raises the size of each neighbourhood to u rms of the rows that it lies in.
void raise_to_rows(Truth& truth) {
    const std::size_t row = truth.shape.size() > 1 ? static_cast<std::size_t>(truth.shape.back()) : neighbours;
    for (std::size_t first = 0; first < truth.values.size(); first += row) {
        const std::size_t end = std::min(first + row, truth.values.size());
        const double* const y = truth.values.data();
        const double n = sum_of(first, end, [=](std::size_t i) { return is_number(y[i]) ? 1.0 : 0.0; });
        if (n == 0) continue;
        const double squares = sum_of(first, end, [=](std::size_t i) {
            const double x = y[i] * y[i];
            return is_number(y[i]) ? x : 0.0;
        });
        const double least = roundoff(truth.dtype) * std::sqrt(squares / n);
        for (std::size_t b = first / neighbours; b * neighbours < end; ++b)
            truth.sizes[b] = std::max(truth.sizes[b], least);
    }
}

void measure_sizes(Truth& truth, const Survey& survey) {
    truth.rms = std::sqrt(survey.squares / std::max(1.0, survey.compared));
    std::vector<double> sample;
    for (const std::int64_t place : size_sample(truth.values.size()))
        sample.push_back(truth.values[static_cast<std::size_t>(place)]);
    const double usual = usual_of(sample, truth.rms);
    for (std::size_t begin = 0; begin < truth.values.size(); begin += neighbours)
        truth.sizes.push_back(std::max(usual, median_near(truth.values, begin)));
    raise_to_rows(truth);
}

// Of the elements around the mean.
double deviation(const Truth& truth, const Survey& survey) {
    const double mean = survey.sum / survey.compared;
    const double* const y = truth.values.data();
    const double squares = sum_of(0, truth.values.size(), [=](std::size_t i) {
        const double off = square(y[i] - mean);
        return is_number(y[i]) ? off : 0.0;
    });
    return std::sqrt(squares / survey.compared);
}

// What hone_look_at says of every element of the reference's answer, where there is no bound yet.
ErrorSums measure_errors(const Truth& truth, const std::vector<double>& eager, double compared) {
    ErrorSums sums{std::max(1.0, compared), 0, 0, 0, 0};
    const double *const y = truth.values.data(), *const got = eager.data();
    const double least = truth.least;
    double d[neighbours], squares[neighbours];
    for (std::size_t begin = 0; begin < eager.size(); begin += neighbours) {
        const std::size_t n = std::min<std::size_t>(neighbours, eager.size() - begin);
        const double size = truth.sizes[begin / neighbours];
        for (std::size_t i = 0; i < n; ++i) {
            const double error = std::fabs(got[begin + i] - y[begin + i]), beyond = std::max(error - least, 0.0);
            const double share = beyond / (std::fabs(y[begin + i]) + size + HONE_NO_SIZE), square = error * error;
            const bool number = is_number(y[begin + i]);
            d[i] = number ? share : 0;
            squares[i] = number ? square : 0;
        }
        sums.squares += sum_of(0, n, [&](std::size_t i) { return squares[i]; });
        sums.relative += sum_of(0, n, [&](std::size_t i) { return d[i] * d[i]; });
        sums.worst = std::max(sums.worst, *std::max_element(d, d + n));
    }
    return sums;
}

}  // namespace

std::string tolerance_class(const Task& task) { return task.tolerance.of_class; }

Epsilon tolerance_epsilon(const Task& task, const Shape& shape, Variant variant) {
    const std::string name = tolerance_class(task);
    const double factor = task.tolerance.factor.value_or(1);
    const double roundings = task.tolerance.roundings.value_or(usual_roundings);
    std::vector<std::string> names;
    for (const ToleranceClass& c : classes) {
        names.push_back(c.name);
        if (name != c.name) continue;
        const double u = c.epsilon * factor * (c.summed && variant == Variant::far ? far_factor : 1);
        const double terms = sum_terms(task, shape).value_or(unknown_terms), root = std::sqrt(terms);
        if (!c.summed) return u;
        const double beside_outliers =
            variant == Variant::outliers && roundings > usual_roundings ? outliers_factor : 1;
        Epsilon epsilon = u * (beside_outliers * roundings + roundings_a_root * root);
        const double further = mean_roundings_a_rounding * (roundings - usual_roundings);
        const double mean = u * (mean_roundings + further + mean_roundings_a_root * root);
        if (variant == Variant::declared) epsilon.mean = mean;
        // a transform spreads one far larger term over its tile
        if (variant == Variant::strays && roundings <= usual_roundings) epsilon.mean = beside_strays * mean;
        if (variant == Variant::integers || variant == Variant::special)
            epsilon.inexact = u * biased_roundings_a_term * terms;
        return epsilon;
    }
    throw Error(Blame::input, "task \"" + task.name() + "\"",
                "no tolerance class \"" + name + "\"" + suggestion(name, names), "classes: f64, f32, tf32, f16, bf16");
}

// Results below the normal numbers may be flushed to zero (in f16, where those are not rare, only rounded), and so may
// a few summed ones.
double least_error(int dtype) { return 4 * (dtype == HONE_F64 ? 0x1p-1022 : dtype == HONE_F16 ? 0x1p-24 : 0x1p-126); }

double roundoff(int dtype) {
    return dtype == HONE_F64 ? 0x1p-53 : dtype == HONE_F16 ? 0x1p-11 : dtype == HONE_BF16 ? 0x1p-8 : 0x1p-24;
}

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

bool has_many(const std::vector<std::int64_t>& shape) {
    constexpr std::int64_t many = 64;
    const auto end = shape.size() > 1 ? shape.end() - 1 : shape.end();
    return std::accumulate(shape.begin(), end, std::int64_t{1}, std::multiplies<>()) >= many;
}

Allowance allow(const ErrorSums& sums, const Epsilon& epsilon, double least, bool many) {
    const double further = sums.worst > 0 ? epsilon.inexact : 0,
                 mean = (many ? epsilon.mean : epsilon.element / 2) + further / 2;
    Allowance allowance{element_factor * (sums.worst + epsilon.element + further),
                        rms_factor * std::sqrt(sums.relative / sums.compared) + mean,
                        std::numeric_limits<double>::infinity()};
    if (sums.compared >= 2 && rms_factor * std::sqrt(sums.squares / sums.compared) < unexplained * sums.deviation)
        allowance.centred = unexplained * sums.deviation + least;
    return allowance;
}

double lone_size(const std::vector<double>& values, double input_rms) {
    constexpr double cancelled = 0.5;
    for (const double value : values)
        if (std::fabs(value) < cancelled * input_rms) return cancelled * input_rms;
    return 0;
}

double Truth::size_at(std::size_t i) const { return std::fabs(values[i]) + sizes[i / neighbours] + HONE_NO_SIZE; }

Truth make_truth(const TensorSpec& output, std::vector<double> values, const std::vector<double>& eager,
                 const Epsilon& epsilon, double lone) {
    Truth truth;
    truth.name = output.name;
    truth.dtype = output.dtype;
    truth.shape = output.shape;
    truth.values = std::move(values);
    truth.centred_allowed = std::numeric_limits<double>::infinity();
    if (!is_float(output.dtype)) return truth;
    const Survey surveyed = survey(truth.values, eager);
    measure_sizes(truth, surveyed);
    if (!truth.sizes.empty()) truth.sizes[0] = std::max(truth.sizes[0], lone);
    truth.least = least_error(output.dtype);
    ErrorSums sums = measure_errors(truth, eager, surveyed.compared);
    if (surveyed.compared > 0) sums.deviation = deviation(truth, surveyed);
    const Allowance allowance = allow(sums, epsilon, truth.least, has_many(truth.shape));
    truth.element_allowed = allowance.element;
    truth.mean_allowed = allowance.mean;
    truth.centred_allowed = allowance.centred;
    return truth;
}

}  // namespace hone
