// What a candidate is fed, in every distribution.
#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include "base/random.hpp"
#include "hone/abi.h"
#include "judge/call/prepared_task.hpp"
#include "judge/correctness/inputs.hpp"
#include "judge/correctness/numbers.hpp"
#include "lua/task_file.hpp"

namespace hone {
namespace {

// A task with one input.
Task one_input(const std::string& law, std::int64_t n, const std::string& dtype = "f32",
               const Json& special = Json::object(), bool strict = false) {
    Json doc = to_json(load_task("fake/square"));
    doc["inputs"] =
        Json::array({{{"name", "a"}, {"shape", {"N"}}, {"law", law}, {"dtype", dtype}, {"strict", strict}}});
    doc["shape"] = {{"N", n}};
    if (!special.empty()) doc["special"] = special;
    doc.erase("hash");
    return check_task(doc);
}

std::vector<double> values(const Task& task, Variant variant, std::uint64_t key = 42) {
    const std::vector<TensorSpec> specs = tensors(task, "inputs", timed_shape(task));
    const std::string bytes = input_bytes(specs[0], make_inputs(task, specs, key, variant).at(0), key, 0);
    return widened(specs[0].dtype, bytes.data(), static_cast<std::size_t>(specs[0].elements()));
}

bool patched(const Task& task, Variant variant) {
    return !make_inputs(task, tensors(task, "inputs", timed_shape(task)), 1, variant).at(0).patches.empty();
}

TEST(Inputs, AsDeclaredTheyAreTheBoundarysFunction) {
    const Task task = one_input("normal(2,1)", 7);
    const std::vector<double> found = values(task, Variant::declared);
    for (std::uint64_t i = 0; i < 7; ++i) EXPECT_EQ(found[i], hone_input(42, 0, i, 7, {HONE_LAW_NORMAL, 2, 1}, 0));
    EXPECT_FALSE(patched(task, Variant::declared));
}

// Else a program that rounds them to float32 is right.
TEST(Inputs, ThoseOfF64HaveBitsBelowAFloats) {
    for (const char* law : {"normal(2,1)", "uniform(0.5,0.5)"}) {
        const std::vector<double> found = values(one_input(law, 1001, "f64"), Variant::declared);
        for (std::uint64_t i = 0; i < 1001; ++i) {
            EXPECT_EQ(found[i], hone_input_f64(42, 0, i, 1001, parse_law(law)));
            const float nearest = hone_input(42, 0, i, 1001, parse_law(law), 0);
            EXPECT_NE(found[i], nearest);
            EXPECT_NEAR(found[i], nearest, std::fabs(nearest) * 0x1p-24);
        }
    }
    for (const double whole : values(one_input("normal(1)", 99, "f64"), Variant::integers))
        EXPECT_EQ(whole, std::round(whole));
}

TEST(Inputs, WiderIsTenTimesAsWideAndShifted) {
    const Task task = one_input("normal(3)", 9);
    const std::vector<double> found = values(task, Variant::wider);
    for (std::uint64_t i = 0; i < 9; ++i) EXPECT_EQ(found[i], hone_input(42, 0, i, 9, {HONE_LAW_NORMAL, 30, 3}, 0));
    EXPECT_FALSE(patched(task, Variant::wider));
}

TEST(Inputs, LargerIsBeyondTheRangeOfSixteenBits) {
    const Task task = one_input("normal(3,-20)", 9);
    const std::vector<double> declared = values(task, Variant::declared), larger = values(task, Variant::larger);
    for (std::uint64_t i = 0; i < 9; ++i) EXPECT_NEAR(larger[i], 0x1p24 * declared[i], std::fabs(larger[i]) * 1e-6);
    const std::vector<Variant> of_half = variants(one_input("normal(3)", 9, "f16"));
    EXPECT_EQ(std::find(of_half.begin(), of_half.end(), Variant::larger), of_half.end());
}

TEST(Inputs, ALawWithAShiftSaysWhereValuesLieNotThatNoOthersExist) {
    const Task task = one_input("normal(3,-20)", 9);
    const std::vector<double> wider = values(task, Variant::wider), whole = values(task, Variant::integers);
    for (std::uint64_t i = 0; i < 9; ++i) {
        EXPECT_EQ(wider[i], hone_input(42, 0, i, 9, {HONE_LAW_NORMAL, 30, -17}, 0));
        EXPECT_EQ(whole[i], hone_input(42, 0, i, 9, {HONE_LAW_INTEGER, 1, -2000}, 0));
    }
    EXPECT_EQ(variants(task).size(), 6u);
}

TEST(Inputs, StrictInputsAndIndicesKeepToTheirLawInEveryVariant) {
    const Task strict = one_input("uniform(1,2)", 5000, "f32", Json::object(), true),
               index = one_input("index(16)", 5000, "i64");
    for (const Variant variant : {Variant::wider, Variant::integers, Variant::outliers, Variant::special}) {
        EXPECT_EQ(values(strict, variant), values(strict, Variant::declared)) << variant_name(variant);
        EXPECT_EQ(values(index, variant), values(index, Variant::declared)) << variant_name(variant);
        EXPECT_FALSE(patched(strict, variant)) << variant_name(variant);
    }
    EXPECT_EQ(variants(strict), std::vector<Variant>{Variant::declared});
}

// A sum in 16 bits is right on usual numbers of an index law, and overflows where all are its last.
TEST(Inputs, WholeNumbersAloneAreAlsoAskedAtTheEndOfTheirLaw) {
    const auto whole = [](const char* law, bool strict, const char* output) {
        Task task = one_input(law, 500, "i32", Json::object(), strict);
        task.outputs[0].dtype = output;
        return task;
    };
    const std::vector<Variant> both = {Variant::declared, Variant::furthest};
    EXPECT_EQ(variants(whole("index(16)", false, "i32")), both);
    for (const Task& other :
         {whole("index(16)", true, "i32"), whole("index(1)", false, "i32"), whole("index(16)", false, "f32")})
        EXPECT_EQ(variants(other), std::vector<Variant>{Variant::declared});
    const auto met = [&](const char* law) {
        const std::vector<double> found = values(whole(law, false, "i32"), Variant::furthest);
        return std::set<double>(found.begin(), found.end());
    };
    EXPECT_EQ(met("index(16)"), (std::set<double>{14, 15}));
    EXPECT_EQ(met("index(16,-9)"), (std::set<double>{-9, -8}));
}

// An answer to the same inputs as before is stale whatever the number of distributions.
TEST(Inputs, StrictInputsAndIndicesAreTouchedWithinTheirLaw) {
    for (const char* law : {"uniform(1,2)", "normal(0.1,3)", "integer(2,9)", "index(16)", "index(2)", "index(5,-2)"}) {
        const bool whole = law[1] == 'n' && law[2] == 'd';
        const Task task = one_input(law, 500, whole ? "i64" : "f32", Json::object(), !whole);
        const hone_law parsed = parse_law(law);
        const double reach = whole                             ? parsed.scale - 1
                             : parsed.kind == HONE_LAW_NORMAL  ? 3.5 * parsed.scale
                             : parsed.kind == HONE_LAW_UNIFORM ? parsed.scale
                                                               : 4 * parsed.scale;
        EXPECT_TRUE(can_touch(task)) << law;
        for (std::uint64_t key = 0; key < 20; ++key) {
            const std::vector<double> plain = values(task, Variant::declared, key),
                                      touched = values(task, Variant::touched, key);
            std::size_t changed = 0;
            for (std::size_t i = 0; i < plain.size(); ++i) {
                changed += plain[i] != touched[i];
                EXPECT_LE(std::fabs(touched[i] - parsed.shift), reach * 1.0001) << law;
                EXPECT_TRUE(!whole || touched[i] >= parsed.shift) << law;
            }
            EXPECT_EQ(changed, 1u) << law;
        }
    }
    EXPECT_FALSE(can_touch(one_input("index(1)", 5, "i64"))) << "there is one value only";
}

// What a program gets by value is what the task says in every distribution, and another number in every call.
TEST(Inputs, AScalarKeepsToItsLawAndAValueIsItself) {
    Json doc = to_json(load_task("fake/square"));
    doc["inputs"].push_back({{"name", "s"}, {"scalar", true}, {"law", "uniform(0.5,1)"}});
    doc["inputs"].push_back({{"name", "n"}, {"scalar", true}, {"law", "value(7)"}, {"dtype", "i32"}});
    doc.erase("hash");
    const Task task = check_task(doc);
    const std::vector<TensorSpec> specs = tensors(task, "inputs", timed_shape(task));
    const auto number = [&](std::size_t which, Variant variant, std::uint64_t key) {
        const auto tensor = static_cast<std::uint32_t>(which);
        const std::string bytes =
            input_bytes(specs[which], make_inputs(task, specs, key, variant).at(which), key, tensor);
        return widened(specs[which].dtype, bytes.data(), 1).at(0);
    };
    for (const Variant variant : variants(task))
        for (std::uint64_t key = 0; key < 20; ++key) {
            EXPECT_EQ(number(1, variant, key), number(1, Variant::declared, key)) << variant_name(variant);
            EXPECT_GE(number(1, variant, key), 0.5);
            EXPECT_LT(number(1, variant, key), 1.5);
            EXPECT_NE(number(1, variant, key), number(1, variant, key + 1));
        }
    int touched = 0;
    for (std::uint64_t key = 0; key < 40; ++key) {
        EXPECT_EQ(number(2, Variant::touched, key), 7);
        touched += number(1, Variant::touched, key) != number(1, Variant::declared, key);
    }
    EXPECT_GT(touched, 5) << "an answer that ignores another scalar is stale";
}

TEST(Inputs, OutliersAreFewHugeAndAtBothEnds) {
    const Task task = one_input("normal", 10001);
    const std::vector<double> plain = values(task, Variant::declared), found = values(task, Variant::outliers);
    std::size_t count = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        if (found[i] == plain[i]) continue;
        EXPECT_EQ(found[i], 128 * plain[i]) << i;
        ++count;
    }
    EXPECT_EQ(found.front(), 128 * plain.front());
    EXPECT_EQ(found.back(), 128 * plain.back());
    EXPECT_GT(count, 4u);
    EXPECT_LT(count, 40u);
    EXPECT_FALSE(patched(task, Variant::outliers));
}

TEST(Inputs, SpecialValuesAreAllThere) {
    const std::vector<double> found = values(one_input("normal", 4096), Variant::special);
    const auto count = [&](auto&& is) { return std::count_if(found.begin(), found.end(), is); };
    EXPECT_EQ(count([](double x) { return std::isnan(x); }), 1);
    EXPECT_EQ(count([](double x) { return std::isinf(x) && x > 0; }), 1);
    EXPECT_EQ(count([](double x) { return std::isinf(x) && x < 0; }), 1);
    EXPECT_GT(count([](double x) { return x == 0 && std::signbit(x); }), 50);
    EXPECT_GT(count([](double x) { return x == 0 && !std::signbit(x); }), 50);
    EXPECT_GT(count([](double x) { return x != 0 && std::fabs(x) < 0x1p-126; }), 150);
    EXPECT_EQ(std::memcmp(found.data(), values(one_input("normal", 4096), Variant::special).data(),
                          found.size() * sizeof(double)),
              0);
}

// Where a program handles the rest of its vectors.
TEST(Inputs, SpecialValuesComeToBothEnds) {
    int first = 0, last = 0;
    for (std::uint64_t key = 0; key < 64; ++key) {
        const std::vector<double> found = values(one_input("normal", 4096), Variant::special, key);
        const auto odd = [](double x) { return !std::isfinite(x); };
        first += std::any_of(found.begin(), found.begin() + 8, odd);
        last += std::any_of(found.end() - 8, found.end(), odd);
    }
    EXPECT_GT(first, 8);
    EXPECT_GT(last, 8);
}

TEST(Inputs, ASmallTensorHasNoNaNAndNoInfinity) {
    for (double x : values(one_input("normal", 2047), Variant::special)) EXPECT_TRUE(std::isfinite(x));
}

TEST(Inputs, NarrowFormatsHaveDenormalsOfTheirOwn) {
    for (const auto& [dtype, normal] : {std::pair{"f16", 0x1p-14}, std::pair{"bf16", 0x1p-126}}) {
        const std::vector<double> found = values(one_input("normal", 2000, dtype), Variant::special);
        EXPECT_GT(
            std::count_if(found.begin(), found.end(), [n = normal](double x) { return x != 0 && std::fabs(x) < n; }),
            80)
            << dtype;
    }
}

TEST(Inputs, ATaskMayLeaveOutSpecialValues) {
    const Task task = one_input("normal", 4096, "f32", {{"without", {"nan", "inf"}}, {"because", "of a test"}});
    for (double x : values(task, Variant::special)) EXPECT_TRUE(std::isfinite(x));
    const Task none =
        one_input("normal", 9, "f32", {{"without", {"nan", "inf", "zero", "denormal"}}, {"because", "of a test"}});
    EXPECT_EQ(variants(none), (std::vector<Variant>{Variant::declared, Variant::wider, Variant::larger,
                                                    Variant::outliers, Variant::integers, Variant::one_sided}));
}

// A maximum that begins with 0 is right wherever one value of a row is above it.
TEST(Inputs, LawsAroundZeroLieOnOneSideOfItWhereATaskTellsOfNoSums) {
    Task task = one_input("normal(3)", 4096);
    task.larger = false;
    std::set<bool> above;
    for (std::uint64_t key = 0; key < 20; ++key) {
        const std::vector<double> found = values(task, Variant::one_sided, key),
                                  plain = values(task, Variant::declared, key);
        above.insert(found[0] > 0);
        for (std::size_t i = 0; i < found.size(); ++i) {
            ASSERT_EQ(found[i] > 0, found[0] > 0);
            ASSERT_NEAR(std::fabs(found[i] - plain[i]), 18, 1e-5);
        }
    }
    EXPECT_EQ(above, (std::set<bool>{false, true}));
    const auto has_it = [](const Task& of) { return std::ranges::count(variants(of), Variant::one_sided); };
    EXPECT_EQ(has_it(task), 1);
    EXPECT_EQ(has_it(one_input("normal(3,-20)", 9)), 0) << "the law says on which side";
    Json sums = to_json(task);
    sums.erase("hash");
    sums["terms"] = "N";
    EXPECT_EQ(has_it(check_task(sums)), 0) << "`far` is";
}

// A maximum that begins with -1e7, or a minimum with 1e7, is right on no key.
TEST(Inputs, HugeOnesLieOnBothSidesOfZeroWhereATaskTellsOfNoSums) {
    const Task task = one_input("normal(3)", 4096);
    for (std::uint64_t key = 0; key < 20; ++key) {
        for (const double x : values(task, Variant::one_sided, key)) ASSERT_LT(x, -1e7);
        for (const double x : values(task, Variant::larger, key)) ASSERT_GT(x, 1e7);
    }
    const std::vector<TensorSpec> specs = tensors(task, "inputs", timed_shape(task));
    EXPECT_EQ(make_inputs(task, specs, 1, Variant::one_sided, Shape{{"N", 8}}).at(0).law.scale, 3) << "hidden shapes";
    const Task half = one_input("normal(3)", 4096, "f16");
    EXPECT_LT(std::fabs(values(half, Variant::one_sided)[0]), 40);
}

TEST(Inputs, StraysGrowWithTheRootOfATensor) {
    const auto largest = [](std::int64_t n, const char* dtype) {
        double most = 0;
        for (std::uint64_t key = 0; key < 20; ++key)
            for (const double x : values(one_input("normal", n, dtype), Variant::strays, key))
                most = std::max(most, std::fabs(x));
        return most;
    };
    EXPECT_EQ(largest(4096, "f32"), 128);
    EXPECT_EQ(largest(65536, "f32"), 128);
    EXPECT_EQ(largest(262144, "f32"), 256);
    EXPECT_EQ(largest(262144, "f16"), 128) << "squares would overflow";
}

TEST(Inputs, LawsOnOneSideOfZeroAreCentredWhereATaskTellsOfSums) {
    const auto with = [](const char* law, bool sums) {
        Json doc = to_json(one_input(law, 4096));
        doc.erase("hash");
        if (sums) doc["terms"] = "N";
        return check_task(doc);
    };
    EXPECT_FALSE(can_be_centred(with("uniform(0.5,0.5)", false)));
    EXPECT_FALSE(can_be_centred(with("uniform(1,0.5)", true)));
    EXPECT_FALSE(can_be_centred(with("normal", true)));
    const Task task = with("uniform(0.5,0.5)", true);
    ASSERT_TRUE(can_be_centred(task));
    const std::vector<double> plain = values(task, Variant::declared), found = values(task, Variant::centred);
    for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_NEAR(found[i], plain[i] - 0.5, 1e-6);
    const std::vector<Variant> timed =
        timed_variants(task, Settings::from_json(check_options(judge_options(), Json::object(), "test")));
    EXPECT_EQ(std::count(timed.begin(), timed.end(), Variant::centred), 1);
}

// A sample and four rows of [5, 6, 7].
TEST(Inputs, SlabsLieFarFromZeroWhereATaskTellsOfSums) {
    Json doc = to_json(one_input("normal(2,1)", 7));
    doc["inputs"][0]["shape"] = {5, 6, "N"};
    doc.erase("hash");
    EXPECT_FALSE(can_have_slabs(check_task(doc)));
    doc["terms"] = "N";
    EXPECT_TRUE(can_have_slabs(check_task(doc)));
    const Task task = check_task(doc);
    std::set<std::size_t> firsts;
    for (std::uint64_t key = 0; key < 50; ++key) {
        const std::vector<double> plain = values(task, Variant::declared, key),
                                  found = values(task, Variant::slabs, key);
        std::vector<std::size_t> far;
        for (std::size_t i = 0; i < found.size(); ++i)
            if (std::fabs(std::fabs(found[i] - 1) - 1024 * 2) < 8) far.push_back(i);
        EXPECT_GE(far.size(), 42u);
        EXPECT_LE(far.size(), 42u + 28);
        for (std::size_t i = 0; i < found.size(); ++i)
            EXPECT_TRUE(found[i] == plain[i] || std::find(far.begin(), far.end(), i) != far.end());
        firsts.insert(far.front() / 42);
        EXPECT_EQ(found, values(task, Variant::slabs, key));
    }
    EXPECT_EQ(firsts.size(), 5u) << "anywhere";
}

// Rows of zeros or of numbers 2^30 times as small, among the special values.
TEST(Inputs, SomeRowsAreNothingOrNearlySo) {
    Json doc = to_json(one_input("normal", 64));
    doc["inputs"][0]["shape"] = {16, "N"};
    doc.erase("hash");
    const auto faint_rows = [&](std::uint64_t key) {
        const std::vector<double> found = values(check_task(doc), Variant::special, key);
        int rows = 0;
        for (std::size_t row = 0; row < 16; ++row)
            rows += std::all_of(found.begin() + row * 64, found.begin() + (row + 1) * 64,
                                [](double value) { return std::fabs(value) < 1e-8; });
        return rows;
    };
    EXPECT_EQ(faint_rows(1), 0) << "no sums: no row is of more interest than its elements";
    doc["terms"] = "N";
    for (std::uint64_t key = 0; key < 20; ++key) EXPECT_EQ(faint_rows(key), 2) << key;
    doc["integers"] = false;
    EXPECT_EQ(faint_rows(1), 0) << "equal numbers have no place of their maximum";
}

// Two slabs of one tensor are no copies of each other.
TEST(Inputs, EachSlabHasValuesOfItsOwn) {
    Json doc = to_json(one_input("normal", 64));
    doc["inputs"][0]["shape"] = {16, 16, "N"};
    doc["terms"] = "N";
    doc.erase("hash");
    const Task task = check_task(doc);
    const std::vector<Input> inputs = make_inputs(task, tensors(task, "inputs", timed_shape(task)), 3, Variant::slabs);
    ASSERT_EQ(inputs[0].slabs.size(), 2u);
    EXPECT_NE(inputs[0].slabs[0].number, inputs[0].slabs[1].number);
    for (const Input::Slab& slab : inputs[0].slabs) EXPECT_EQ(slab.count, 16u * 16 * 64 / 8);
}

// From 2^24 on a float32 sum loses what varies.
TEST(Inputs, LongSumsAndNarrowFormatsLieNearer) {
    Json doc = to_json(one_input("normal", 64));
    const auto distance = [&](const Json& terms, const char* of_class) {
        doc["terms"] = terms;
        doc["tolerance"] = {{"class", of_class}};
        doc.erase("hash");
        const Task task = check_task(doc);
        return far_distance(task, timed_shape(task));
    };
    EXPECT_EQ(distance(64, "f32"), 1024);
    EXPECT_EQ(distance(4096, "f32"), 1024);
    EXPECT_EQ(distance(16384, "f32"), 256);
    EXPECT_EQ(distance(1 << 20, "f32"), 16);
    EXPECT_EQ(distance(64, "tf32"), 16);
    EXPECT_EQ(distance("N", "f32"), 1024);
    EXPECT_EQ(far_distance(check_task(doc), {{"N", 16384}}), 256) << "a drawn shape may have longer sums";
}

TEST(Inputs, TimedSetsAreDrawnFromAllDistributionsAndOneIsOfTheLast) {
    Random random(5, "turns");
    std::map<Variant, int> drawn;
    std::array<int, sets_in_turn> last{};
    const std::vector<Variant> all = {Variant::declared, Variant::strays, Variant::slabs};
    for (int i = 0; i < 3000; ++i) {
        const auto turn = draw_variants(all, random.bits());
        EXPECT_NE(std::find(turn.begin(), turn.end(), Variant::slabs), turn.end());
        for (std::size_t place = 0; place < turn.size(); ++place)
            ++drawn[turn[place]], last[place] += turn[place] == Variant::slabs;
    }
    EXPECT_GT(drawn[Variant::declared], 3000);
    EXPECT_GT(drawn[Variant::strays], 3000);
    for (const int often : last) EXPECT_NEAR(often, last[0], 200) << "nobody knows where";
    EXPECT_EQ(draw_variants({Variant::declared}, 7), (std::array<Variant, sets_in_turn>{}));
}

TEST(Inputs, TouchedDiffersInOneElementOfOneInput) {
    const Task task = load_task("fake/axpy");
    const std::vector<TensorSpec> specs = tensors(task, "inputs", timed_shape(task));
    std::size_t first = 0;
    for (std::uint64_t key = 0; key < 20; ++key) {
        const std::vector<Input> plain = make_inputs(task, specs, key, Variant::declared),
                                 touched = make_inputs(task, specs, key, Variant::touched);
        std::size_t changed = 0;
        for (std::size_t t = 0; t < specs.size(); ++t) {
            std::size_t here = 0;
            const auto number = static_cast<std::uint32_t>(t);
            const std::string before = input_bytes(specs[t], plain[t], key, number),
                              after = input_bytes(specs[t], touched[t], key, number);
            for (std::size_t i = 0; i < before.size(); i += 4) here += before.compare(i, 4, after, i, 4) != 0;
            EXPECT_EQ(touched[t].patches.size(), here);
            changed += here;
            if (t == 0) first += here;
        }
        EXPECT_EQ(changed, 1u);
    }
    EXPECT_GT(first, 2u);
    EXPECT_LT(first, 18u);
}

TEST(Inputs, ATaskMayDeclineWholeNumbersAndFarLargerInputs) {
    Task task = load_task("fake/axpy");
    EXPECT_EQ(variants(task).size(), 7u);
    task.integers = false;
    EXPECT_EQ(variants(task), (std::vector<Variant>{Variant::declared, Variant::wider, Variant::larger,
                                                    Variant::outliers, Variant::special, Variant::one_sided}));
    task.larger = false;
    EXPECT_EQ(variants(task), (std::vector<Variant>{Variant::declared, Variant::wider, Variant::outliers,
                                                    Variant::special, Variant::one_sided}));
}

}  // namespace
}  // namespace hone
