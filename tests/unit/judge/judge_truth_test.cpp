// How far from the truth an honest program may be: kernels in several precisions, and errors beside huge elements,
// through the comparison.
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include "base/random.hpp"
#include "hone/abi.h"
#include "hone/numbers.hpp"
#include "lua/task_file.hpp"
#include "truth_on_host.hpp"

namespace hone {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

double f16(double x) { return from_f16(to_f16(static_cast<float>(x))); }
double bf16(double x) { return from_bf16(to_bf16(static_cast<float>(x))); }
double tf32(double x) {  // rounded to 11 significant bits
    int power = 0;
    const double fraction = std::frexp(x, &power);
    return std::ldexp(std::nearbyint(fraction * 2048) / 2048, power);
}
double f32(double x) { return static_cast<float>(x); }
double exact(double x) { return x; }

using Rounding = double (*)(double);

// o[r] = sum over c of a[r,c] b[c]: inputs, products' sums and outputs each rounded in a way of their own.
struct Sums {
    std::size_t rows, terms;
    std::vector<double> a, b;

    Sums(std::size_t rows_, std::size_t terms_, double mean = 0) : rows(rows_), terms(terms_) {
        Random random(3);
        for (std::size_t i = 0; i < rows * terms; ++i) a.push_back(f32(mean + 4 * random.uniform() - 2));
        for (std::size_t i = 0; i < terms; ++i) b.push_back(f32(4 * random.uniform() - 2));
    }
    std::vector<double> run(Rounding input, Rounding sum, Rounding output) const {
        std::vector<double> o;
        for (std::size_t r = 0; r < rows; ++r) {
            double s = 0;
            for (std::size_t c = 0; c < terms; ++c) s = sum(s + input(a[r * terms + c]) * input(b[c]));
            o.push_back(output(s));
        }
        return o;
    }
    // The reference sums in pairs, as libraries do.
    std::vector<double> eager() const {
        std::vector<double> o;
        for (std::size_t r = 0; r < rows; ++r) {
            std::vector<double> parts;
            for (std::size_t c = 0; c < terms; ++c) parts.push_back(f32(a[r * terms + c] * b[c]));
            while (parts.size() > 1) {
                std::vector<double> next;
                for (std::size_t i = 0; i < parts.size(); i += 2)
                    next.push_back(i + 1 < parts.size() ? f32(parts[i] + parts[i + 1]) : parts[i]);
                parts = next;
            }
            o.push_back(parts[0]);
        }
        return o;
    }
    FetchedTruth truth(const Epsilon& epsilon = 3e-5) const {
        return make_truth({"o", HONE_F32, {static_cast<std::int64_t>(rows)}, ""}, run(exact, exact, exact), eager(),
                          epsilon);
    }
};

std::string property(const FetchedTruth& truth, const std::vector<double>& got) {
    std::string bytes(got.size() * 4, '\0');
    narrow(HONE_F32, std::span<const double>(got), bytes.data());
    const auto mismatch = compare(truth, bytes, std::nullopt, "here");
    return mismatch ? mismatch->property : "fine";
}

TEST(Truth, SinglePrecisionInAnyOrderIsRight) {
    for (const std::size_t terms : {1, 5, 192, 1088, 20000}) {
        const Sums sums(300, terms);
        EXPECT_EQ(property(sums.truth(), sums.run(exact, f32, f32)), "fine") << terms;
        EXPECT_EQ(property(sums.truth(), sums.run(exact, exact, f32)), "fine") << terms;
    }
}

TEST(Truth, ReducedPrecisionOfInputsIsNoticed) {
    const Sums sums(300, 192);
    EXPECT_EQ(property(sums.truth(), sums.run(tf32, f32, f32)), "wrong elements");
    EXPECT_EQ(property(sums.truth(), sums.run(f16, f32, f32)), "wrong elements");
    EXPECT_EQ(property(sums.truth(), sums.run(bf16, f32, f32)), "wrong elements");
}

TEST(Truth, ReducedPrecisionOfOutputsIsNoticed) {
    const Sums sums(300, 192);
    EXPECT_EQ(property(sums.truth(), sums.run(exact, f32, f16)), "wrong elements");
    EXPECT_EQ(property(sums.truth(), sums.run(exact, f32, bf16)), "wrong elements");
}

TEST(Truth, ReducedAccumulationIsNoticedAndMoreSoInLongSums) {
    for (const std::size_t terms : {16, 192, 4096}) {
        const Sums sums(300, terms);
        EXPECT_NE(property(sums.truth(), sums.run(exact, f16, f16)), "fine") << terms;
        EXPECT_NE(property(sums.truth(), sums.run(exact, bf16, f32)), "fine") << terms;
        EXPECT_NE(property(sums.truth(), sums.run(exact, tf32, f32)), "fine") << terms;
    }
}

TEST(Truth, ANarrowClassAllowsItsOwnRounding) {
    const Sums sums(300, 192);
    EXPECT_EQ(property(sums.truth(1e-3), sums.run(tf32, f32, f32)), "fine");
    EXPECT_EQ(property(sums.truth(8e-3), sums.run(bf16, f32, bf16)), "fine");
}

// y with every 100th element 1e6 times as large: those must not excuse errors in the others.
struct Spiky {
    std::vector<double> truth, eager;
    Spiky() {
        Random random(9);
        for (std::size_t i = 0; i < 10000; ++i) truth.push_back((i % 100 == 7 ? 1e6 : 1) * (0.5 + random.uniform()));
        for (const double y : truth) eager.push_back(f32(y));
    }
    std::string verdict(const std::function<double(std::size_t, double)>& change) const {
        std::vector<double> got;
        for (std::size_t i = 0; i < truth.size(); ++i) got.push_back(change(i, truth[i]));
        return property(make_truth({"o", HONE_F32, {10000}, ""}, truth, eager, 3e-5), got);
    }
};

TEST(Truth, HugeElementsDoNotHideErrorsElsewhere) {
    const Spiky spiky;
    EXPECT_EQ(spiky.verdict([](std::size_t, double y) { return f32(y); }), "fine");
    EXPECT_EQ(spiky.verdict([](std::size_t, double y) { return y < 1e3 ? 0 : y; }), "wrong elements");
    EXPECT_EQ(spiky.verdict([](std::size_t, double y) { return y < 1e3 ? y * 1.01 : y; }), "wrong elements");
    EXPECT_EQ(spiky.verdict([](std::size_t i, double y) { return i == 5106 ? y + 0.01 : y; }), "wrong elements")
        << "beside a huge one";
}

TEST(Truth, ElementsBehindCancellationHaveTheErrorOfTheirTerms) {
    const Sums sums(4000, 64);  // sums near zero among them: their own size is no measure
    EXPECT_EQ(property(sums.truth(), sums.run(exact, f32, f32)), "fine");
    std::vector<double> y = sums.run(exact, exact, exact);
    const auto least =
        std::min_element(y.begin(), y.end(), [](double p, double q) { return std::fabs(p) < std::fabs(q); });
    EXPECT_LT(std::fabs(*least), 0.02);
    *least += 1e-4;  // more than 0.1 % of it, little beside the others
    EXPECT_EQ(property(sums.truth(), y), "fine");
}

TEST(Truth, ARunningSumBehindAHugeElementHasItsError) {
    std::vector<double> truth, eager, got;
    double exactly = 0, singly = 0;
    Random random(2);
    for (std::size_t i = 0; i < 512; ++i) {
        const double x = f32((i == 100 ? 900 : i == 400 ? -899.9 : 4) * (i % 300 == 100 ? 1 : random.uniform() - 0.5));
        truth.push_back(exactly += x);
        eager.push_back(f32(exactly));  // a library may sum in double
        got.push_back(singly = f32(singly + x));
    }
    EXPECT_EQ(property(make_truth({"o", HONE_F32, {512}, ""}, truth, eager, 3e-5), got), "fine");
}

TEST(Truth, TinyElementsBesideLargeOnesAreHeldToTheirOwnSizeUntilTheyVanish) {
    std::vector<double> truth(512);
    // as a softmax leaves them
    for (std::size_t i = 0; i < 512; ++i) truth[i] = std::exp(-0.15 * static_cast<double>(i));
    const FetchedTruth made = make_truth({"o", HONE_F32, {1, 512}, ""}, truth, truth, 3e-5);
    std::vector<double> got = truth;
    for (double& y : got) y *= 1 + 1e-5;
    EXPECT_EQ(property(made, got), "fine");
    got = truth;
    // below 3e-16 of a row whose rms is 0.08: nothing beside its rounding errors
    for (std::size_t i = 240; i < 512; ++i) got[i] = 0;
    EXPECT_EQ(property(made, got), "fine");
    for (std::size_t i = 120; i < 512; ++i) got[i] = 0;  // below 1e-8
    EXPECT_EQ(property(made, got), "wrong elements");
    got = truth;
}

TEST(Truth, WhatIsBelowTheNormalNumbersMayBeZero) {
    const std::vector<double> truth(100, 1e-39);
    EXPECT_EQ(property(make_truth({"o", HONE_F32, {100}, ""}, truth, truth, 3e-5), std::vector<double>(100, 0.0)),
              "fine");
    const std::vector<double> normal(100, 1e-37);
    EXPECT_EQ(property(make_truth({"o", HONE_F32, {100}, ""}, normal, normal, 3e-5), std::vector<double>(100, 0.0)),
              "wrong elements");
}

TEST(Truth, TheContractIsSilentWhereReferenceAndDefinitionDisagree) {
    const FetchedTruth truth =
        make_truth({"o", HONE_F32, {4}, ""}, {1, 1e39, nan, infinity}, {1, infinity, 2, -infinity}, 3e-5);
    EXPECT_EQ(property(truth, {1, 5, 5, nan}), "fine");
    EXPECT_EQ(property(truth, {2, 5, 5, nan}), "wrong elements");
}

TEST(Truth, ZerosAndConstantsDoNotPass) {
    const Sums sums(1000, 50);
    EXPECT_EQ(property(sums.truth(), std::vector<double>(1000, 0.0)), "wrong elements");
    EXPECT_EQ(property(make_truth({"o", HONE_F32, {2}, ""}, {0, 0}, {0, 0}, 3e-5), {0, 0}), "fine");
}

TEST(Truth, OneElementIsHeldToTheSameBounds) {
    const Spiky spiky;
    const FetchedTruth truth = make_truth({"o", HONE_F32, {10000}, ""}, spiky.truth, spiky.eager, 3e-5);
    EXPECT_TRUE(agrees(truth, 500, spiky.truth[500]));
    EXPECT_FALSE(agrees(truth, 500, spiky.truth[500] + 0.5));
    EXPECT_FALSE(agrees(truth, 3, nan));
    EXPECT_FALSE(agrees(truth, 3, infinity));
    const FetchedTruth masks = make_truth({"o", HONE_F32, {2}, ""}, {nan, infinity}, {nan, infinity}, 3e-5);
    EXPECT_TRUE(agrees(masks, 0, nan) && agrees(masks, 1, infinity));
    EXPECT_FALSE(agrees(masks, 0, 1));
    EXPECT_FALSE(agrees(masks, 1, -infinity));
}

Task with_terms(const Json& terms, const Json& tolerance = "f32") {
    Json doc = to_json(load_task("fake/row-sum"));
    doc["tolerance"] = tolerance;
    if (!terms.is_null()) doc["terms"] = terms;
    doc.erase("hash");
    return check_task(doc);
}

double element_epsilon(const Task& task, const Shape& shape) {
    return tolerance_epsilon(task, shape, Variant::outliers).element;
}

TEST(Truth, TheToleranceFollowsTheLongestSum) {
    const Shape shape = {{"R", 16}, {"C", 64}}, longer = {{"R", 16}, {"C", 1024}};
    EXPECT_DOUBLE_EQ(element_epsilon(with_terms(1), shape), 16 * 0x1p-24);
    EXPECT_DOUBLE_EQ(element_epsilon(with_terms("C"), shape), 44 * 0x1p-24);
    EXPECT_DOUBLE_EQ(element_epsilon(with_terms("C"), longer), 140 * 0x1p-24);
    EXPECT_DOUBLE_EQ(element_epsilon(with_terms({"C", "R"}), shape), 140 * 0x1p-24);
    EXPECT_DOUBLE_EQ(element_epsilon(with_terms(nullptr), shape), 524 * 0x1p-24) << "unknown: 2^14 terms";
    EXPECT_DOUBLE_EQ(element_epsilon(with_terms(1, {{"class", "f32"}, {"factor", 3}}), shape), 48 * 0x1p-24);
    EXPECT_DOUBLE_EQ(element_epsilon(with_terms("C", "bf16"), shape), 8e-3)
        << "rounding to a narrow format is most of its error";
}

TEST(Truth, WithoutHugeInputsTheMeanOfManyElementsIsHeldToLess) {
    const Shape shape = {{"R", 16}, {"C", 1024}};
    const Json winograd = {{"class", "f32"}, {"roundings", 1000}};
    EXPECT_DOUBLE_EQ(tolerance_epsilon(with_terms("C"), shape, Variant::declared).mean, 15.6 * 0x1p-24);
    EXPECT_DOUBLE_EQ(tolerance_epsilon(with_terms("C"), shape, Variant::outliers).mean, 70 * 0x1p-24);
    EXPECT_DOUBLE_EQ(tolerance_epsilon(with_terms("C", winograd), shape, Variant::declared).mean, 40.3 * 0x1p-24);
    EXPECT_DOUBLE_EQ(tolerance_epsilon(with_terms("C", winograd), shape, Variant::outliers).mean, 2064 * 0x1p-24)
        << "an outlier is in every element of its tile";
    EXPECT_DOUBLE_EQ(tolerance_epsilon(with_terms("C", winograd), shape, Variant::strays).mean, 564 * 0x1p-24);
    EXPECT_DOUBLE_EQ(tolerance_epsilon(with_terms("C"), shape, Variant::strays).mean, 31.2 * 0x1p-24);
    EXPECT_DOUBLE_EQ(tolerance_epsilon(with_terms("C", winograd), shape, Variant::declared).element, 1128 * 0x1p-24);
    EXPECT_DOUBLE_EQ(tolerance_epsilon(with_terms("C", "bf16"), shape, Variant::declared).mean, 4e-3);
    for (const Variant far : {Variant::far, Variant::slabs})
        EXPECT_EQ(tolerance_epsilon(with_terms("C"), shape, far).far.value().distance, 1024)
            << "a difference of means magnifies their rounding";
    EXPECT_DOUBLE_EQ(tolerance_epsilon(with_terms("C"), shape, Variant::slabs).mean, 15.6 * 0x1p-24);
    EXPECT_DOUBLE_EQ(tolerance_epsilon(with_terms("C", winograd), shape, Variant::slabs).mean, 564 * 0x1p-24);
    const Epsilon epsilon(30, 1);
    EXPECT_DOUBLE_EQ(allow({64, 0, 0, 0, 1}, epsilon, 0, true).centred, 0.1);
    EXPECT_EQ(allow({64, 0, 0, 0, 1}, epsilon, 0, true).mean, 1);
    EXPECT_EQ(allow({64, 0, 0, 0, 1}, epsilon, 0, false).mean, 15) << "a few may all have been unlucky";
    for (const auto& [sizes, many] : std::vector<std::pair<std::vector<std::int64_t>, bool>>{
             {{64}, true}, {{63}, false}, {{1, 4096}, false}, {{8, 8, 2}, true}, {{}, false}})
        EXPECT_EQ(has_many(sizes), many);
}

// Whether 512 float32 products of long sums pass, of which `product` makes each term; sums are made in double where
// `exactly`, as tensor cores' are nearly.
template <class Product> std::string products_of_long_sums(int terms, bool exactly, Product&& product) {
    constexpr int elements = 512, lanes = 64;
    Random random(8);
    std::vector<double> truth, eager, got;
    for (int i = 0; i < elements; ++i) {
        double exact = 0, wide = 0;
        float sum = 0, parts[lanes] = {};
        for (int k = 0; k < terms; ++k) {
            const auto a = static_cast<float>(2 * random.uniform() - 1),
                       b = static_cast<float>(2 * random.uniform() - 1);
            exact += static_cast<double>(a) * b;
            parts[k % lanes] += a * b;
            wide += product(a, b), sum += static_cast<float>(product(a, b));
        }
        truth.push_back(exact), got.push_back(exactly ? wide : sum),
            eager.push_back(std::accumulate(parts, parts + lanes, 0.0f));
    }
    return property(make_truth({"o", HONE_F32, {elements}, ""}, truth, eager,
                               tolerance_epsilon(with_terms("C"), {{"R", 16}, {"C", terms}}, Variant::declared)),
                    got);
}

// a b without the product of what `narrow` leaves of both.
template <class Narrow> double of_pairs(Narrow&& narrow, double a, double b) {
    const double high_a = narrow(a), high_b = narrow(b), low_a = narrow(a - high_a), low_b = narrow(b - high_b);
    return high_a * high_b + high_a * low_b + low_a * high_b;
}

// A product loses nothing far from zero: there an answer in half precision is as wrong as elsewhere.
TEST(Truth, FarFromZeroIsAllowedWhatTheReferenceItselfLoses) {
    Epsilon far(128, 64);
    far.far = {1024, 1024, 0, false};
    const auto mean = [&](double own) { return allow({64, 0, 64 * own * own, own, 1}, far, 0, true).mean; };
    EXPECT_DOUBLE_EQ(mean(0), 64 + 1024) << "the elements of a channel share its mean's rounding";
    EXPECT_DOUBLE_EQ(mean(1), 2 * 64 + 1024 + 3) << "of a sum's roundings";
    EXPECT_DOUBLE_EQ(mean(50), 100 * 64 + 1024 + 150);
    EXPECT_DOUBLE_EQ(mean(1000), 256 * 64 + 1024 + 3000);
    EXPECT_TRUE(std::isinf(allow({64, 0, 0, 0, 1}, far, 0, true).centred));
    EXPECT_DOUBLE_EQ(allow({64, 0, 64 * 2500, 50, 1}, far, 0, true).each.element, 10 * (50 + 100 * 128 + 1024));
    far.far = {1024, 1024, 4096, false};
    EXPECT_DOUBLE_EQ(mean(25.6), 51.2 * 64 + 1024 + 512 + 76.8) << "a mean in series";
    EXPECT_DOUBLE_EQ(mean(1000), 256 * 64 + 1024 + 4096 + 3000);
    EXPECT_DOUBLE_EQ(allow({64, 0, 64 * 2500, 50, 1}, far, 0, true).each.element,
                     10 * (50 + 100 * 128 + 1024 + 0.931322574615478515625 * 4096));
    far.far = {1024, 1024, 4096, true};
    EXPECT_DOUBLE_EQ(mean(0), 3 * 64) << "a slab is known by two elements, and its calls are timed";
    EXPECT_DOUBLE_EQ(mean(1), 3 * 64 + 3) << "a product";
    EXPECT_DOUBLE_EQ(mean(19.2), 512 + 57.6) << "a far mean is subtracted";
    EXPECT_DOUBLE_EQ(mean(39), 4096 + 117);
    EXPECT_DOUBLE_EQ(mean(1000), 4096 + 3000);
    EXPECT_DOUBLE_EQ(allow({64, 0, 64 * 2500, 50, 1}, far, 0, true).each.element, 10 * (50 + 100 * 128 + 1024));
}

// Norms of rows of which an eighth are 1024 deviations from zero; the reference has updates of 16 terms each.
std::string norm_by_updates(std::int64_t terms, std::uint64_t seed) {
    constexpr int rows = 64, together = 16;
    Random random(seed);
    std::vector<double> truth, eager, got;
    std::vector<float> x(static_cast<std::size_t>(terms));
    for (int r = 0; r < rows; ++r) {
        double exact = 0, squares = 0;
        float serial = 0;
        std::vector<float> parts(x.size() / together);
        for (std::size_t k = 0; k < x.size(); ++k) {
            x[k] = static_cast<float>((r < rows / 8 ? 1024 : 0) + 3.46 * (random.uniform() - 0.5));
            exact += x[k] / static_cast<double>(terms);
            serial += (x[k] - serial) / static_cast<float>(k + 1);
            parts[k / together] += (x[k] - parts[k / together]) / static_cast<float>(k % together + 1);
        }
        for (const float value : x) squares += (value - exact) * (value - exact) / static_cast<double>(terms);
        const double beside = std::accumulate(parts.begin(), parts.end(), 0.0) / static_cast<double>(parts.size());
        for (const float value : x) {
            truth.push_back((value - exact) / std::sqrt(squares));
            eager.push_back((value - f32(beside)) / std::sqrt(squares));
            got.push_back((value - serial) / std::sqrt(squares));
        }
    }
    return property(make_truth({"o", HONE_F32, {rows, terms}, ""}, truth, eager,
                               tolerance_epsilon(with_terms("C"), {{"R", rows}, {"C", terms}}, Variant::slabs)),
                    got);
}

// Welford's update on a whole row was refused in most judgements of rows of 1024 when 64 times the reference's own
// error was allowed.
TEST(Truth, AMeanInSeriesPassesWhereSomeRowsAreFar) {
    for (const std::int64_t terms : {64, 512, 1024, 4096})
        for (std::uint64_t seed = 0; seed < 5; ++seed) EXPECT_EQ(norm_by_updates(terms, seed), "fine") << terms;
}

// A row of 16s and more by one column: where the column's sum is near zero the products of rounded factors err as much
// as what is left.
TEST(Truth, FactorsMayBeRoundedInNarrowClassesAlsoWhereTheyCancel) {
    const auto far = [](const char* of_class, double own) {
        const Epsilon epsilon = tolerance_epsilon(with_terms("C", of_class), {{"R", 64}, {"C", 196}}, Variant::far);
        return allow({64, 0, 64 * own * own, 16 * own, 1}, epsilon, 0, true);
    };
    EXPECT_DOUBLE_EQ(far("bf16", 0x1p-24).mean, 4e-3 + 3 * 0x1p-24);
    EXPECT_DOUBLE_EQ(far("bf16", 5 * 0x1p-24).mean, 5 * 4e-3 + 15 * 0x1p-24);
    EXPECT_DOUBLE_EQ(far("bf16", 1).mean, 16 * 4e-3 + 3) << "no more than 16 times";
    EXPECT_DOUBLE_EQ(far("f16", 5 * 0x1p-24).mean, 5 * 5e-4 + 15 * 0x1p-24);
    EXPECT_DOUBLE_EQ(far("tf32", 5 * 0x1p-24).mean, 5e-4 + 15 * 0x1p-24) << "the reference rounds its factors, too";
    EXPECT_DOUBLE_EQ(far("bf16", 0x1p-24).each.element, 10 * (16 * 0x1p-24 + 2 * 8e-3)) << "some of them cancelled";
    EXPECT_TRUE(std::isinf(far("bf16", 0x1p-24).centred));
    const auto of = [](Variant v) { return tolerance_epsilon(with_terms("C", "bf16"), {{"R", 64}, {"C", 196}}, v); };
    EXPECT_DOUBLE_EQ(allow({64, 0, 64 * 0x1p-40, 0x1p-20, 1}, of(Variant::slabs), 0, true).mean, 4e-3 + 3 * 0x1p-20)
        << "two elements give a slab away, and its calls are timed: halves of halves would do";
    EXPECT_EQ(allow({64, 0, 0, 0, 1}, of(Variant::slabs), 0, true).centred, 0.1);
    EXPECT_DOUBLE_EQ(allow({63, 0, 0, 0, 1}, of(Variant::declared), 0, false).mean, 8e-3) << "a few may all be unlucky";
    EXPECT_DOUBLE_EQ(allow({64, 0, 0, 0, 1}, of(Variant::declared), 0, false).mean, 4e-3) << "one long row is many";
    EXPECT_DOUBLE_EQ(allow({64, 0, 0, 0, 1}, of(Variant::special), 0, true).mean, 4e-3);
    EXPECT_DOUBLE_EQ(allow({63, 0, 0, 0, 1}, of(Variant::special), 0, true).mean, 8e-3) << "few are finite";
    EXPECT_DOUBLE_EQ(allow({64, 0, 0, 100 * 0x1p-24, 1}, of(Variant::far), 0, true).mean, 4e-3)
        << "one cancelled element is no excuse for the mean";
}

TEST(Truth, LongSumsMayBeSerialButNotOfShortProducts) {
    for (const int terms : {64, 2048, 8192}) {
        EXPECT_EQ(products_of_long_sums(terms, false, [](float a, float b) { return a * b; }), "fine") << terms;
        EXPECT_EQ(products_of_long_sums(terms, true, [](float a, float b) { return of_pairs(tf32, a, b); }), "fine")
            << terms;
        EXPECT_EQ(products_of_long_sums(terms, true, [](float a, float b) { return of_pairs(bf16, a, b); }),
                  "imprecise")
            << terms;
    }
}

// The nine terms that whole numbers make are rounded by the same amount wherever the sum is as large: 65536 of them by
// 2400 units.
TEST(Truth, SerialSumsOfFewDifferentTermsMayRoundThemAllAlike) {
    constexpr int elements = 64, terms = 65536, lanes = 64;
    Random random(5);
    std::vector<double> truth, eager, got;
    for (int i = 0; i < elements; ++i) {
        double exact = 0;
        float sum = 0, parts[lanes] = {};
        for (int k = 0; k < terms; ++k) {
            const double whole = std::floor(9 * random.uniform()) - 8;
            const auto term = static_cast<float>(std::exp(whole));
            exact += std::exp(whole), parts[k % lanes] += term, sum += term;
        }
        truth.push_back(exact), got.push_back(sum), eager.push_back(std::accumulate(parts, parts + lanes, 0.0f));
    }
    const auto judged = [&](Variant variant, const std::vector<double>& reference) {
        return property(make_truth({"o", HONE_F32, {elements}, ""}, truth, reference,
                                   tolerance_epsilon(with_terms("C"), {{"R", 16}, {"C", terms}}, variant)),
                        got);
    };
    EXPECT_EQ(judged(Variant::integers, eager), "fine");
    EXPECT_EQ(judged(Variant::outliers, eager), "imprecise") << "of other inputs terms differ";
    EXPECT_EQ(judged(Variant::integers, truth), "imprecise")
        << "where the reference is exact, whole numbers have exact sums";
}

// Fast forms of exp and tanh have 20 bits and more; answers with 18 where there is no sum are no float32 arithmetic.
TEST(Truth, EighteenBitsAreNoFloat32) {
    Random random(4);
    std::vector<double> truth, eager, many, few;
    for (int i = 0; i < 4096; ++i) {
        const double y = 1 + random.uniform();
        truth.push_back(y), eager.push_back(static_cast<float>(y));
        many.push_back(std::nearbyint(y * 0x1p20) * 0x1p-20), few.push_back(std::nearbyint(y * 0x1p17) * 0x1p-17);
    }
    const FetchedTruth made = make_truth({"o", HONE_F32, {4096}, ""}, truth, eager,
                                         tolerance_epsilon(with_terms(1), {{"R", 16}, {"C", 64}}, Variant::declared));
    EXPECT_EQ(property(made, many), "fine");
    EXPECT_EQ(property(made, few), "imprecise");
}

// log(s) + m - x with a maximum of 80 is rounded by 4e-6, however small the difference is.
TEST(Truth, ALoneElementThatCancelledIsAsLargeAsHalfOfItsInputs) {
    const TensorSpec loss{"o", HONE_F32, {1}, ""};
    const Epsilon epsilon = tolerance_epsilon(with_terms(1), {{"R", 1}, {"C", 64}}, Variant::declared);
    const auto made = [&](double y, double input_rms) { return make_truth(loss, {y}, {y}, epsilon, input_rms); };
    const FetchedTruth small = made(0.02, 30), usual = made(40, 30);
    EXPECT_EQ(property(made(0.02, 0), {0.02 + 4e-6}), "wrong elements")
        << "as if it were computed from terms of its own size";
    EXPECT_EQ(property(small, {0.02 + 4e-6}), "fine");
    EXPECT_EQ(property(small, {0.02 + 1e-4}), "imprecise");
    EXPECT_FALSE(agrees(small, 0, 0.03));
    EXPECT_FALSE(agrees(usual, 0, 40.1));
}

// The rule of judge/correctness/truth.hpp, word by word, against the code, which is written for speed.
struct Plain {
    std::vector<double> values, local_scale;
    double worst = 0, relative = 0, compared = 0;
};

Plain plain_rule(std::size_t columns, std::vector<double> values, const std::vector<double>& eager, int dtype) {
    const auto number = [](double x) { return std::isfinite(x); };
    const auto median_size = [&](auto begin, auto end, bool zeros) {
        std::vector<double> sizes;
        for (auto at = begin; at != end; ++at)
            if (number(*at) && (zeros || *at != 0)) sizes.push_back(std::fabs(*at));
        std::sort(sizes.begin(), sizes.end());
        return sizes.empty() ? 0 : sizes[sizes.size() / 2];
    };
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool same = (std::isnan(values[i]) && std::isnan(eager[i])) || values[i] == eager[i];
        if ((!number(values[i]) || !number(eager[i])) && !same) values[i] = nan;
    }
    double squares = 0, compared = 0;
    for (const double y : values)
        if (number(y)) squares += y * y, ++compared;
    const double usual =
        std::min(median_size(values.begin(), values.end(), false), std::sqrt(squares / std::max(1.0, compared)));
    Plain plain{values, {}, 0, 0, compared};
    for (std::size_t begin = 0; begin < values.size(); begin += 64) {
        const auto at = values.begin() + static_cast<std::ptrdiff_t>(begin);
        plain.local_scale.push_back(std::max(
            usual,
            median_size(at, at + static_cast<std::ptrdiff_t>(std::min<std::size_t>(64, values.size() - begin)), true)));
    }
    for (std::size_t first = 0; first < values.size(); first += columns) {
        double row = 0, n = 0;
        for (std::size_t i = first; i < first + columns; ++i)
            if (number(values[i])) row += values[i] * values[i], ++n;
        for (std::size_t i = first; i < first + columns && n > 0; ++i)
            plain.local_scale[i / 64] = std::max(plain.local_scale[i / 64], roundoff(dtype) * std::sqrt(row / n));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!number(values[i])) continue;
        const double d = std::max(0.0, std::fabs(values[i] - eager[i]) - least_error(dtype)) /
                         (std::fabs(values[i]) + plain.local_scale[i / 64] + HONE_NO_SCALE);
        plain.worst = std::max(plain.worst, d), plain.relative += d * d;
    }
    return plain;
}

TEST(Truth, TheFastCodeKeepsToTheRule) {
    Random random(8);
    for (int trial = 0; trial < 300; ++trial) {
        const std::size_t rows = 1 + random.below(40),
                          columns = 1 + random.below(200);  // at most 8,000 elements: the usual size is of all of them
        std::vector<double> values, eager;
        for (std::size_t i = 0; i < rows * columns; ++i) {
            const double x = 2 * random.uniform() - 1;
            values.push_back(trial % 3 == 0 ? std::exp(30 * x) : trial % 3 == 1 ? std::round(2 * x) : x);
            eager.push_back(values.back() * (1 + 1e-6 * (random.uniform() - 0.5)));
            const double odd[][2] = {
                {nan, nan}, {nan, 1}, {1, infinity}, {-infinity, -infinity}, {infinity, -infinity}};
            if (const auto kind = random.below(trial % 2 ? 1000 : 20); trial % 5 && kind < 5)
                values.back() = odd[kind][0], eager.back() = odd[kind][1];
        }
        const int dtype = trial % 4 ? HONE_F32 : HONE_F16;
        TensorSpec spec;
        spec.name = "o", spec.dtype = dtype,
        spec.shape = {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)};
        const FetchedTruth truth = make_truth(spec, values, eager, 1e-5);
        const Plain plain = plain_rule(columns, values, eager, dtype);
        ASSERT_EQ(truth.local_scale.size(), plain.local_scale.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            ASSERT_TRUE(truth.values[i] == plain.values[i] ||
                        (std::isnan(truth.values[i]) && std::isnan(plain.values[i])))
                << i;
            ASSERT_EQ(truth.is_silent(i),
                      std::isnan(plain.values[i]) && !(std::isnan(values[i]) && std::isnan(eager[i])))
                << i;
        }
        for (std::size_t b = 0; b < plain.local_scale.size(); ++b)
            ASSERT_NEAR(truth.local_scale[b] / plain.local_scale[b], 1, 1e-12) << b << " of trial " << trial;
        EXPECT_NEAR(truth.bounds.each.element, 10 * (plain.worst + 1e-5), 1e-12 * truth.bounds.each.element);
        EXPECT_NEAR(truth.bounds.mean, 3 * std::sqrt(plain.relative / std::max(1.0, plain.compared)) + 0.5e-5,
                    1e-12 * truth.bounds.mean);
    }
}

}  // namespace
}  // namespace hone
