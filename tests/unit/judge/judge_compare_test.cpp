// What the comparison says: error texts to the letter. judge/judge_truth_test.cpp has the rules.
#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include "base/random.hpp"
#include "hone/abi.h"
#include "hone/numbers.hpp"
#include "truth_on_host.hpp"

namespace hone {
namespace {

constexpr double epsilon = 3e-5, nan = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();
constexpr const char* where = "at the timed shape, inputs as declared";
const std::string at_where = " (at the timed shape, inputs as declared)";

struct Case {
    std::vector<double> truth, eager;
    std::vector<std::int64_t> shape;

    explicit Case(std::vector<std::int64_t> dimensions, double mean = 0) : shape(std::move(dimensions)) {
        Random random(5);
        std::int64_t n = 1;
        for (const std::int64_t extent : shape) n *= extent;
        for (std::int64_t i = 0; i < n; ++i) truth.push_back(mean + 2 * random.uniform() - 1);
        for (double y : truth) eager.push_back(static_cast<float>(y));
    }
    FetchedTruth made() const { return make_truth({"o", HONE_F32, shape, ""}, truth, eager, epsilon); }
    // "property: reason"
    std::string says(const std::vector<double>& got, bool open = false) const {
        std::string bytes(got.size() * 4, '\0');
        narrow(HONE_F32, std::span<const double>(got), bytes.data());
        const auto mismatch = compare(made(), bytes, std::nullopt, where, open);
        return mismatch ? mismatch->property + ": " + mismatch->reason : "fine";
    }
};

// One wrong byte of 256 looks like what was there before.
TEST(Compare, WrongBytesAreNotCalledUnwritten) {
    std::vector<double> values(4096);
    std::string got;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 256);
    for (const double value : values) got += static_cast<char>(static_cast<unsigned char>(value) + 1);
    const FetchedTruth truth = make_truth({"o", HONE_U8, {4096}, ""}, values, values, epsilon);
    const auto property = [&](const std::string& bytes) { return compare(truth, bytes, 0x41414141u, where)->property; };
    EXPECT_EQ(property(got), "wrong elements");
    EXPECT_EQ(property(std::string(4096, 'A')), "unwritten");
}

TEST(Compare, TheReferencesOwnErrorIsAllowed) {
    const Case c({1000});
    EXPECT_EQ(c.says(c.eager), "fine");
}

// A program that was given secrets could tell them by its errors.
TEST(Compare, ErrorsOnSecretInputsAreNamedByClassesAlone) {
    const Case c({1000});
    const auto wrong = [](const char* share, const char* size) {
        return std::string("wrong elements: output \"o\" is wrong in ") + share +
               " of its elements: the largest error is " + size + " of its size" + at_where;
    };
    std::vector<double> got = c.truth;
    for (double& x : got) x *= 1.03;
    EXPECT_EQ(c.says(got), wrong("most", "1e-2 or more"));
    got = c.truth;
    got[17] += 1;
    EXPECT_EQ(c.says(got), wrong("some", "1e-2 or more"));
    got[17] = c.truth[17] + 0.002;
    EXPECT_EQ(c.says(got), wrong("some", "below 1e-2"));
    for (double& x : got) x = nan;
    EXPECT_EQ(c.says(got), "not finite: output \"o\" is NaN or infinite in all of its elements" + at_where);
}

TEST(Compare, OpenInputsShowTheFirstWrongElement) {
    Case c({10, 20});
    c.truth[77] = c.eager[77] = 0.3125;
    std::vector<double> got = c.truth;
    got[77] = 0.25;
    got[150] = 7;
    EXPECT_EQ(
        c.says(got, true),
        "wrong elements: output \"o\" is wrong in 1 % of its elements: the largest error is about 1e0 of its size; "
        "o[3,17] is 0.25, not 0.3125" +
            at_where);
    got = c.truth;
    got[77] = nan;
    EXPECT_EQ(
        c.says(got, true),
        "not finite: output \"o\" is NaN or infinite in less than 1 % of its elements; o[3,17] is nan, not 0.3125" +
            at_where);
}

TEST(Compare, NumbersThatLookAlikeGetMoreDigits) {
    Case c({});
    c.truth = c.eager = {1.0};
    EXPECT_EQ(c.says({1.001953125}, true),
              "wrong elements: output \"o\" is wrong in all of its elements: the largest error is about 1e-4 of its "
              "size; o is 1.00195, not 1" +
                  at_where);
    c.truth = c.eager = {1000000.25};
    EXPECT_NE(c.says({1001000.25}, true).find("; o is 1.001e+06, not 1e+06"), std::string::npos)
        << c.says({1001000.25}, true);
}

TEST(Compare, ErrorsThatLieTogetherAreSaidTo) {
    const Case c({32, 64});
    bool open = true;
    const auto wrong_where = [&](auto&& is_wrong) {
        std::vector<double> got = c.truth;
        for (std::size_t i = 0; i < got.size(); ++i)
            if (is_wrong(i / 64, i % 64)) got[i] += 3;
        const std::string says = c.says(got, open);
        const std::size_t begin = says.find("elements, "), end = says.find(": the largest");
        return begin == std::string::npos ? std::string() : says.substr(begin + 10, end - begin - 10);
    };
    EXPECT_EQ(wrong_where([](std::size_t, std::size_t j) { return j >= 60; }),
              "all near the end of the second dimension");
    EXPECT_EQ(wrong_where([](std::size_t i, std::size_t) { return i == 31; }),
              "all near the end of the first dimension");
    EXPECT_EQ(wrong_where([](std::size_t i, std::size_t j) { return i < 8 && j < 40; }),
              "all near the start of the first dimension");
    EXPECT_EQ(wrong_where([](std::size_t i, std::size_t j) { return i < 30 && j >= 16 && j < 32; }),
              "all in one part of the second dimension");
    EXPECT_EQ(wrong_where([](std::size_t i, std::size_t j) { return (i * 64 + j) % 97 == 0; }), "");
    EXPECT_EQ(wrong_where([](std::size_t i, std::size_t j) { return i == 31 && j > 60; }), "")
        << "three may lie together by chance";
    open = false;
    EXPECT_EQ(wrong_where([](std::size_t, std::size_t j) { return j >= 60; }),
              "all near the end of the second dimension");
    EXPECT_EQ(wrong_where([](std::size_t i, std::size_t j) { return i < 8 && j < 40; }), "")
        << "of secret inputs tails alone are told";
    const Case line({512});
    std::vector<double> got = line.truth;
    for (std::size_t i = 448; i < 512; ++i) got[i] = 5;
    EXPECT_EQ(line.says(got, true).find("wrong elements: output \"o\" is wrong in 12 % of its elements, all near the "
                                        "end of the output: the largest"),
              0u);
}

TEST(Compare, PoisonThatIsLeftIsNamed) {
    const Case c({8});
    const std::uint32_t word = poison_word(HONE_F32, 99);
    const std::string untouched = repeated(word, 32);
    std::string got(32, '\0');
    narrow(HONE_F32, std::span<const double>(c.truth), got.data());
    got.replace(4, 8, untouched, 4, 8);
    const auto mismatch = compare(c.made(), got, word, where, true);
    ASSERT_TRUE(mismatch);
    EXPECT_EQ(mismatch->property, "unwritten");
    EXPECT_EQ(mismatch->reason, "output \"o\" is not written in 25 % of its elements" + at_where);
    EXPECT_EQ(compare(c.made(), got, word, where)->reason,
              "output \"o\" is not written in some of its elements" + at_where);
}

TEST(Compare, NaNAndInfinitiesAreHeldToTheirMask) {
    Case c({4});
    std::vector<double> got = c.truth;
    got[2] = nan;
    EXPECT_EQ(c.says(got), "not finite: output \"o\" is NaN or infinite in some of its elements" + at_where);
    c.truth[2] = c.eager[2] = nan;
    EXPECT_EQ(c.says(got), "fine");
    got[2] = 0;
    EXPECT_EQ(c.says(got), "nan mask: output \"o\" is not NaN in some of its elements, which must be" + at_where);
    c.truth[2] = c.eager[2] = -infinity;
    EXPECT_EQ(c.says(got),
              "inf mask: output \"o\" is not the infinity that it must be in some of its elements" + at_where);
    got[2] = infinity;
    EXPECT_EQ(
        c.says(got, true),
        "inf mask: output \"o\" is not the infinity that it must be in 25 % of its elements; o[2] is inf, not -inf" +
            at_where);
    got[2] = -infinity;
    EXPECT_EQ(c.says(got), "fine");
}

TEST(Compare, WholeNumbersAreExact) {
    const TensorSpec spec{"n", HONE_I32, {3}, ""};
    const FetchedTruth truth = make_truth(spec, {1, 2, 3}, {1, 2, 3}, epsilon);
    std::string got(12, '\0');
    narrow(HONE_I32, std::span<const double>(std::vector<double>{1, 2, 4}), got.data());
    EXPECT_EQ(compare(truth, got, std::nullopt, where)->reason,
              "output \"n\" is wrong in some of its elements" + at_where);
    EXPECT_EQ(compare(truth, got, std::nullopt, where, true)->reason,
              "output \"n\" is wrong in 33 % of its elements; n[2] is 4, not 3" + at_where);
    narrow(HONE_I32, std::span<const double>(std::vector<double>{1, 2, 3}), got.data());
    EXPECT_FALSE(compare(truth, got, std::nullopt, where));
}

TEST(Compare, AverageErrorAndMissingVarianceHaveWordsOfTheirOwn) {
    Case c({1000}, 1e4);  // deviation far below the mean: every element is within 1e-4 of the constant
    const std::vector<double> constant(1000, 1e4);
    EXPECT_EQ(c.says(constant, true),
              "imprecise: output \"o\" is not precise enough: its error is about 1e-5 of its size" + at_where);
    EXPECT_EQ(c.says(constant), "imprecise: output \"o\" is not precise enough" + at_where);
    for (std::size_t i = 0; i < 1000; ++i) c.eager[i] = c.truth[i] = 1e4 + 0.3 * (c.truth[i] - 1e4);
    EXPECT_EQ(c.says(constant),
              "does not vary: output \"o\" does not follow its inputs: it explains less than 99 % of the variance" +
                  at_where);
}

// Neighbourhoods are looked at as vectors, and element by element only where something is wrong: each place must be
// seen, also in the last part.
TEST(Compare, AWrongElementIsSeenWhereverItLies) {
    const Case c({150});
    for (std::size_t i = 0; i < c.truth.size(); ++i)
        for (const double wrong : {c.truth[i] + 0.01, nan, infinity}) {
            std::vector<double> got = c.truth;
            got[i] = wrong;
            EXPECT_EQ(c.says(got).substr(0, 5), std::isfinite(wrong) ? "wrong" : "not f") << i;
        }
}

TEST(Compare, AnUnwrittenElementIsSeenWhereverItLies) {
    const Case c({150});
    const std::uint32_t word = poison_word(HONE_F32, 77);
    const std::string untouched = repeated(word, 600);
    for (std::size_t i = 0; i < c.truth.size(); ++i) {
        std::string bytes(600, '\0');
        narrow(HONE_F32, std::span<const double>(c.truth), bytes.data());
        EXPECT_FALSE(compare(c.made(), bytes, word, where));
        bytes.replace(4 * i, 4, untouched, 4 * i, 4);
        EXPECT_EQ(compare(c.made(), bytes, word, where)->property, "unwritten") << i;
    }
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
