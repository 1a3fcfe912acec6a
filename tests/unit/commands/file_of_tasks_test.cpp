// A task file that holds several tasks, and a file whose verifier is misspelt, on the command line.
#include <gtest/gtest.h>
#include "base/json.hpp"
#include "base/paths.hpp"
#include "commands/command_line.hpp"
#include "parts/verifiers.hpp"

namespace hone {
namespace {

// Two tasks of one file, the second at two shapes.
std::string file_of_two() {
    const std::string path = testing::TempDir() + "hone-two-tasks.lua";
    write_file(path, R"lua(
local function task(name, shapes)
  return { name = name, statement = "o = a a.", spec = name, inputs = { { name = "a", shape = { "N" } } },
    outputs = { { name = "o", shape = { "N" } } }, shapes = shapes, bytes = "8*N",
    verifier = "fake", device = { op = "square", code = 7, best = { 2, 2 }, seconds = 1e-4, reference = 2e-4 },
    reference = function(a) return array.map(function(x) return x * x end, a) end }
end
return { task("one", { { N = 4096 } }), task("two", { { N = 4096 }, { N = 8192 } }) }
)lua");
    return path;
}

// It is the one that takes programs of which nothing is known.
TEST(FileOfSeveralTasks, TheirUsualPrototypeIsThatOfTheUsualVerifier) {
    const std::string path = testing::TempDir() + "hone-of-no-verifier.lua", verifier = "verifier = \"fake\", ";
    std::string text = read_file(file_of_two());
    text.erase(text.find(verifier), verifier.size());
    write_file(path, text);
    const Json task = Json::parse(run({"tasks", path + ":one", "--json"}).out).at("tasks").at(0);
    EXPECT_EQ(task.at("verifier"), verifier_of_file("")->id);
}

TEST(JudgeCommand, AMisspeltVerifierOfATaskIsNamed) {
    const std::string path = testing::TempDir() + "hone-misspelt-verifier.lua";
    std::string text = read_file(file_of_two());
    text.replace(text.find("\"fake\""), 6, "\"cppp\"");
    write_file(path, text);
    const Ran ran = run({"judge", path + ":one", file_with("3 1 4")});
    EXPECT_EQ(ran.code, 3);
    EXPECT_EQ(ran.err,
              "hone: task \"one\": verifier: there is no \"cppp\" here; did you mean \"cpp\"?; `hone plugins` lists "
              "them; --verifier ID takes another\n");
}

TEST(FileOfSeveralTasks, NoneIsChosenWithoutAName) {
    const std::string path = file_of_two(),
                      refusal = "hone: " + path + ": holds 2 tasks: one, two; name one of them: " + path + ":one\n";
    for (const Ran& ran : {run({"judge", path, file_with("3 1 4")}), run({"tasks", path})}) {
        EXPECT_EQ(ran.code, 3);
        EXPECT_EQ(ran.err, refusal);
    }
    const Json tasks = Json::parse(run({"tasks", path + ":two", "--json"}).out).at("tasks");
    ASSERT_EQ(tasks.size(), 2u);
    EXPECT_EQ(tasks.at(0).at("name"), "two");
    EXPECT_EQ(tasks.at(1).at("name"), "two:8192");
    const Ran absent = run({"tasks", path + ":tow"});
    EXPECT_EQ(absent.err,
              "hone: " + path + ": no task \"tow\"; did you mean \"two\"?; `hone tasks " + path + "` lists them\n");
}

TEST(FileOfSeveralTasks, AllAreLinted) {
    const Json tasks = Json::parse(run({"lint", "--json", "--quiet", file_of_two()}).out).at("tasks");
    ASSERT_EQ(tasks.size(), 3u);
    EXPECT_EQ(tasks.at(1).at("task"), "two");
}

}  // namespace
}  // namespace hone
