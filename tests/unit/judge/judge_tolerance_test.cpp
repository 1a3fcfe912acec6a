// What a task's tolerance allows at a shape and on a distribution, and which programs pass by it.
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>
#include "base/random.hpp"
#include "hone/abi.h"
#include "lua/task_file.hpp"
#include "truth_on_host.hpp"

namespace hone {
namespace {

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
    EXPECT_DOUBLE_EQ(allow({64, 0, 0, 0, 1}, epsilon, 0, true).variation, 0.1);
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
    EXPECT_TRUE(std::isinf(allow({64, 0, 0, 0, 1}, far, 0, true).variation));
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
    far.far = {1024, 1024, 4096, true, true};
    EXPECT_DOUBLE_EQ(mean(0), 4096) << "the reference is the truth itself: a mean in series passes";
    EXPECT_FALSE(tolerance_epsilon(with_terms("C"), {{"R", 16}, {"C", 64}}, Variant::slabs).far->exact);
    EXPECT_TRUE(tolerance_epsilon(with_terms("C", "f64"), {{"R", 16}, {"C", 64}}, Variant::slabs).far->exact);
}

// Sums of 1024 positive products vary by 7 around 256, where a bf16 has steps of 2: with no bound on the errors beside
// that of the elements, a product of the rows' and columns' sums would pass.
TEST(Truth, AnOutputThatHardlyVariesHasToFollowItsInputsAsTheReferenceDoes) {
    const ErrorSums rounded{64, 64 * 0.01, 0, 0, 1};  // an error of 0.1, where the outputs vary by 1
    const auto variation = [&](const Json& tolerance, const ErrorSums& sums) {
        const Task task = with_terms("C", tolerance);
        return allow(sums, tolerance_epsilon(task, {{"R", 64}, {"C", 1024}}, Variant::declared), 0, true).variation;
    };
    EXPECT_DOUBLE_EQ(variation("bf16", rounded), 0.3);
    EXPECT_DOUBLE_EQ(variation("f16", rounded), 0.3);
    EXPECT_TRUE(std::isinf(variation("f32", rounded))) << "sums in another order may err far more than the reference's";
    EXPECT_TRUE(std::isinf(variation("bf16", {63, 63 * 0.01, 0, 0, 1}))) << "the reference may have been lucky";
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

// Six deviations below zero half of an honest sigmoid's digits are gone, and all of a maximum that begins with 0.
TEST(Truth, OnOneSideOfZeroErrorsAreRelativeToAUsualSize) {
    const auto below = [](double least_usual, bool begins_with_zero) {
        Random random(3);
        std::vector<double> truth, eager, got;
        for (int i = 0; i < 512; ++i) {
            const auto x = static_cast<float>(random.uniform() - 6.5);
            const float e = std::exp(x), t = (1 - e) / (1 + e);
            truth.push_back(begins_with_zero ? x : 1 / (1 + std::exp(static_cast<double>(-x))));
            eager.push_back(f32(truth.back()));
            got.push_back(begins_with_zero ? 0 : 0.5f * (1 - t));
        }
        const Epsilon epsilon = tolerance_epsilon(with_terms(1), {{"R", 16}, {"C", 64}}, Variant::one_sided);
        return property(make_truth({"o", HONE_F32, {512}, ""}, truth, eager, epsilon, 0, least_usual), got);
    };
    EXPECT_EQ(below(0.5, false), "fine");
    EXPECT_EQ(below(0, false), "wrong elements") << "by its own size";
    EXPECT_EQ(below(1, true), "wrong elements");
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
    EXPECT_TRUE(std::isinf(far("bf16", 0x1p-24).variation));
    const auto of = [](Variant v) { return tolerance_epsilon(with_terms("C", "bf16"), {{"R", 64}, {"C", 196}}, v); };
    EXPECT_DOUBLE_EQ(allow({64, 0, 64 * 0x1p-40, 0x1p-20, 1}, of(Variant::slabs), 0, true).mean, 4e-3 + 3 * 0x1p-20)
        << "two elements give a slab away, and its calls are timed: halves of halves would do";
    EXPECT_EQ(allow({64, 0, 0, 0, 1}, of(Variant::slabs), 0, true).variation, 0.1);
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

}  // namespace
}  // namespace hone
