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
