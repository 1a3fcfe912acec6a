#include "judge/correctness/truth.hpp"
#include <algorithm>
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
constexpr double far_factor = 1.0 / 4, far_growth = 256;                                    // truth.hpp
constexpr double slab_least = 3, serial_roundings = 0.2, slab_loss = 0.3, far_loss = 0.05;  // likewise
constexpr double narrow_growth = 14, narrow_most = 16, worst_beside_usual = 8;              // truth.hpp
constexpr double outliers_factor = 4;
// Of a mean over many rows: n terms one after the other make an error of sqrt(n) / 5. Three products of bf16 pairs
// instead of one in float32 make one of 60 roundings, whatever n is, and are refused up to n = 16384; three of tf32
// pairs make one of 1.
constexpr double mean_roundings = 6, mean_roundings_a_rounding = 1.0 / 40, mean_roundings_a_root = 0.3;
constexpr double biased_roundings_a_term = 1.0 / 8;  // truth.hpp
constexpr double beside_strays = 2;                  // a few far larger terms make most of a sum, and of its error

constexpr double rms_factor = 3, element_factor = 10, unexplained = 0.1;
constexpr std::uint64_t median_of = 8192;  // elements
constexpr std::int64_t lone_elements = 4, many_rows = 64;
constexpr double cancelled = 0.5;

double median(std::vector<double>& sizes) {
    if (sizes.empty()) return 0;
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    return *middle;
}

std::uint64_t elements(const Truth& truth) { return static_cast<std::uint64_t>(truth.spec.elements()); }

// Places whose values tell the usual size.
std::vector<std::int64_t> sample_places(std::uint64_t n) {
    std::vector<std::int64_t> places;
    const std::uint64_t step = n / median_of | 1;  // odd: it meets every column
    for (std::uint64_t i = 0; i < n; i += step) places.push_back(static_cast<std::int64_t>(i));
    return places;
}

// The lesser of rms and median of the non-zero elements.
double usual_size(Memory& memory, const Truth& truth) {
    std::vector<double> sizes;
    for (const double y : gathered(memory, {truth.values, HONE_F64, 0, nullptr}, sample_places(elements(truth))))
        if (std::isfinite(y) && y != 0) sizes.push_back(std::fabs(y));
    return std::min(median(sizes), truth.rms);
}

void widen_lone(Memory& memory, const Truth& truth, double input_rms) {
    std::vector<double> values(elements(truth));
    double scale = 0;
    memory.read(truth.values, values.data(), values.size() * sizeof(double));
    memory.read(truth.local_scale, &scale, sizeof scale);
    for (const double value : values)
        if (std::fabs(value) < cancelled * input_rms) scale = std::max(scale, cancelled * input_rms);
    memory.write(truth.local_scale, &scale, sizeof scale);
}

template <class T> T read_one(Memory& memory, std::uint64_t at) {
    T found;
    memory.read(at, &found, sizeof found);
    return found;
}

double cube_up_to_one(double x) { return std::min(1.0, x * x * x); }

// Far from zero, from what the reference itself loses there.
Epsilon widened(Epsilon epsilon, double own) {
    if (!epsilon.far) return epsilon;
    const auto [distance, rounding, serial, slabs, exact] = *epsilon.far;
    if (exact) own = std::max(slab_loss * epsilon.element, far_loss * rounding);  // all that is allowed to any
    const double loss = own / epsilon.element, times = std::clamp(far_growth * loss, 1.0, far_factor * distance);
    const double in_series =
        slabs ? serial * cube_up_to_one(loss / slab_loss) : serial * cube_up_to_one(own / rounding / far_loss);
    if (slabs) epsilon.mean = std::max(slab_least * epsilon.mean, in_series);
    else epsilon.mean = times * epsilon.mean + rounding + in_series;
    epsilon.element = times * epsilon.element + rounding + (slabs ? 0 : in_series);
    return epsilon;
}

// Factors that are rounded err where large terms cancel, as the reference does by its own roundoff.
Epsilon widened_narrow(Epsilon epsilon, double own, const ErrorSums& sums) {
    const auto times = [&](double lost) { return std::clamp(epsilon.narrow * lost / sums.roundoff, 1.0, narrow_most); };
    epsilon.mean *= times(own);
    epsilon.element *= times(std::max(own, sums.worst / worst_beside_usual));
    return epsilon;
}

double mean_of(const Epsilon& epsilon, double compared, bool many) {
    if (epsilon.few > 0 && compared < many_rows) return std::max(epsilon.few, epsilon.mean);
    return many || epsilon.few > 0 ? epsilon.mean : epsilon.element / 2;
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
        const double terms = sum_terms(task, shape).value_or(unknown_terms), root = std::sqrt(terms);
        const bool slabs = variant == Variant::slabs, far = variant == Variant::far || slabs;
        const double u = c.epsilon * factor;
        if (!c.summed) {
            Epsilon epsilon = u;
            if (name == "tf32") return epsilon;
            epsilon.few = u;
            if (variant == Variant::far || variant == Variant::outliers) epsilon.narrow = narrow_growth / root;
            epsilon.explains = variant != Variant::far;
            return epsilon;
        }
        const double beside_outliers =
            variant == Variant::outliers && roundings > usual_roundings ? outliers_factor : 1;
        const double element = u * (beside_outliers * roundings + roundings_a_root * root);
        Epsilon epsilon(element, element / 2);
        const double further = mean_roundings_a_rounding * (roundings - usual_roundings);
        const double mean = u * (mean_roundings + further + mean_roundings_a_root * root);
        const double distance = far_distance(task, shape), rounding = distance * u;
        if (far)
            epsilon.far = {distance, rounding, serial_roundings * rounding * root,
                           slabs && roundings <= usual_roundings, name == "f64"};
        const bool usual = variant == Variant::declared || variant == Variant::centred;
        if (usual || (slabs && roundings <= usual_roundings)) epsilon.mean = mean;
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

bool has_many(const std::vector<std::int64_t>& shape) {
    const auto end = shape.size() > 1 ? shape.end() - 1 : shape.end();
    return std::accumulate(shape.begin(), end, std::int64_t{1}, std::multiplies<>()) >= many_rows;
}

bool is_lone(const TensorSpec& output) { return output.elements() < lone_elements; }

Bounds allow(const ErrorSums& sums, const Epsilon& usual, double least, bool many) {
    const double own = std::sqrt(sums.relative / sums.compared);
    const Epsilon epsilon = usual.narrow > 0 ? widened_narrow(usual, own, sums) : widened(usual, own);
    const double further = sums.worst > 0 ? epsilon.inexact : 0,
                 mean = mean_of(epsilon, sums.compared, many) + further / 2;
    Bounds bounds;
    bounds.each = {element_factor * (sums.worst + epsilon.element + further), least, 0};
    bounds.mean = rms_factor * own + mean;
    if (epsilon.far || !epsilon.explains || sums.compared < 2) return bounds;
    const double varies = unexplained * sums.deviation, lost = rms_factor * std::sqrt(sums.squares / sums.compared);
    if (lost < varies) bounds.variation = varies + least;
    else if (epsilon.few > 0 && lost > 0 && sums.compared >= many_rows) bounds.variation = lost + least;
    return bounds;
}

bool is_within(const Bounds& bounds, const hone_errors& errors) {
    if (errors.unwritten) return false;
    for (const std::uint64_t fault : errors.faults)
        if (fault) return false;
    if (bounds.each.exact || !errors.compared) return true;
    const auto n = static_cast<double>(errors.compared);
    return std::sqrt(errors.relative / n) <= bounds.mean && std::sqrt(errors.squares / n) <= bounds.variation;
}

// From 2^53 on neighbours are one number in float64: a wrong answer would pass. (-2^63 is what infinities and NaN
// become, where they are inputs.)
void require_whole(Memory& memory, const Truth& truth, double squares) {
    constexpr double largest = 0x1p53, of_no_number = -0x1p63;
    if (squares < largest * largest) return;  // nearly always; no element is larger
    const std::vector<double> values = fetch(memory, truth).values;
    if (std::any_of(values.begin(), values.end(),
                    [](double x) { return std::fabs(x) >= largest && x != of_no_number; }))
        throw Error(Blame::input, "output \"" + truth.spec.name + "\"",
                    "its definition gives whole numbers beyond 2^53, which float64 cannot tell from their neighbours",
                    "declare outputs of smaller numbers");
}

void complete(Memory& memory, Truth& truth, const hone_tensor& eager, const Epsilon& epsilon, double input_rms,
              std::uint64_t tally) {
    const std::vector<std::int64_t>& shape = truth.spec.shape;
    memory.moments(eager, truth.values, tally);
    const auto moments = read_one<hone_moments>(memory, tally);
    truth.compared = moments.compared;
    if (!is_float(truth.spec.dtype)) {
        truth.bounds.each = {0, 0, 1};
        return require_whole(memory, truth, moments.squares);
    }
    const auto compared = static_cast<double>(std::max<std::uint64_t>(1, moments.compared));
    truth.rms = std::sqrt(moments.squares / compared);
    const auto row = static_cast<std::uint64_t>(shape.size() > 1 ? shape.back() : HONE_NEAR);
    truth.usual = std::max(truth.usual, usual_size(memory, truth));
    memory.local_scale(truth.values, elements(truth), row, truth.usual, roundoff(truth.spec.dtype), truth.local_scale);
    if (is_lone(truth.spec)) widen_lone(memory, truth, input_rms);
    const double least = least_error(truth.spec.dtype);
    truth.bounds.each = {std::numeric_limits<double>::infinity(), least, 0};
    memory.compare(eager, truth.comparison(), tally);
    const auto errors = read_one<hone_errors>(memory, tally);
    const double deviation =
        std::sqrt(std::max(0.0, moments.squares - moments.sum * moments.sum / compared) / compared);
    truth.bounds =
        allow({compared, errors.squares, errors.relative, errors.worst, deviation, roundoff(truth.spec.dtype)}, epsilon,
              least, has_many(shape));
}

FetchedTruth fetch(Memory& memory, const Truth& truth) {
    FetchedTruth fetched{truth.spec, std::vector<double>(elements(truth)), {}, truth.bounds, truth.rms};
    memory.read(truth.values, fetched.values.data(), fetched.values.size() * sizeof(double));
    if (truth.bounds.each.exact) return fetched;
    fetched.local_scale.resize((elements(truth) + HONE_NEAR - 1) / HONE_NEAR);
    memory.read(truth.local_scale, fetched.local_scale.data(), fetched.local_scale.size() * sizeof(double));
    return fetched;
}

double FetchedTruth::scale_of(std::size_t i) const {
    return std::fabs(values[i]) + local_scale[i / HONE_NEAR] + HONE_NO_SCALE;
}

hone_look FetchedTruth::look_at(std::size_t i, double got) const {
    return hone_look_at(values[i], got, local_scale.empty() ? 0 : local_scale[i / HONE_NEAR], bounds.each);
}

hone_comparison FetchedTruth::comparison() const {
    return {reinterpret_cast<std::uint64_t>(values.data()), reinterpret_cast<std::uint64_t>(local_scale.data()),
            bounds.each, 0, 0};
}

}  // namespace hone
