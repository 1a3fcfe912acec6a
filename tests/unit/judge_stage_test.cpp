// What a call is prepared with, on the fake device's memory.
#include <gtest/gtest.h>
#include <set>
#include "judge/judge.hpp"
#include "judge/stage.hpp"
#include "lua/task_file.hpp"

namespace hone {
namespace {

constexpr std::size_t line = 64;

struct Prepared {
    Task task = load_task("fake/axpy");
    Verifier verifier{make_recipe("verifier", "fake", Json::object(), "test")};
    Arena arena{verifier};
    Settings settings = Settings::from_json(check_options(judge_options(), Json::object(), "test"));
    Stage stage{arena, settings};
    Layout layout{task, Shape(timed_shape(task)), 0};
    InputSet set;

    Prepared() {
        verifier.device();
        arena.fit(layout.input_bytes(), layout.output_bytes());
        const std::vector<Input> inputs = make_inputs(task, layout.inputs(), 7, Variant::declared);
        for (std::uint32_t i = 0; i < inputs.size(); ++i) set.inputs.push_back(input_bytes(layout.inputs()[i], inputs[i], 7, i));
        stage.prepare(layout, set, 0, 1);
    }

    // Lines of input i that do not hold what the key stands for.
    std::size_t withheld(std::size_t i) {
        std::string now(set.inputs[i].size(), '\0');
        verifier.read(layout.call().in[i].at, now.data(), now.size());
        std::size_t count = 0;
        for (std::size_t at = 0; at < now.size(); at += line) count += now.compare(at, line, set.inputs[i], at, line) != 0;
        return count;
    }
};

TEST(Stage, LinesOfEveryInputAreWithheldUntilTheClockStarts) {
    Prepared p;
    Random random(3);
    std::set<std::size_t> counts;
    for (int call = 0; call < 8; ++call) {
        p.stage.withhold(p.layout, p.set, random);
        for (std::size_t i = 0; i < p.set.inputs.size(); ++i) {
            EXPECT_GT(p.withheld(i), 0u) << p.layout.inputs()[i].name;
            counts.insert(p.withheld(i));
        }
        p.stage.deliver(p.layout, p.set);
        for (std::size_t i = 0; i < p.set.inputs.size(); ++i) EXPECT_EQ(p.withheld(i), 0u);
    }
    EXPECT_GT(counts.size(), 1u) << "which lines are withheld is drawn anew";
}

}  // namespace
}  // namespace hone
