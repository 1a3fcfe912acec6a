#include "lua/task_file.hpp"
#include <gtest/gtest.h>
#include <filesystem>
#include "base/paths.hpp"
#include "base/random.hpp"
#include "error_text.hpp"

namespace hone {
namespace {

const char* softmax = R"lua(
return {
  name = "softmax", statement = "Softmax over rows.", spec = "softmax {R}x{C}",
  inputs = { { name = "a", shape = { "R", "C" }, law = "normal(3)" } }, outputs = { { name = "o", shape = { "R", "C" } } },
  shapes = { { R = 256, C = 512 }, { R = 512, C = 1024, role = "held-out" } }, flops = "5*R*C",
  reference = function(a)
    return torch.softmax(a, 1)
  end,
  template = function(draw) return "the answer" end,
}
)lua";

class TaskFile : public ::testing::Test {
protected:
    fs::path file_ = fs::temp_directory_path() / ("hone-task-" + std::to_string(fresh_seed()) + ".lua");
    void TearDown() override { fs::remove(file_); }
    Task load(const std::string& text, const std::string& instance = "") {
        write_file(file_, text);
        return load_task(file_.string() + instance);
    }
};

TEST_F(TaskFile, EachShapeIsAnInstance) {
    EXPECT_EQ(load(softmax).name(), "softmax");
    const Task second = load(softmax, ":512x1024");
    EXPECT_EQ(second.name(), "softmax:512x1024");
    EXPECT_EQ(second.role, "held-out");
    EXPECT_EQ(second.spec, "softmax 512x1024");
    EXPECT_EQ(second.flops, 5 * 512 * 1024);
}

TEST_F(TaskFile, BytesThatAreNoUtf8AreToldWithTheirLine) {
    EXPECT_EQ(error_text([&] { load(std::string("-- a\n-- caf\xe9\n") + softmax); }),
              file_.string() + ": line 2 is no UTF-8; save the file as UTF-8");
    std::string text = softmax;
    text.replace(text.find("Softmax over"), 7, "\\xff");
    EXPECT_EQ(error_text([&] { load(text); }),
              file_.string() + ": task \"softmax\": statement: table: a text that is no UTF-8 cannot be stored");
}

TEST_F(TaskFile, HiddenShapesMayFollowTheTimedOne) {
    std::string text = softmax;
    text.insert(text.find("flops"), "hidden = { { R = 1, C = 64 }, { R = \"R+1\", C = \"2*C\" } }, ");
    EXPECT_EQ(load(text).hidden, (std::vector<Shape>{{{"R", 1}, {"C", 64}}, {{"R", 257}, {"C", 1024}}}));
    EXPECT_EQ(load(text, ":512x1024").hidden[1], (Shape{{"R", 513}, {"C", 2048}}));
    text.replace(text.find("R+1"), 3, "S+1");
    EXPECT_EQ(error_text([&] { load(text); }), file_.string() +
                                                   ": task \"softmax\": hidden: R = \"S+1\" is neither a number nor a "
                                                   "size of the shape, such as \"R\" or \"R+1\"");
}

TEST_F(TaskFile, EndsNothingButItself) {
    EXPECT_EQ(error_text([&] { load("return { os.exit(0) }"); }),
              file_.string() +
                  ":1: os.exit is called while the task file is read; a task file returns tasks, and ends "
                  "nothing");
}

TEST_F(TaskFile, ALoopWithoutEndIsToldWithItsLine) {
    const std::string cause = ": has run 500 million instructions: does a loop never end?";
    EXPECT_EQ(error_text([&] { load("local n = 0\nwhile true do n = n + 1 end"); }), file_.string() + ":2" + cause);
    const std::string swallowed = error_text([&] { load("while true do\npcall(load('while true do end'))\nend"); });
    EXPECT_NE(swallowed.find(cause), std::string::npos) << swallowed;
    std::string text = softmax;
    text.replace(text.find("5*R*C"), 5, "(function() while true do end end)()");
    EXPECT_NE(error_text([&] { load(text); }).find("is no number over the sizes"), std::string::npos);
}

TEST_F(TaskFile, MemoryWithoutEndIsToldWithItsLine) {
    EXPECT_EQ(error_text([&] { load("local t = {}\nwhile true do t[#t + 1] = ('x'):rep(1000000) end"); }),
              file_.string() + ":2: needs more than 1 GiB of memory for its Lua: does a loop never end?");
    EXPECT_EQ(load(std::string("pcall(string.rep, 'x', 1 << 40)") + softmax).name(), "softmax");
}

// All that follows from the timed shape follows; what the file says of shapes still holds.
TEST_F(TaskFile, ATaskIsReadAtAShapeThatItsFileDoesNotList) {
    std::string text = softmax;
    text.insert(
        text.find("flops"),
        "hidden = { { R = 1, C = 64 }, { R = \"R+1\", C = \"2*C\" } }, multiples = { C = 64 }, ranges = { R = { 1, "
        "4096 } }, ");
    const Task first = load(text), other = at_shape(first, {{"R", 1024}, {"C", 128}});
    EXPECT_EQ(other.name(), "softmax:1024x128");
    EXPECT_EQ(other.spec, "softmax 1024x128");
    EXPECT_EQ(other.flops, 5 * 1024 * 128);
    EXPECT_EQ(other.hidden[1], (Shape{{"R", 1025}, {"C", 256}}));
    EXPECT_EQ(other.definition, first.definition);
    EXPECT_NE(other.hash(), first.hash());
    const Task listed = load(text, ":512x1024");
    EXPECT_EQ(at_shape(first, listed.shape).hash(), listed.hash());
    EXPECT_EQ(at_shape(other, first.shape).hash(), first.hash());
    EXPECT_EQ(error_text([&] {
                  at_shape(first, {{"R", 1024}, {"C", 100}});
              }),
              "softmax: task \"softmax\": shape: C = 100 is no multiple of 64");
    EXPECT_EQ(error_text([&] {
                  at_shape(first, {{"R", 8192}, {"C", 64}});
              }),
              "softmax: task \"softmax\": shape: R = 8192 is outside of its range, [1,4096]");
}

TEST_F(TaskFile, AListedTaskIsReadAtAnotherShape) {
    const std::string body = std::string(softmax).substr(std::string(softmax).find('{'));
    std::string second = body;
    second.replace(second.find("softmax"), 7, "another");
    EXPECT_EQ(at_shape(load("return { " + body + ", " + second + " }", ":another"), {{"R", 8}, {"C", 8}}).name(),
              "another:8x8");
    EXPECT_EQ(load_instances(file_.string() + ":another").size(), 2u);
}

// What the hidden shapes of a suite are there for.
class HiddenShapes : public ::testing::TestWithParam<const char*> {};

TEST_P(HiddenShapes, AreLargerInEveryDimensionAndSmallestAndInBetween) {
    for (const Task& task : load_suite(GetParam())) {
        const Shape timed = timed_shape(task);
        bool larger = false, smallest = false, between = false;
        for (const Shape& hidden : hidden_shapes(task)) {
            std::size_t more = 0, least = 0;
            for (const auto& [size, n] : hidden) {
                more += n > timed.at(size);
                least += n == (task.multiples.contains(size) ? task.multiples.at(size) : 1);
            }
            larger |= more == timed.size();
            smallest |= least == timed.size();
            between |= more < timed.size() && least == 0;
        }
        EXPECT_TRUE(larger && smallest && between)
            << task.name() << (larger ? "" : ": none larger") << (smallest ? "" : ": none smallest")
            << (between ? "" : ": none in between");
    }
}
INSTANTIATE_TEST_SUITE_P(Suites, HiddenShapes, ::testing::Values("cpu-basics", "gpu-basics"));

TEST_F(TaskFile, TheDefinitionIsTheReferenceAlone) {
    EXPECT_EQ(load(softmax).definition, "  reference = function(a)\n    return torch.softmax(a, 1)\n  end,\n");
    EXPECT_EQ(load(softmax).source, softmax);
}

}  // namespace
}  // namespace hone
