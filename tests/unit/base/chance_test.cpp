// What the judge draws by chance: repeatable from its key, and no draw tells another.
#include "base/chance.hpp"
#include <gtest/gtest.h>
#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <vector>
#include "judge/call/arena.hpp"
#include "judge/correctness/drawn_shapes.hpp"
#include "lua/task_file.hpp"

namespace hone {
namespace {

std::vector<std::uint64_t> draws(std::uint64_t key, std::string_view name, std::size_t n = 200) {
    Chance chance(key, name);
    std::vector<std::uint64_t> all(n);
    for (std::uint64_t& bits : all) bits = chance.bits();
    return all;
}

TEST(Chance, FollowsFromKeyAndNameAlone) {
    EXPECT_EQ(draws(7, "a"), draws(7, "a"));
    EXPECT_NE(draws(7, "a"), draws(7, "b"));
    EXPECT_NE(draws(7, "a"), draws(8, "a"));
}

// HMAC-SHA256 of "a" under eight bytes 07 00.., and the ChaCha20 key stream under it with counter and nonce 0: by
// Python's hmac and `openssl enc`.
TEST(Chance, IsThePublishedFunctions) {
    EXPECT_EQ(secret_key(7, "a"), 0x8fbfba4cc0d1f419ull);
    EXPECT_EQ(draws(7, "a", 2), (std::vector<std::uint64_t>{0xe2ce97fd0ab08365ull, 0x94c7a46d97bafa7full}));
}

// The rank over GF(2) of windows of successive draws, one bit of each, as a linear generator's observer would take it:
// xoshiro256** has 256 bits of state, so that its linear bits are dependent after a few hundred; of a key stream they
// never are.
std::size_t rank(std::vector<std::vector<bool>> rows) {
    std::size_t found = 0;
    for (std::size_t column = 0; column < rows[0].size(); ++column) {
        const auto pivot = std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(found), rows.end(),
                                        [&](const auto& row) { return row[column]; });
        if (pivot == rows.end()) continue;
        std::swap(*pivot, rows[found]);
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (i != found && rows[i][column])
                for (std::size_t k = 0; k < rows[i].size(); ++k) rows[i][k] = rows[i][k] != rows[found][k];
        ++found;
    }
    return found;
}

// The output of xoshiro256** is rotl(s1 * 5, 7) * 9, all of which can be undone: a bit of s1 is a linear function of
// the state.
std::uint64_t first_word_of_state(std::uint64_t draw) {
    constexpr std::uint64_t ninth = 0x8e38e38e38e38e39, fifth = 0xcccccccccccccccd;  // 1/9 and 1/5 modulo 2^64
    return std::rotr(draw * ninth, 7) * fifth;
}

// The rows are 400 windows of 400 successive such bits.
std::size_t rank_of_windows(bool secret) {
    Chance chance(11, "windows", secret);
    std::vector<bool> bits;
    for (int i = 0; i < 800; ++i) bits.push_back(first_word_of_state(chance.bits()) & 1);
    std::vector<std::vector<bool>> rows;
    for (int i = 0; i < 400; ++i) rows.emplace_back(bits.begin() + i, bits.begin() + i + 400);
    return rank(std::move(rows));
}

TEST(Chance, NoDrawFollowsFromOthersAsInALinearGenerator) {
    EXPECT_LE(rank_of_windows(false), 256u) << "who has seen 256 of these bits knows all later ones";
    EXPECT_GT(rank_of_windows(true), 390u);
}

TEST(Chance, BelowIsEven) {
    Chance chance(3, "below");
    std::vector<int> seen(7);
    for (int i = 0; i < 7000; ++i) ++seen[chance.below(7)];
    for (const int n : seen) EXPECT_NEAR(n, 1000, 150);
}

std::int64_t elements(const Task& task, const Shape& shape) {
    std::int64_t all = 0;
    for (const char* side : {"inputs", "outputs"})
        for (const TensorSpec& spec : tensors(task, side, shape)) all += spec.elements();
    return all;
}

TEST(DrawnShapes, AreNewEachTimeAndEachSizeIsLongInOne) {
    const Task task = load_task("cpu-basics/softmax");  // R = 256, C = 512, C a multiple of 64
    const std::int64_t timed = elements(task, timed_shape(task));
    std::set<Shape> seen;
    std::map<std::string, std::int64_t> longest;
    int small = 0, beyond = 0;
    for (std::uint64_t key = 0; key < 60; ++key) {
        Chance chance(key, "shapes");
        std::vector<Shape> shapes = draw_shapes(task, chance);
        ASSERT_EQ(shapes.size(), 3u);
        for (const Shape& shape : shapes) {
            EXPECT_EQ(shape.at("C") % 64, 0);
            EXPECT_LE(elements(task, shape), 5 * timed / 2);
            seen.insert(shape);
        }
        small += 16 * elements(task, shapes[0]) <= timed + 1024;
        if (elements(task, shapes[0]) > timed) {
            EXPECT_TRUE(shapes[0].at("R") > 307 && shapes[0].at("C") > 614) << "1.2 times 256 and 512";
            ++beyond;
            continue;
        }
        std::sort(shapes.begin() + 1, shapes.end(),
                  [](const Shape& a, const Shape& b) { return a.at("C") < b.at("C"); });
        EXPECT_GT(shapes[1].at("R"), 563) << "2.2 times 256";
        EXPECT_GT(shapes[2].at("C"), 1126) << "2.2 times 512";
        for (const std::size_t i : {1, 2}) EXPECT_LE(2 * elements(task, shapes[i]), timed);
        longest["C"] = std::max(longest["C"], shapes[2].at("C"));
        longest["R"] = std::max(longest["R"], shapes[1].at("R"));
        longest["of all"] = std::max(longest["of all"], elements(task, shapes[0]));
    }
    EXPECT_GT(seen.size(), 100u) << "of 180; small shapes are few";
    EXPECT_TRUE(10 < small && small < 42) << small << " of 60";
    EXPECT_TRUE(10 < beyond && beyond < 32) << beyond << " of 60";
    EXPECT_GT(longest["C"], 1900);
    EXPECT_GT(longest["R"], 900);
    EXPECT_GT(longest["of all"], timed / 4);
}

// A program that is right up to a bound in one of its sizes passes no judging.
TEST(DrawnShapes, EverySizeIsLongInEveryJudging) {
    for (const char* name : {"matmul", "conv3x3_channels"}) {
        const Task task = load_task(std::string("cpu-basics/") + name);
        for (std::uint64_t key = 0; key < 50; ++key) {
            Chance chance(key, "shapes");
            const std::vector<Shape> shapes = draw_shapes(task, chance);
            for (const std::string& size : long_sizes(task))
                EXPECT_TRUE(
                    std::any_of(shapes.begin(), shapes.end(),
                                [&](const Shape& shape) { return shape.at(size) > 2 * timed_shape(task).at(size); }))
                    << name << " " << size;
        }
    }
}

TEST(DrawnShapes, KeepToRanges) {
    Task task = load_task("cpu-basics/softmax");
    task.ranges = {{"C", {128, 1300}}, {"R", {3, 5}}};
    for (std::uint64_t key = 0; key < 50; ++key) {
        Chance chance(key, "shapes");
        for (const Shape& shape : draw_shapes(task, chance)) {
            EXPECT_TRUE(shape.at("C") >= 128 && shape.at("C") <= 1300) << shape.at("C");
            EXPECT_TRUE(shape.at("R") >= 3 && shape.at("R") <= 5) << shape.at("R");
        }
    }
    task.ranges = {{"C", {64, 1024}}, {"R", {1, 512}}};
    Chance chance(1, "shapes"), line(1, "shapes");
    EXPECT_EQ(draw_shapes(task, chance).size(), 2u) << "the task allows no long one";
    EXPECT_EQ(draw_shapes(load_task("fake/axpy"), line).size(), 3u) << "of one size too";
}

TEST(DrawnShapes, OneIsTinyWhereATaskNamesNoHiddenOnes) {
    Task task = load_task("fake/axpy");
    task.hidden.clear();
    const std::int64_t step = task.multiples.contains("N") ? task.multiples.at("N") : 1;
    for (std::uint64_t key = 0; key < 50; ++key) {
        Chance chance(key, "shapes");
        const std::vector<Shape> shapes = draw_shapes(task, chance);
        EXPECT_TRUE(std::ranges::any_of(shapes, [&](const Shape& shape) { return shape.at("N") <= 17 * step; }));
    }
}

// What the bench reserves: no drawn shape may be left out because it does not fit.
bool is_within_a_bound(const Task& task, const Shape& shape) {
    const Layout drawn(task, shape, 0);
    const auto holds = [&](const DrawnBound& bound) {
        const Layout largest(task, bound.shape, 0);
        return drawn.input_bytes() <= largest.input_bytes() && drawn.output_bytes() <= largest.output_bytes() &&
               drawn.tensor_bytes() <= bound.bytes;
    };
    const std::vector<DrawnBound> bounds = drawn_bounds(task);
    return std::any_of(bounds.begin(), bounds.end(), holds);
}

// All but those of one size on a GPU, where twice the timed shape is more than is made for one judging.
TEST(DrawnShapes, EveryBundledTaskHasALongOneInEveryJudging) {
    for (const char* suite : {"cpu-basics", "gpu-basics"})
        for (const Task& task : load_suite(suite)) {
            if (std::string(suite) == "gpu-basics" && task.sizes.size() == 1) continue;
            EXPECT_FALSE(long_sizes(task).empty()) << task.name();
            for (std::uint64_t key = 0; key < 20; ++key) {
                Chance chance(key, "shapes");
                const std::vector<Shape> shapes = draw_shapes(task, chance);
                const std::size_t longs = long_sizes(task).size();
                ASSERT_EQ(shapes.size(), longs + (longs > 1 ? 1 : 2)) << task.name();
                for (std::size_t i = 0; i < shapes.size(); ++i)
                    EXPECT_TRUE(
                        (i < shapes.size() - longs && elements(task, shapes[i]) <= elements(task, timed_shape(task))) ||
                        is_within_a_bound(task, shapes[i]))
                        << task.name() << Json(shapes[i]);
            }
        }
}

// Few outputs may cancel by chance in an honest program.
TEST(DrawnShapes, HaveFourOutputsWhereTheTimedShapeHas) {
    Task task = load_task("cpu-basics/matmul");
    task.multiples.clear();
    for (std::uint64_t key = 0; key < 200; ++key) {
        Chance chance(key, "shapes");
        for (const Shape& shape : draw_shapes(task, chance))
            EXPECT_GE(tensors(task, "outputs", shape)[0].elements(), 4) << Json(shape);
    }
}

TEST(DrawnShapes, ASizeThatEntersSquaredMayTakeMoreThanHalf) {
    const Task task = load_task("cpu-basics/conv3x3_channels");
    EXPECT_EQ(long_sizes(task), (std::vector<std::string>{"K", "H", "W", "M"}));
}

}  // namespace
}  // namespace hone
