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
#include "store/runs.hpp"

namespace hone::lua {
namespace {

// What an error lists; stages of scripts/hone are members too, other modules there are not.
const char* const members_of_a_run =
    " (members: archive, collect, contrastive_rl, evaluate, folder, judge, name, policy, prompt, record, reference, "
    "report, rewarded, rng, rollout, seed, self_supervised, sft, shape, shaper, spent, step, suite, timer, verifier, "
    "write)";

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
              "first.lua:2: run has no \"rolout\"; did you mean \"rollout\"?" + std::string(members_of_a_run) +
                  "\n  first.lua:2: in upvalue 'inner'\n  "
                  "first.lua:3: in local "
                  "'outer'\n  first.lua:4: in main chunk");
    EXPECT_EQ(error("run.suite('fake')"),
              "first.lua:2: run.suite was called without its run; write run:suite(...), with a colon");
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
    EXPECT_EQ(error_text([] { ScriptSettings({"note=\xff"}); }), "--set note=\xef\xbf\xbd: is no UTF-8");
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
    EXPECT_EQ(error("run:policy(\"bigram\"):save(\"/proc/none\")"),
              "first.lua:2: /proc/none: cannot be written: No such file or directory; check that its disk has room and "
              "that the "
              "folder is yours\nthe run is saved; go on with: hone run first.lua --resume");
}

TEST_F(Host, AResumedRunKeepsItsSettings) {
    run("run:step(\"x\")");
    session_.resume = true;
    EXPECT_EQ(run("run:step(\"x\")"), 0);
    EXPECT_NE(error("run:record(\"x\", {})").find("operation 1 was recorded as step and is now record"),
              std::string::npos);
}

// A module of the script's may be another one by now.
TEST_F(Host, ARecordedRowThatTheScriptComputesOtherwiseIsTold) {
    run("run:record('x', { success = 0.5, title = 'a' })");
    session_.resume = true;
    const auto told = [&](const char* row) {
        ::testing::internal::CaptureStderr();
        EXPECT_EQ(run(row), 0);
        return ::testing::internal::GetCapturedStderr();
    };
    EXPECT_EQ(told("run:record('x', { success = 0.5, title = 'a' })").find("stays as"), std::string::npos);
    EXPECT_NE(told("run:record('x', { success = 0.25, title = 'a' })")
                  .find("row \"x\" stays as it was recorded: its success is 0.5, and the script now computes 0.25; "
                        "begin another run to record that\n"),
              std::string::npos);
}

const char* const counts = "for i = 1, hone.settings('steps', 2) do run:step('x', { i = i }) end";

TEST_F(Host, ARunIsProlongedByAnotherSetting) {
    session_.settings = ScriptSettings({"steps=2"});
    EXPECT_EQ(run(counts), 0);
    session_.settings = ScriptSettings({"steps=4"});
    session_.resume = true;
    Progress::set_quiet(false);
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run(counts), 0);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(),
              "resuming " + (folder_ / "run").string() + " after operation 2 (x)\n" +
                  "settings other than those that the run began with: steps=4 (was 2)\nx  i 3\nx  i 4\n");
    Progress::set_quiet(true);
    EXPECT_EQ(Journal::read((folder_ / "run").string()).rows("SELECT count(*) AS n FROM operation").at(0)["n"], 4);
    session_.settings = ScriptSettings({"stage=y"});
    EXPECT_EQ(error("run:step(hone.settings('stage', 'x'))"),
              "first.lua:2: " + (folder_ / "run/journal.sqlite").string() +
                  ": operation 1 (step) was recorded with another value of \"stage\": \"x\", now \"y\"; since then "
                  "first.lua changed, first in line 2: \"" +
                  counts +
                  "\", now \"run:step(hone.settings('stage', 'x'))\"; or it is the settings, which changed too: "
                  "stage=y (was not set), steps is not set (was 2); undo that, or begin another run with --new");
}

TEST_F(Host, SettingsAreReadBeforeTheFirstBlockingCall) {
    EXPECT_EQ(error("run:step('x')\nhone.settings('late', 1)"),
              "first.lua:3: hone.settings: \"late\" is read after the script's first blocking call (step); read all "
              "settings at the script's top");
}

TEST_F(Host, ARunKnowsHowItEnded) {
    const auto state = [&] { return run_state(Journal::read((folder_ / "run").string())); };
    EXPECT_EQ(error("run:step('sft', { epoch = 1, of = 3 }) error('mine')").substr(0, 12), "first.lua:2:");
    EXPECT_EQ(state(), "failed");
    EXPECT_EQ(last_step(Journal::read((folder_ / "run").string())), "sft epoch 1/3");
    session_.resume = true;
    EXPECT_EQ(run("run:step('sft', { epoch = 1, of = 3 })"), 0);
    EXPECT_EQ(state(), "finished");
    EXPECT_EQ(run("run:step('sft') os.exit(1)"), 1);
    EXPECT_EQ(state(), "failed");
    const Journal writing = Journal::resume((folder_ / "run").string(), {"run", "", "", "", 1, {}, {}});
    EXPECT_EQ(state(), "running");
}

TEST_F(Host, ARefusedResumeLeavesTheStateAsItWas) {
    const auto state = [&] { return run_state(Journal::read((folder_ / "run").string())); };
    EXPECT_EQ(run("run:step('x')"), 0);
    EXPECT_EQ(state(), "finished");
    session_.resume = true;
    EXPECT_NE(error("run:step('y')").find("was recorded with another value"), std::string::npos);
    EXPECT_EQ(state(), "finished");
    EXPECT_NE(error("run:step('x') run:step('z') error('mine')").find("mine"), std::string::npos);
    EXPECT_EQ(state(), "failed") << "it committed something";
    EXPECT_NE(error("run:step('y')").find("was recorded with another value"), std::string::npos);
    EXPECT_EQ(state(), "failed");
}

TEST_F(Host, AFileGetsTheWholeLineOfProgress) {
    std::string metrics, wanted = "x";
    for (char c = 'a'; c <= 'p'; ++c) {
        const std::string name = std::string("metric_") + c;
        metrics += name + " = 0.5, ";
        wanted += "  " + name + " 0.5";
    }
    Progress::set_quiet(false);
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run("run:step('x', {" + metrics + "})"), 0);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), wanted + "\n");
    Progress::set_quiet(true);
}

const char* const judging =
    "local task = run:suite('fake', { only = 'square' })[1]\n"
    "local function judge(options)\n"
    "  options.verifier, options.timer, options.reference = run:verifier('fake'), run:timer('virtual'), "
    "run:reference('lua')\n"
    "  return run:judge(options)\nend\n";

// Nobody calls it again for the answers that a journal has, so it would go on from where it began.
TEST_F(Host, APolicyThatRemembersIsToldOnce) {
    Progress::set_quiet(false);
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(
        run(judging + std::string("local n, judge = 0, judge {} local policy = run:policy(function() n = n + 1 "
                                  "return '3 1 ' .. n end) for i = 1, 2 do run:rollout { policy = policy, judge = "
                                  "judge, prompts = { { task = task, messages = 'x' } } } end")),
        0);
    Progress::set_quiet(true);
    const std::string said = ::testing::internal::GetCapturedStderr(), words = "changed a variable or a stream";
    EXPECT_NE(said.find(words), std::string::npos) << said;
    EXPECT_EQ(said.find(words), said.rfind(words)) << said;
}

// A memory may lie deep, behind an object's name, in a coroutine or in a stream of random numbers.
TEST_F(Host, WhateverAPolicyRemembersItInIsTold) {
    const auto told = [&](const std::string& before, const std::string& answer) {
        fs::remove_all(folder_ / "run");
        Progress::set_quiet(false);
        ::testing::internal::CaptureStderr();
        EXPECT_EQ(
            run(judging + before + " local judge = judge {} run:rollout { policy = run:policy(function(request) " +
                answer + " end), judge = judge, prompts = { { task = task, messages = 'x' } } }"),
            0);
        Progress::set_quiet(true);
        return ::testing::internal::GetCapturedStderr().find("changed a variable or a stream") != std::string::npos;
    };
    EXPECT_TRUE(told("local rng = run:rng 'mine'", "return '7 1 ' .. rng:below(9)"));
    EXPECT_TRUE(told("local n = {}", "n[request.task] = (n[request.task] or 0) + 1 return '7 1 2'"));
    EXPECT_TRUE(told("local a = { b = { { c = { d = { e = { f = 0 } } } } } }",
                     "local e = a.b[1].c.d.e e.f = e.f + 1 return '7 1 2'"));
    EXPECT_TRUE(told("local next_one = coroutine.wrap(function() for i = 1, 9 do coroutine.yield(i) end end)",
                     "return '7 1 ' .. next_one()"));
    EXPECT_TRUE(told("local base = { n = 0 } base.__index = base local object = setmetatable({}, base)",
                     "base.n = base.n + 1 return '7 1 ' .. object.n"));
    EXPECT_FALSE(told("local rng, n = run:rng 'mine', { [task] = { 1, 2, a = { 'b' } } }",
                      "return '7 1 ' .. (request.rng:below(9) + #n + (rng and 0 or 1))"));
}

TEST_F(Host, WhatAScriptLeavesBehindIsTold) {
    const auto told = [&](const std::string& text) {
        Progress::set_quiet(false);
        ::testing::internal::CaptureStderr();
        EXPECT_EQ(run(text), 0);
        Progress::set_quiet(true);
        return ::testing::internal::GetCapturedStderr();
    };
    EXPECT_EQ(
        told(judging + std::string("local j = judge {} for i = 1, 3 do j:submit(task, { code = '7 2 ' .. i }) end "
                                   "j:collect() judge {}:submit(task, 'no program') j = nil collectgarbage()")),
        "first: 3 programs were submitted and never collected: no record has their judgements; call "
        "judge:collect()\n");
    fs::remove_all(folder_ / "run");
    EXPECT_EQ(told("run:step('x') run:step('y')"), "x\ny\n");
    session_.resume = true;
    const std::string all = told("run:step('x')");
    EXPECT_EQ(all.substr(all.find('\n') + 1),
              "the script has changed since the run began: what the journal holds was done by the former one\n"
              "first: the script ended after operation 1, and the journal holds 2: what lies behind was done by a "
              "longer script, and reports still show it\n");
}

// Required before the run is opened, after that (a stage), and as a part.
TEST_F(Host, AChangedModuleIsTold) {
    fs::create_directories(folder_ / "hone");
    fs::create_directories(folder_ / "parts");
    Session session = script("run:own {} run:prompt('own')");
    session.script_path = (folder_ / "first.lua").string();
    session.script_text.insert(0, "local mine = require 'mine'\n");
    const auto write = [&](const std::string& file, const std::string& by) {
        write_file(folder_ / file, "return function(run) return '" + by + "' end");
    };
    const auto told = [&] {
        Progress::set_quiet(false);
        ::testing::internal::CaptureStderr();
        EXPECT_EQ(run_script(session), 0);
        Progress::set_quiet(true);
        const std::string all = ::testing::internal::GetCapturedStderr();
        return session.resume ? all.substr(all.find('\n') + 1) : all;
    };
    for (const char* file : {"mine.lua", "hone/own.lua", "parts/prompt.own.lua"}) write(file, "a");
    EXPECT_EQ(told(), "");
    session.resume = true;
    EXPECT_EQ(told(), "");
    const std::string changed = " has changed since the run began: what the journal holds was done by the former one\n";
    for (const std::string file : {"mine.lua", "hone/own.lua", "parts/prompt.own.lua"}) {
        write(file, "b");
        EXPECT_EQ(told(), file + changed);
        EXPECT_EQ(told(), file + changed) << "whatever went on with it meanwhile";
        write(file, "a");
        EXPECT_EQ(told(), "");
    }
}

TEST_F(Host, ARefusedResumeNamesTheModuleThatChanged) {
    Session session = script("run:step(require('mine'), { n = hone.settings('n', 1) })");
    session.script_path = (folder_ / "first.lua").string();
    write_file(folder_ / "mine.lua", "return 'a'");
    EXPECT_EQ(run_script(session), 0);
    write_file(folder_ / "mine.lua", "return 'b'");
    session.resume = true;
    const auto told = [&] {
        const std::string text = error_text([&] { run_script(session); });
        return text.substr(text.find("now \"b\"") + 9);
    };
    EXPECT_EQ(told(), "since then mine.lua changed; undo that, or begin another run with --new");
    session.settings = ScriptSettings({"n=2"});
    EXPECT_EQ(told(),
              "since then mine.lua changed; or it is the settings, which changed too: n=2 (was not set); undo "
              "that, or begin another run with --new");
}

TEST_F(Host, AJudgementThatIsNoScoreIsToldOnce) {
    Progress::set_quiet(false);
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run(judging + std::string("for _, o in ipairs { { reveal = true }, {}, { reveal = true } } do\n"
                                        "local j = judge(o) for i = 1, 2 do j:submit(task, { code = '7 2 ' .. i }) "
                                        "j:collect() end end")),
              0);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(),
              "first: no score (revealed): programs that pass so are in no archive and not in `hone best`\n");
    Progress::set_quiet(true);
}

TEST_F(Host, ATableAsAnErrorIsToldByWhatItHolds) {
    EXPECT_EQ(error("error({ code = 5 })"), "error(table): {\"code\":5}");
}

TEST_F(Host, ANameForTwoRunsIsToldAtTheFirst) {
    session_.name = "q";
    Progress::set_quiet(false);
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(error("run:step('x')\nhone.run { name = 'b' }").substr(0, 72),
              "first.lua:3: --name: names one run, and this script begins a second one;");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(),
              "--name names one run: a second hone.run of this script will be refused\nx\n");
    Progress::set_quiet(true);
}

TEST_F(Host, TwoRunsOfOneNameAreRefused) {
    const std::string folder = (folder_ / "run").string(), again = "hone.run { dir = '" + folder + "/../run' }",
                      refusal = "hone.run: this script has a run in " + folder +
                                "/../run already; give the second one another name, or use the first one's value: run "
                                "= hone.run{...} once";
    EXPECT_EQ(error("run:step('x') " + again).find("first.lua:2: " + refusal), 0u);
    session_.resume = true;
    EXPECT_EQ(error("run:step('x') " + again).find("first.lua:2: " + refusal), 0u);
}

TEST_F(Host, NewTakesTheNextFreeName) {
    const auto begin = [&](const std::string& text, bool fresh) {
        Session session;
        session.script_path = "first.lua";
        session.script_text = "local hone = require 'hone'\n" + text;
        session.fresh = fresh;
        return run_script(session);
    };
    const auto refusal = [&](const std::string& text) { return error_text([&] { begin(text, true); }); };
    const fs::path before = fs::current_path();
    fs::current_path(folder_);
    const std::string step = "hone.run():step('x')";
    EXPECT_EQ(begin(step, false), 0);
    EXPECT_EQ(begin(step, true), 0);
    EXPECT_EQ(begin(step, true), 0);
    EXPECT_TRUE(fs::exists("runs/first-2/journal.sqlite") && fs::exists("runs/first-3/journal.sqlite"));
    EXPECT_NE(refusal("hone.run() error('mistyped')"), "");
    EXPECT_EQ(begin(step, true), 0);
    EXPECT_TRUE(fs::exists("runs/first-4") && !fs::exists("runs/first-5")) << "a run that did nothing keeps no name";
    EXPECT_EQ(refusal("hone.run() hone.run()"),
              "first.lua:2: --new: names one run, and this script begins a second one; leave --new out");
    EXPECT_EQ(refusal("hone.run { dir = 'there' }"),
              "first.lua:2: --new: the script names its run's folder itself (dir); leave --new or dir out");
    fs::current_path(before);
}

TEST_F(Host, StreamsOfSeveralRunsHaveNames) {
    Progress::set_quiet(false);
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run("run:step('x', { i = 1 })\nlocal other = hone.run { name = 'other', dir = '" +
                  (folder_ / "other").string() + "' }\nother:step('x', { i = 2 })\nrun:step('x', { i = 3 })"),
              0);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "x  i 1\nother  x  i 2\nfirst  x  i 3\n");
    Progress::set_quiet(true);
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
    EXPECT_EQ(repl.answer("=run.sed"),
              "prompt:1: run has no \"sed\"; did you mean \"seed\"?" + std::string(members_of_a_run));
}

}  // namespace
}  // namespace hone::lua
