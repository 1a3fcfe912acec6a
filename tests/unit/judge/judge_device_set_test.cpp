// Truth that stays on the device, held against the truth that the host makes of the same key. The device is the fake
// one, whose memory the test can read; tests/gpu does the same on a real one.
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include "judge/call/call_setup.hpp"
#include "judge/call/device_set.hpp"
#include "judge/call/float64_answer.hpp"
#include "judge/correctness/numbers.hpp"
#include "lua/task_file.hpp"

namespace hone {
namespace {

struct Both {
    Task task;
    Verifier verifier{make_recipe("verifier", "fake", Json::object(), "test")};
    Arena arena{verifier};
    hone_device device = verifier.device();
    Reference reference{make_recipe("reference", "lua", Json::object(), "test")};
    Layout layout{task, Shape(timed_shape(task)), 0};
    ReferenceProgram eager = reference.open(device, task, "eager"), float64 = reference.open(device, task, "float64"),
                     on_device = reference.open(device, task, "float64 on device");
    Epsilon epsilon = tolerance_epsilon(task, timed_shape(task), Variant::declared);

    explicit Both(const std::string& name) : Both(load_task(name)) {}
    explicit Both(Task given) : task(std::move(given)) { arena.fit(layout.input_bytes(), layout.output_bytes()); }

    std::vector<Input> inputs(Variant variant) const { return make_inputs(task, layout.inputs(), 42, variant); }
    std::shared_ptr<DeviceSet> set(Variant variant) {
        return std::make_shared<DeviceSet>(arena, layout, inputs(variant), 42,
                                           ReferencePrograms{eager, on_device, epsilon});
    }
    // After set(): the eager answer stands in the layout's outputs.
    Truth on_host(Variant variant) {
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

TEST(DeviceSet, HasTheTruthThatTheHostMakes) {
    for (const char* name : {"fake/axpy", "fake/square", "fake/matmul", "fake/row-sum"})
        for (const Variant variant :
             {Variant::declared, Variant::wider, Variant::outliers, Variant::special, Variant::touched}) {
            SCOPED_TRACE(std::string(name) + ", " + variant_word(variant));
            Both both(name);
            const auto set = both.set(variant);
            both.eager.launch(both.layout.call());
            const Truth device = set->truth(0), host = both.on_host(variant);
            expect_same(device.values, host.values);
            expect_same(device.sizes, host.sizes);
            EXPECT_NEAR(device.rms / host.rms, 1, 1e-12);
            EXPECT_NEAR(device.element_allowed / host.element_allowed, 1, 1e-9);
            EXPECT_NEAR(device.mean_allowed / host.mean_allowed, 1, 1e-9);
            if (std::isfinite(host.centred_allowed)) {
                EXPECT_NEAR(device.centred_allowed / host.centred_allowed, 1, 1e-9);
            }
            EXPECT_EQ(device.least, host.least);
        }
}

// Neither data nor an answer: the whole of what a program can reach is overwritten, to the end of what is mapped.
TEST(DeviceSet, BeforeACallOnlyItsConstantsAreThere) {
    Task task = load_task("fake/axpy");
    task.inputs[1].constant = true;
    Both both(task);
    const Settings settings{};
    CallSetup setup(both.arena, settings);
    InputSet set;
    set.device = both.set(Variant::declared);
    setup.prepare(both.layout, set, 64, 5);
    both.eager.launch(both.layout.call());
    setup.prepare_constants(both.layout, set, 128, 7);
    const hone_call& call = both.layout.call();
    const std::string constants = input_bytes(both.layout.inputs()[1], both.inputs(Variant::declared)[1], 42, 1);
    EXPECT_EQ(std::memcmp(reinterpret_cast<void*>(call.in[1].at), constants.data(), constants.size()), 0);
    constexpr std::uint64_t mapped = 2 << 20;
    const auto others = [](std::uint64_t from, std::uint64_t to) {
        return std::count_if(reinterpret_cast<std::uint32_t*>(from), reinterpret_cast<std::uint32_t*>(to),
                             [](std::uint32_t word) { return word != 7; });
    };
    EXPECT_EQ(others(both.arena.outputs(), both.arena.outputs() + mapped), 0);
    EXPECT_EQ(others(both.arena.inputs(), call.in[1].at), 0);
    EXPECT_EQ(others(call.in[1].at + constants.size(), both.arena.inputs() + mapped), 0);
}

TEST(DeviceSet, SeesEveryFaultOfACall) {
    Both both("fake/axpy");
    const auto set = both.set(Variant::declared);
    both.layout.place(both.arena, 64);
    const std::uint64_t salt = 7, n = static_cast<std::uint64_t>(both.layout.outputs()[0].elements());
    const std::uint32_t word = poison_word(HONE_F32, salt);
    const auto prepare = [&] {
        set->put(both.layout.call());
        const std::uint64_t begin = both.layout.call().out[0].at;
        both.verifier.set(begin - red_zone_bytes, n * 4 + 2 * red_zone_bytes, word);
        both.eager.launch(both.layout.call());
    };
    const auto look = [&] { return set->look(both.layout, salt, true); };
    prepare();
    EXPECT_TRUE(set->is_right(0, look().errors[0]));
    EXPECT_EQ(look().changed, (std::vector<std::uint64_t>{0, 0}));
    EXPECT_EQ(look().strays[0], 0u);

    both.outputs()[n] = 1;
    both.outputs()[-1] = 1;
    EXPECT_EQ(look().strays[0], 2u);
    prepare();
    both.inputs_of_call()[3] += 1;
    EXPECT_GT(look().changed[0], 0u);
    EXPECT_EQ(look().changed[1], 0u);
    prepare();
    std::memcpy(&both.outputs()[5], &word, sizeof word);
    EXPECT_EQ(look().errors[0].unwritten, 1u);
    EXPECT_FALSE(set->is_right(0, look().errors[0]));
    prepare();
    both.outputs()[5] *= 1.5f;
    EXPECT_EQ(look().errors[0].faults[HONE_WRONG], 1u);
    both.outputs()[5] = INFINITY;
    EXPECT_EQ(look().errors[0].faults[HONE_NOT_FINITE], 1u);
    EXPECT_FALSE(set->is_right(0, look().errors[0]));
}

TEST(DeviceSet, ManySmallErrorsAreTooManyOnAverage) {
    Both both("fake/axpy");
    const auto set = both.set(Variant::declared);
    both.eager.launch(both.layout.call());
    const Truth truth = set->truth(0);
    for (std::size_t i = 0; i < truth.values.size(); ++i)
        both.outputs()[i] += static_cast<float>(0.5 * truth.element_allowed * truth.size_at(i));
    const hone_errors errors = set->look(both.layout, 7, false).errors[0];
    EXPECT_EQ(errors.faults[HONE_WRONG], 0u);
    EXPECT_FALSE(set->is_right(0, errors));
}

}  // namespace
}  // namespace hone
