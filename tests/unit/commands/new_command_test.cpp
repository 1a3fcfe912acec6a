// `hone new`: a folder for each kind, and what is refused. tests/package/package.sh builds and tests what it writes.
#include <gtest/gtest.h>
#include "base/paths.hpp"
#include "commands/command.hpp"
#include "error_text.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

class NewPart : public ::testing::Test {
protected:
    NewPart() : before_(fs::current_path()) {
        char path[] = "/tmp/hone_new_XXXXXX";
        folder_ = mkdtemp(path);
        fs::current_path(folder_);
    }
    ~NewPart() override {
        fs::current_path(before_);
        fs::remove_all(folder_);
    }
    // The command's own error, past run_program, which prints it.
    static std::string refusal(const std::string& kind, const std::string& name) {
        for (const Command& command : all_commands())
            if (command.name == "new") return error_text([&] { command.run(parse_arguments(command, {kind, name})); });
        return "there is no command new";
    }

private:
    fs::path before_, folder_;
};

TEST_F(NewPart, HasItsOwnNameEverywhere) {
    for (const std::string kind : {"timer", "verifier", "reference", "prompt", "shaper", "policy"}) {
        EXPECT_EQ(run_program({"new", kind, "my-" + kind}), 0);
        const std::string source = read_file("my-" + kind + "/my-" + kind + ".cpp");
        EXPECT_NE(source.find("\"my-" + kind + "\", \"1.0\""), std::string::npos) << source;
        const std::string cmake = read_file("my-" + kind + "/CMakeLists.txt"), named = kind + " my-" + kind;
        EXPECT_NE(cmake.find("hone_add_part(" + named + " my-" + kind + ".cpp)"), std::string::npos) << cmake;
        EXPECT_NE(cmake.find("hone_test_part(" + named), std::string::npos) << cmake;
        const std::string page = read_file("my-" + kind + "/README.md");
        EXPECT_NE(page.find("`my-" + kind + ".cpp` "), std::string::npos) << page;
    }
    EXPECT_NE(read_file("my-timer/my-timer.cpp").find("struct MyTimer : hone::TimerPart"), std::string::npos);
}

TEST_F(NewPart, RefusesWhatItCannotMake) {
    EXPECT_EQ(refusal("tmier", "mine"), "hone new: there is no kind \"tmier\"; did you mean \"timer\"?");
    EXPECT_EQ(refusal("timer", "My Timer"),
              "hone new: \"My Timer\" is no name of a part; use small letters, digits and \"-\", a letter first: "
              "\"my-timer\"");
    EXPECT_EQ(refusal("timer", "../mine").substr(0, 30), "hone new: \"../mine\" is no name");
    const std::string taken = refusal("timer", "wall");
    EXPECT_TRUE(taken.starts_with("hone new: timer.wall is there already: ")) << taken;
    EXPECT_TRUE(taken.ends_with("timer.wall.so; choose another name; nothing was written")) << taken;
    EXPECT_FALSE(fs::exists("wall"));
    EXPECT_EQ(refusal("verifier", "formula"),
              "hone new: the example's source has the word \"Formula\" already; choose another name: \"my-formula\"; "
              "nothing was written");
    EXPECT_EQ(run_program({"new", "shaper", "mine"}), 0);
    EXPECT_EQ(refusal("timer", "mine"),
              "mine: is there already; choose another name, or remove it: nothing was written");
    EXPECT_FALSE(fs::exists("mine/mine.cpp.part"));
}

}  // namespace
}  // namespace hone
