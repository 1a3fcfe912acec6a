#include <gtest/gtest.h>
#include <cmath>
#include <cstring>
#include <limits>
#include "base/half.hpp"
#include "base/random.hpp"
#include "hone/abi.h"
#include "judge/compare.hpp"
#include "judge/numbers.hpp"

namespace hone {
namespace {

constexpr double epsilon = 3e-5;
constexpr const char* where = "at the timed shape, inputs as declared";

struct Case {
    std::vector<double> truth;
    std::vector<double> eager;

    explicit Case(std::size_t n, double mean = 0) {
        Random random(5);
        for (std::size_t i = 0; i < n; ++i) truth.push_back(mean + 2 * random.uniform() - 1);
        for (double y : truth) eager.push_back(static_cast<float>(y));
    }
    Truth made(int dtype = HONE_F32) const {
        return make_truth({"o", dtype, {static_cast<std::int64_t>(truth.size())}, ""}, truth, eager, epsilon);
    }
    std::string verdict(const std::vector<double>& got, const std::string& untouched = "") const {
        std::string bytes(got.size() * 4, '\0');
        narrow(HONE_F32, std::span<const double>(got), bytes.data());
        const auto mismatch = compare(made(), bytes, untouched, where);
        return mismatch ? mismatch->reason : "fine";
    }
};

TEST(Compare, TheReferencesOwnErrorIsAllowed) {
    const Case c(1000);
    EXPECT_EQ(c.verdict(c.eager), "fine");
}

TEST(Compare, AnErrorIsNamedByItsSizeNeverByValues) {
    const Case c(1000);
    std::vector<double> got = c.truth;
    for (double& x : got) x *= 1.05;
    EXPECT_EQ(c.verdict(got),
              "output \"o\" is wrong in more than 99 % of its elements: the largest error is about 1e-2 of its size (at the timed shape, "
              "inputs as declared)");
    got = c.truth;
    got[17] += 1;
    EXPECT_EQ(c.verdict(got),
              "output \"o\" is wrong in less than 1 % of its elements: the largest error is about 1e-1 of its size (at the timed shape, "
              "inputs as declared)");
}

TEST(Compare, ZerosDoNotPass) {
    const Case c(1000);
    EXPECT_NE(c.verdict(std::vector<double>(1000, 0.0)), "fine");
}

TEST(Compare, HalfPrecisionArithmeticIsNotSinglePrecision) {
    const Case c(1000);
    std::vector<double> got = c.truth;
    for (double& x : got) x = from_f16(to_f16(static_cast<float>(x)));
    EXPECT_NE(c.verdict(got), "fine");
}

TEST(Compare, AConstantDoesNotExplainANarrowSignal) {
    Case c(1000, 1e4);  // deviation far below the mean: every element is within 1e-4 of the constant
    EXPECT_EQ(c.verdict(std::vector<double>(1000, 1e4)),
              "output \"o\" is not precise enough: its error is about 1e-5 of its size (at the timed shape, inputs as declared)");
    for (double& y : c.truth) y = 1e4 + (y - 1e4) * 0.1;
    c.eager = c.truth;
    EXPECT_EQ(
        c.verdict(std::vector<double>(1000, 1e4)),
        "output \"o\" does not follow its inputs: it explains less than 99 % of the variance (at the timed shape, inputs as declared)");
}

TEST(Compare, PoisonThatIsLeftIsNamed) {
    const Case c(8);
    const std::string untouched = repeated(poison_word(HONE_F32, 99), 32);
    std::string got(32, '\0');
    narrow(HONE_F32, std::span<const double>(c.truth), got.data());
    got.replace(4, 8, untouched, 4, 8);
    const auto mismatch = compare(c.made(), got, untouched, where);
    ASSERT_TRUE(mismatch);
    EXPECT_EQ(mismatch->reason, "output \"o\" is not written in 25 % of its elements (at the timed shape, inputs as declared)");
}

TEST(Compare, NaNIsWrongWhereTheReferenceHasANumber) {
    Case c(4);
    std::vector<double> got = c.truth;
    got[2] = std::nan("");
    EXPECT_EQ(c.verdict(got), "output \"o\" is NaN or infinite in 25 % of its elements (at the timed shape, inputs as declared)");
    c.eager[2] = std::numeric_limits<double>::infinity();  // the reference itself overflows there
    EXPECT_EQ(c.verdict(got), "fine");
}

TEST(Compare, WholeNumbersAreExact) {
    const TensorSpec spec{"n", HONE_I32, {3}, ""};
    const Truth truth = make_truth(spec, {1, 2, 3}, {1, 2, 3}, epsilon);
    std::string got(12, '\0');
    narrow(HONE_I32, std::span<const double>(std::vector<double>{1, 2, 4}), got.data());
    EXPECT_EQ(compare(truth, got, "", where)->reason,
              "output \"n\" is wrong in 33 % of its elements (at the timed shape, inputs as declared)");
    narrow(HONE_I32, std::span<const double>(std::vector<double>{1, 2, 3}), got.data());
    EXPECT_FALSE(compare(truth, got, "", where));
}

TEST(Compare, SamplesAreHeldToTheSameBounds) {
    const Case c(1000);
    const Truth truth = c.made();
    EXPECT_TRUE(agrees_at(truth, {3, 500}, {c.truth[3], c.truth[500]}));
    EXPECT_FALSE(agrees_at(truth, {3, 500}, {c.truth[3], c.truth[500] + 0.01}));
    EXPECT_FALSE(agrees_at(truth, {3}, {std::nan("")}));
}

TEST(Numbers, HalfFormatsRoundToNearestEven) {
    for (const float x : {0.0f, 1.0f, -2.5f, 65504.0f, 6.1035156e-5f, 5.9604645e-8f}) EXPECT_EQ(from_f16(to_f16(x)), x);
    EXPECT_EQ(from_f16(to_f16(1.00048828125f)), 1.0f);  // a tie goes to the even neighbour
    EXPECT_TRUE(std::isinf(from_f16(to_f16(65520.0f))));
    EXPECT_EQ(from_bf16(to_bf16(3.140625f)), 3.140625f);
    EXPECT_TRUE(std::isnan(from_bf16(to_bf16(std::nanf("")))));
}

TEST(Numbers, PoisonIsNaNInEveryFloatFormat) {
    for (const int dtype : {HONE_F64, HONE_F32, HONE_F16, HONE_BF16}) {
        const std::string bytes = repeated(poison_word(dtype, 0x123456789), 16);
        for (double x : widened(dtype, bytes.data(), 16 / dtype_bytes(dtype))) EXPECT_TRUE(std::isnan(x)) << dtype;
    }
}

}  // namespace
}  // namespace hone
