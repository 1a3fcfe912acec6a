// Scripts from start to end: settings, the prompt, traces, exits and interrupts.
#include <gtest/gtest.h>
#include <csignal>
#include "base/paths.hpp"
#include "base/progress.hpp"
#include "error_text.hpp"
#include "lua/host.hpp"
#include "lua/repl.hpp"
#include "lua/state.hpp"
#include "run/interrupt.hpp"
#include "run/pace.hpp"

namespace hone::lua {
namespace {

class Host : public ::testing::Test {
protected:
    fs::path folder_ = fs::temp_directory_path() / ("hone-host-test-" + std::to_string(getpid()));
    Session session_;

    void SetUp() override {
        Progress::set_quiet(true);
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    Session script(const std::string& text) {
        Session session = session_;
        session.script_path = "first.lua";
        session.script_text = "local hone = require \"hone\" local run = hone.run { dir = \"" +
                              (folder_ / "run").string() + "\" }\n" + text;
        return session;
    }
    int run(const std::string& text) { return run_script(script(text)); }
    std::string error(const std::string& text) {
        return error_text([&] { run(text); });
    }
};

TEST_F(Host, AnErrorHasTheScriptsLineAndFramesWithoutTheEngines) {
    EXPECT_EQ(error("local function inner() run:rolout {} end\nlocal function outer() inner() end\nouter()"),
              "first.lua:2: run has no \"rolout\"; did you mean \"rollout\"?\n  first.lua:2: in upvalue 'inner'\n  "
              "first.lua:3: in local "
              "'outer'\n  first.lua:4: in main chunk");
    EXPECT_EQ(error("local x = = 1"), "first.lua:2: unexpected symbol near '='");
}

TEST_F(Host, BlameDecidesTheExitCode) {
    const auto code = [&](const std::string& text) {
        try {
            return run(text);
        } catch (const Error& e) {
            return e.exit_code();
        }
    };
    EXPECT_EQ(code("error(\"mine\")"), 3);
    fs::remove_all(folder_ / "run");
    EXPECT_EQ(code("run:policy(\"bigram\"):save(\"/proc/none\")"), 4);
    fs::remove_all(folder_ / "run");
    EXPECT_EQ(code("hone.settings(\"x\", {})"), 3);
    fs::remove_all(folder_ / "run");
    session_.settings = ScriptSettings({"x=1"});
    EXPECT_EQ(code(""), 2);
}

TEST_F(Host, ExitCannotBeSwallowed) {
    EXPECT_EQ(run("while true do pcall(os.exit, 7) end"), 7);
    fs::remove_all(folder_ / "run");
    EXPECT_EQ(
        run("pcall(function() local x <close> = setmetatable({}, { __close = function() end }) os.exit(false) end)"),
        1);
}

TEST_F(Host, AnInterruptSavesWhatWasLearntAndCannotBeSwallowed) {
    const Session session = script(
        "local policy = run:policy(\"bigram\") policy:adapt { \"1 2\" }\n"
        "policy:learn { sequences = { { ids = { 1, 2 }, weight = { 0, 1 } } }, lr = 1 }\n"
        "os.execute(\"kill -TERM $PPID\")\nwhile true do pcall(function() while true do end end) end");
    EXPECT_EQ(error_text([&] { run_script(session); }).substr(0, 11), "interrupted");
    EXPECT_TRUE(fs::exists(folder_ / "run/checkpoints/bigram-2/bigram.json"));
}

TEST_F(Host, SettingsThatNobodyReadStopTheScript) {
    session_.settings = ScriptSettings({"stpes=3"});
    EXPECT_EQ(error("hone.settings(\"steps\", 1)\nrun:step(\"x\")\nerror(\"too late\")"),
              "first.lua:3: --set stpes=3: the script reads no setting \"stpes\" before its first blocking call; did "
              "you mean \"steps\"? "
              "(settings: steps)");
    EXPECT_EQ(error_text([] { ScriptSettings({"steps=x"}).read("steps", 3); }),
              "--set steps=x: a whole number expected; the script's own value is 3");
    EXPECT_EQ(error_text([] { ScriptSettings({"on=x"}).read("on", true); }),
              "--set on=x: true or false expected; the script's own value is true");
    EXPECT_EQ(error_text([] { ScriptSettings({"steps"}); }), "--set steps: no value; write --set name=value");
}

TEST(PaceOfAStage, TellsWhatIsLeftByTheStepsOfThisProcess) {
    Pace pace;
    EXPECT_EQ(pace.left(100, 7, 36), std::nullopt) << "resumed at step 7";
    EXPECT_EQ(pace.left(110, 8, 36), 280);
    EXPECT_EQ(pace.left(140, 9, 36), 540);
    EXPECT_EQ(pace.left(200, 1, 36), std::nullopt) << "the next stage of that name";
    EXPECT_EQ(pace.left(201, 2, 36), 34);
}

TEST_F(Host, AnUnfitEnvironmentIsToldWithTheWayOn) {
    EXPECT_EQ(
        error("run:policy(\"bigram\"):save(\"/proc/none\")"),
        "first.lua:2: /proc/none: cannot be written: No such file or directory\nthe run is saved; go on with: hone "
        "run first.lua --resume");
}

TEST_F(Host, AResumedRunKeepsItsSettings) {
    run("run:step(\"x\")");
    session_.resume = true;
    EXPECT_EQ(run("run:step(\"x\")"), 0);
    EXPECT_NE(error("run:record(\"x\", {})").find("operation 1 was recorded as step and is now record"),
              std::string::npos);
    session_.settings = ScriptSettings({"x=1"});
    EXPECT_EQ(error("hone.settings(\"x\", 0)"),
              "first.lua:1: " + (folder_ / "run").string() +
                  ": was begun with the settings {}, not {\"x\":\"1\"}; resume with the same --set values");
}

TEST_F(Host, ThePromptKnowsTheScriptsLocals) {
    State state(script("local answer = 42"));
    Repl repl(state);
    repl.run_script();
    EXPECT_EQ(repl.answer("=answer, run.seed"), "42\t1");
    EXPECT_EQ(repl.answer("x = answer + 1"), "");
    EXPECT_EQ(repl.answer("=x"), "43");
    EXPECT_EQ(repl.answer("for i = 1, 2 do"), "");
    EXPECT_EQ(repl.answer(""), "");
    EXPECT_EQ(repl.answer("x = x + i end"), "");
    EXPECT_EQ(repl.answer("=x"), "46");
    EXPECT_EQ(repl.answer("=hone.version"), HONE_VERSION);
    EXPECT_EQ(repl.answer("x = = 1"), "prompt:1: unexpected symbol near '='");
    EXPECT_EQ(repl.answer("=run.sed"), "prompt:1: run has no \"sed\"; did you mean \"seed\"?");
}

}  // namespace
}  // namespace hone::lua
