// Sets of inputs with their truth in the memory of a device: the fake one, whose memory the test can read.
// tests/contract tries a device's own comparisons.
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include "judge/call/call_setup.hpp"
#include "judge/call/input_set.hpp"
#include "judge/call/prepared_task.hpp"
#include "lint/float64_answer.hpp"
#include "lua/task_file.hpp"
#include "truth_on_host.hpp"

namespace hone {
namespace {

struct Sample {
    Task task;
    Verifier verifier{make_recipe("verifier", "fake", Json::object(), "test")};
    Arena arena{verifier};
    hone_device device = verifier.device();
    Reference reference{make_recipe("reference", "lua", Json::object(), "test")};
    Layout layout{task, Shape(timed_shape(task)), 0};
    ReferenceProgram eager = reference.open(device, task, "eager"), float64 = reference.open(device, task, "float64");
    Epsilon epsilon = tolerance_epsilon(task, timed_shape(task), Variant::declared);

    explicit Sample(const std::string& name) : Sample(load_task(name)) {}
    explicit Sample(Task given) : task(std::move(given)) { arena.fit(layout.input_bytes(), layout.output_bytes()); }

    std::vector<Input> inputs(Variant variant) const { return make_inputs(task, layout.inputs(), 42, variant); }
    std::unique_ptr<InputSet> set(Variant variant) {
        return std::make_unique<InputSet>(SetName{42, 0, variant}, arena, layout, inputs(variant),
                                          Definition{eager, float64, epsilon, true});
    }
    // Of the same inputs, by the definition alone. After set(): the eager answer stands in the layout's outputs.
    FetchedTruth expected(Variant variant) {
        std::vector<std::string> bytes;
        const std::vector<Input> made = inputs(variant);
        for (std::uint32_t i = 0; i < made.size(); ++i)
            bytes.push_back(input_bytes(layout.inputs()[i], made[i], 42, i));
        const TensorSpec& spec = layout.outputs()[0];
        return make_truth(spec, answer_in_float64(float64, layout, bytes)[0],
                          widened(spec.dtype, outputs(), static_cast<std::size_t>(spec.elements())), epsilon);
    }
    float* outputs() { return reinterpret_cast<float*>(layout.call().out[0].at); }
    float* inputs_of_call() { return reinterpret_cast<float*>(layout.call().in[0].at); }
};

void expect_same(const std::vector<double>& a, const std::vector<double>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(std::isnan(a[i]) && std::isnan(b[i]) && hone_is_silent(a[i]) == hone_is_silent(b[i]))) {
            EXPECT_DOUBLE_EQ(a[i], b[i]) << i;
        }
}

TEST(InputSet, HasTheTruthOfItsInputs) {
    for (const char* name : {"fake/axpy", "fake/square", "fake/matmul", "fake/row-sum"})
        for (const Variant variant :
             {Variant::declared, Variant::wider, Variant::outliers, Variant::special, Variant::touched}) {
            SCOPED_TRACE(std::string(name) + ", " + variant_word(variant));
            Sample sample(name);
            const auto set = sample.set(variant);
            const FetchedTruth truth = set->fetch_truth(0), expected = sample.expected(variant);
            expect_same(truth.values, expected.values);
            expect_same(truth.local_scale, expected.local_scale);
            EXPECT_DOUBLE_EQ(truth.rms, expected.rms);
            EXPECT_DOUBLE_EQ(truth.bounds.each.element, expected.bounds.each.element);
            EXPECT_DOUBLE_EQ(truth.bounds.mean, expected.bounds.mean);
            EXPECT_DOUBLE_EQ(truth.bounds.variation, expected.bounds.variation);
            EXPECT_EQ(truth.bounds.each.least, expected.bounds.each.least);
            EXPECT_EQ(set->fetch_input(0), input_bytes(sample.layout.inputs()[0], sample.inputs(variant)[0], 42, 0));
        }
}

TEST(InputSet, SampledElementsAreHeldToTheBoundsOfTheWhole) {
    Sample sample("fake/axpy");
    const auto set = sample.set(Variant::declared);
    const Positions places = {{0, 63, 64, 100}};
    const FetchedTruth truth = set->fetch_truth(0);
    Samples samples(1);
    for (const std::int64_t place : places[0]) samples[0].push_back(truth.values[static_cast<std::size_t>(place)]);
    EXPECT_TRUE(set->agrees(places, samples));
    samples[0][2] += 2 * truth.bounds.each.element * truth.scale_of(64);
    EXPECT_FALSE(set->agrees(places, samples));
}

TEST(InputSet, BeforeACallOnlyItsConstantsAreThere) {
    Task task = load_task("fake/axpy");
    task.inputs[1].constant = true;
    Sample sample(task);
    const Settings settings{};
    CallSetup setup(sample.arena, settings);
    const auto set = sample.set(Variant::declared);
    setup.prepare(sample.layout, *set, 64, 5);
    sample.eager.launch(sample.layout.call());
    setup.prepare_constants(sample.layout, *set, 128, 7);
    const hone_call& call = sample.layout.call();
    const std::string constants = input_bytes(sample.layout.inputs()[1], sample.inputs(Variant::declared)[1], 42, 1);
    EXPECT_EQ(std::memcmp(reinterpret_cast<void*>(call.in[1].at), constants.data(), constants.size()), 0);
    constexpr std::uint64_t mapped = 2 << 20;
    const auto others = [](std::uint64_t from, std::uint64_t to) {
        return std::count_if(reinterpret_cast<std::uint32_t*>(from), reinterpret_cast<std::uint32_t*>(to),
                             [](std::uint32_t word) { return word != 7; });
    };
    EXPECT_EQ(others(sample.arena.outputs(), sample.arena.outputs() + mapped), 0);
    EXPECT_EQ(others(sample.arena.inputs(), call.in[1].at), 0);
    EXPECT_EQ(others(call.in[1].at + constants.size(), sample.arena.inputs() + mapped), 0);
}

TEST(InputSet, SeesEveryFaultOfACall) {
    Sample sample("fake/axpy");
    const auto set = sample.set(Variant::declared);
    sample.layout.place(sample.arena, 64);
    const std::uint64_t salt = 7, n = static_cast<std::uint64_t>(sample.layout.outputs()[0].elements());
    const std::uint32_t word = poison_word(HONE_F32, salt);
    const auto prepare = [&] {
        set->put(sample.layout.call(), Inputs::all);
        const std::uint64_t begin = sample.layout.call().out[0].at;
        sample.verifier.set(begin - red_zone_bytes, n * 4 + 2 * red_zone_bytes, word);
        sample.eager.launch(sample.layout.call());
    };
    const auto look = [&] { return set->look(sample.layout, salt, true); };
    prepare();
    EXPECT_TRUE(is_within(set->truths()[0].bounds, look().errors[0]));
    EXPECT_EQ(look().changed, (std::vector<std::uint64_t>{0, 0}));
    EXPECT_EQ(look().strays[0], 0u);

    sample.outputs()[n] = 1;
    sample.outputs()[-1] = 1;
    EXPECT_EQ(look().strays[0], 2u);
    prepare();
    sample.inputs_of_call()[3] += 1;
    EXPECT_GT(look().changed[0], 0u);
    EXPECT_EQ(look().changed[1], 0u);
    prepare();
    std::memcpy(&sample.outputs()[5], &word, sizeof word);
    EXPECT_EQ(look().errors[0].unwritten, 1u);
    EXPECT_FALSE(is_within(set->truths()[0].bounds, look().errors[0]));
    prepare();
    sample.outputs()[5] *= 1.5f;
    EXPECT_EQ(look().errors[0].faults[HONE_WRONG], 1u);
    sample.outputs()[5] = INFINITY;
    EXPECT_EQ(look().errors[0].faults[HONE_NOT_FINITE], 1u);
    EXPECT_FALSE(is_within(set->truths()[0].bounds, look().errors[0]));
}

TEST(InputSet, ManySmallErrorsAreTooManyOnAverage) {
    Sample sample("fake/axpy");
    const auto set = sample.set(Variant::declared);
    sample.eager.launch(sample.layout.call());
    const FetchedTruth truth = set->fetch_truth(0);
    for (std::size_t i = 0; i < truth.values.size(); ++i)
        sample.outputs()[i] += static_cast<float>(0.5 * truth.bounds.each.element * truth.scale_of(i));
    const hone_errors errors = set->look(sample.layout, 7, false).errors[0];
    EXPECT_EQ(errors.faults[HONE_WRONG], 0u);
    EXPECT_FALSE(is_within(set->truths()[0].bounds, errors));
}

TEST(InputSet, OnOneSideOfZeroTheUsualSizeIsAtLeastThatOfInputsAsDeclared) {
    Task sigmoid = load_task("fake/square");
    sigmoid.larger = false;
    sigmoid.source =
        "return { reference = function(a) return array.map(function(x) return 1 / (1 + math.exp(-x)) end, a) end }";
    Sample sample(sigmoid);
    const Settings settings = Settings::from_json(check_options(judge_options(), Json::object(), "test"));
    PreparedTask prepared(sample.task, sample.arena, sample.reference, sample.device, settings, 0);
    sample.arena.fit(prepared.input_bytes(), prepared.output_bytes());
    double smallest = 1;
    for (std::size_t n = 0; n < 20; ++n) {
        const Truth& truth = prepared.set(0, Variant::one_sided, n).truths()[0];
        EXPECT_GT(truth.usual, 0.4);
        smallest = std::min(smallest, truth.rms);
    }
    EXPECT_LT(smallest, 0.02) << "none of twenty lay below zero";
}

TEST(InputSet, NoTwoJudgingsHaveTheSameInputsWhereOneCouldLeaveWordsForTheOther) {
    Sample sample("fake/axpy");
    const Settings settings = Settings::from_json(check_options(judge_options(), Json::object(), "test"));
    PreparedTask prepared(sample.task, sample.arena, sample.reference, sample.device, settings, 0);
    sample.arena.fit(prepared.input_bytes(), prepared.output_bytes());
    std::set<std::uint64_t> together, apart;
    for (const std::string candidate : {"one", "two", "three"}) {
        prepared.begin_judging(candidate);
        together.insert(prepared.set(0, Variant::declared, 0).key);
    }
    for (const std::string candidate : {"four", "five", "six"}) {
        prepared.begin_judging(candidate, true);
        apart.insert(prepared.set(0, Variant::declared, 0).key);
    }
    EXPECT_EQ(together.size(), 1u) << "to make inputs and truth takes time";
    EXPECT_EQ(apart.size(), 3u);
}

}  // namespace
}  // namespace hone
