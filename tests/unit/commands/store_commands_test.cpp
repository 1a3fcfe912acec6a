// hone runs, report, show and best over a run with two stages.
#include <gtest/gtest.h>
#include <unistd.h>
#include <algorithm>
#include <sstream>
#include "base/paths.hpp"
#include "commands/command.hpp"
#include "error_text.hpp"
#include "store/evidence.hpp"
#include "store/report/report.hpp"
#include "store/sqlite.hpp"

namespace hone {
namespace {

Judgement judged(const std::string& id, const std::string& hash, double lower) {
    Judgement judgement = rejected("softmax", hash, Verdict::PASSED, "");
    judgement.id = id;
    judgement.outcome = "faster";
    judgement.device = "fake";
    judgement.speedup = {lower + 0.1, lower, lower + 0.2, 0.95, "eager"};
    judgement.seconds = {0.5, 1.0, {}, {}, {}, {}};
    judgement.samples = {{0.5, 0.25, 0.5}, {1.0, 1.5, 1.0}, {0, 1, 0}, {0.5, 0.25, 0.5}, {true, true, true}, {}, {}};
    return judgement;
}

Judgement refused(const std::string& id, const std::string& hash, Verdict verdict, const std::string& reason) {
    Judgement judgement = rejected("softmax", hash, verdict, reason);
    judgement.id = id;
    return judgement;
}

Submission program(const std::string& hash, const std::string& code) {
    return {Candidate{"softmax", code, "", "cpp", hash}, "", ""};
}

class StoreCommands : public ::testing::Test {
protected:
    StoreCommands() : before_(fs::current_path()) {
        char path[] = "/tmp/hone_commands_XXXXXX";
        fs::current_path(folder_ = mkdtemp(path));
        Journal journal = Journal::create("runs/first", {"first", "first.lua", "", "0.1.0", 7, {}, {}});
        const auto collect = journal.begin("collect", {});
        journal.put_judgement({collect, 0, 0}, program("aaa1", "one\ntwo\nthree\n"), judged("j1", "aaa1", 1.1));
        journal.put_judgement({collect, 0, 1}, program("bbb2", "other\nprogram\n"), judged("j2", "bbb2", 3.0));
        const auto rollout = journal.begin("rollout", {{"policy", "http"}, {"asks", {{"model", "acme/m"}}}});
        journal.put_prompt(rollout, 0,
                           {{"task", "softmax"},
                            {"messages", {{{"role", "user"}, {"text", "make it fast"}}}},
                            {"exemplars", {"bbb2", "aaa1"}}});
        journal.put_answer(
            {rollout, 0, 0},
            {{"text", "one\n2\nthree\n"}, {"finish", "stop"}, {"tokens_out", 6.0}, {"usd", 0.25}, {"model", "m-2"}});
        journal.put_judgement({rollout, 0, 0}, program("ccc3", "one\n2\nthree\n"), judged("j30", "ccc3", 2.0));
        journal.put_judgement({rollout, 0, 1}, {}, refused("j31", "", Verdict::PARSE_ERROR, "no code"));
        journal.put_reward({rollout, 0, 0}, 0.5, "lower bound");
        journal.put_rewarded({rollout, 0, 0},
                             {0.5, 1.25, 0.75, "lower bound", {{{"name", "smoothed"}, {"value", 1.25}}}});
        journal.put_rewarded({rollout, 0, 1}, {-2.5, {}, {}, "PARSE_ERROR", {{{"name", "own.lua:7"}}}});
        const auto again = journal.begin("evaluate", {});
        journal.put_judgement({again, 0, 0}, program("ccc3", "one\n2\nthree\n"), judged("j4", "ccc3", 1.9));
        journal.put_stage(journal.begin("record", {{"stage", "sft"}}), "sft",
                          {{"samples", 96},
                           {"success", 0.655},
                           {"typical", 0.49},
                           {"fallback", 1.2},
                           {"best_of_n", 1.5},
                           {"above_1_01", 7},
                           {"baseline", "eager, 2 threads"},
                           {"seconds", 65.2}});
        journal.put_stage(journal.begin("record", {{"stage", "all three"}}), "all three",
                          {{"samples", 960},
                           {"success", 0.8},
                           {"typical", 2.2},
                           {"fallback", 2.25},
                           {"best_of_n", 12.25},
                           {"above_1_01", 19},
                           {"baseline", "eager, 2 threads"},
                           {"seconds", 4000}});
    }
    ~StoreCommands() override {
        fs::current_path(before_);
        fs::remove_all(folder_);
    }
    static std::string output(const std::vector<std::string>& words, int wanted = 0) {
        ::testing::internal::CaptureStdout();
        const int code = run_program(words);
        const std::string text = ::testing::internal::GetCapturedStdout();
        EXPECT_EQ(code, wanted) << text;
        return text;
    }

private:
    fs::path before_, folder_;
};

TEST_F(StoreCommands, ReportIsATable) {
    EXPECT_EQ(
        output({"report", "first"}),
        "run first, seed 7, hone 0.1.0\ninterrupted\nanswers by http model=acme/m\ncost $0.25, 0 tokens in, 6 out\n\n"
        "stage      samples  success  typical  fallback  best of n  >1.01x        time\n"
        "sft             96   65.5 %    0.49x     1.20x      1.50x       7  1 min 05 s\n"
        "all three      960   80.0 %    2.20x     2.25x      12.2x      19  1 h 06 min\n\n"
        "typical: geometric mean over tasks of verified answers' speed-up; fallback: the same with max(x, 1),\n"
        "failures 1; best of n: re-measured on fresh inputs; baseline: eager, 2 threads\n");
}

TEST_F(StoreCommands, ReportIsADocument) {
    const Json report = Json::parse(output({"report", "runs/first", "--json"}));
    EXPECT_EQ(report["schema"], "hone.report/1");
    EXPECT_EQ(report["stages"][0]["stage"], "sft");
    EXPECT_EQ(report["stages"][1]["seconds"], 4000.0);
    EXPECT_EQ(report["verdicts"], (Json{{"PASSED", 4}, {"PARSE_ERROR", 1}}));
    EXPECT_EQ(report["usd"], 0.25);
    EXPECT_EQ(report["policies"], (Json::array({{{"name", "http"}, {"model", "acme/m"}}})));
    EXPECT_EQ(report["state"], "interrupted") << "it never said that it ended";
}

TEST_F(StoreCommands, ReportOfARunningRunHasItsLastStep) {
    Journal journal = Journal::create("runs/second", {"second", "second.lua", "", "0.1.0", 7, {}, {}});
    journal.put_event(journal.begin("step", {}), "step", {{"stage", "contrastive-rl"}, {"step", 7}, {"of", 36}});
    EXPECT_EQ(output({"report", "second"}),
              "run second, seed 7, hone 0.1.0\nrunning, last step: contrastive-rl step 7/36\n\n"
              "no stage has recorded a row yet (run:record)\n");
}

TEST_F(StoreCommands, WhatWinnersLoseIsShown) {
    const Json stage = {
        {"stage", "sft"}, {"samples", 8}, {"best_of_n", 1.5}, {"shrinkage", 0.042}, {"baseline", "eager"}};
    EXPECT_EQ(report_text({{"run", "r"}, {"seed", 1}, {"program_version", "0"}, {"stages", {stage}}}),
              "run r, seed 1, hone 0\n\n"
              "stage  samples  best of n  shrinkage\n"
              "sft          8      1.50x      4.2 %\n\n"
              "best of n: re-measured on fresh inputs; shrinkage: what winners lose of their first estimates then;\n"
              "baseline: eager\n");
}

TEST_F(StoreCommands, ANoteOfAStageIsShownBelowTheTable) {
    const Json stage = {{"stage", "sft"}, {"samples", 8}, {"note", "6 of 8 answers were cut"}, {"baseline", "eager"}};
    EXPECT_EQ(report_text({{"run", "r"}, {"seed", 1}, {"program_version", "0"}, {"stages", {stage}}}),
              "run r, seed 1, hone 0\n\n"
              "stage  samples\n"
              "sft          8\n\n"
              "sft: 6 of 8 answers were cut\nbaseline: eager\n");
}

TEST_F(StoreCommands, ColumnsOfTheScriptsOwnAreShown) {
    const Json one = {{"stage", "one"},
                      {"samples", 8},
                      {"baseline", "eager"},
                      {"kl", 0.123456},
                      {"arm", "bucket"},
                      {"rounds", 3},
                      {"remark", std::string(30, 'x')},
                      {"done", true},
                      {"list", {1, 2}}},
               two = {{"stage", "two"}, {"samples", 8}, {"baseline", "eager"}, {"arm", "no\033[2Jne"}};
    const Json report = {{"run", "r"}, {"seed", 1}, {"program_version", "0"}, {"stages", {one, two}}};
    EXPECT_EQ(report_text(report),
              "run r, seed 1, hone 0\n\n"
              "stage  samples         arm  done      kl  rounds\n"
              "one          8      bucket  true  0.1235       3\n"
              "two          8  no\xef\xbf\xbd[2Jne     -       -       -\n\n"
              "no room for the own columns list and remark, which `hone report --json` has; baseline: eager\n");
    const std::string narrow = report_text(report, 30);
    EXPECT_NE(narrow.find("stage  done      kl  rounds\n"), std::string::npos) << narrow;
    EXPECT_NE(narrow.find("columns\nlist, remark and arm, which\n"), std::string::npos) << narrow;
}

TEST_F(StoreCommands, WhatIsLostIsShownWithItsReason) {
    const Json one = {{"stage", "one"}, {"samples", 7},        {"lost", 1},
                      {"success", 0.5}, {"baseline", "eager"}, {"lost_reason", "the meter is gone"}},
               two = {{"stage", "two"}, {"samples", 0}, {"lost", 8}, {"lost_reason", "no \033[2Jnetwork"}};
    EXPECT_EQ(report_text({{"run", "r"}, {"seed", 1}, {"program_version", "0"}, {"stages", {one, two}}}),
              "run r, seed 1, hone 0\n\n"
              "stage  samples  lost  success\n"
              "one          7     1   50.0 %\n"
              "two          0     8        -\n\n"
              "lost: answers that nobody could judge, in no other number, most often because of this: no\n"
              "\xef\xbf\xbd[2Jnetwork; baseline: eager\n");
}

TEST_F(StoreCommands, WideTablesLoseTheLeastImportantColumns) {
    Json stage = {{"stage", "supervised, self-supervised and contrastive"}};
    for (const char* key : {"samples", "success", "typical", "fallback", "best_of_n", "mean", "median", "max",
                            "above_1_01", "distinct", "novel", "seconds"})
        stage[key] = 1;
    const std::string text = report_text({{"run", "r"}, {"seed", 1}, {"program_version", "0"}, {"stages", {stage}}});
    EXPECT_EQ(text.find("  mean  "), std::string::npos);
    EXPECT_NE(text.find("best of n"), std::string::npos);
    for (const std::size_t width : {80u, 100u}) {
        std::istringstream lines(
            report_text({{"run", "r"}, {"seed", 1}, {"program_version", "0"}, {"stages", {stage}}}, width));
        for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width);
    }
    for (const char* key : {"typical", "best_of_n"}) stage.erase(key);
    EXPECT_NE(
        report_text({{"run", "r"}, {"seed", 1}, {"program_version", "0"}, {"stages", {stage}}})
            .find("fallback: geometric mean over tasks of max(speed-up, 1), failures 1; baseline: not recorded\n"),
        std::string::npos);
}

// Means and shares keep their fractions.
TEST_F(StoreCommands, DistinctIsAMeanAndNovelAShare) {
    const Json stage = {{"stage", "one"}, {"samples", 8}, {"distinct", 2.5}, {"novel", 0.25}};
    const std::string text = report_text({{"run", "r"}, {"seed", 1}, {"program_version", "0"}, {"stages", {stage}}});
    EXPECT_NE(text.find("one          8       2.5  25.0 %"), std::string::npos) << text;
}

TEST_F(StoreCommands, ShowFindsByIdAndByHash) {
    const std::string text = output({"show", "j30"});
    EXPECT_NE(text.find("j30  PASSED  faster 2.100x [2.000, 2.200] against eager\n"), std::string::npos) << text;
    EXPECT_NE(text.find("--- prompt (user)\nmake it fast\n"), std::string::npos);
    EXPECT_NE(text.find("--- answer (stop, by m-2)\none\n2\nthree\n"), std::string::npos);
    EXPECT_NE(text.find("--- against the nearest exemplar aaa1 (1.20x)\n  one\n- two\n+ 2\n  three\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("reward: 0.5 lower bound, smoothed 1.25; optimised 1.25, advantage 0.75\n"), std::string::npos)
        << text;
    EXPECT_NE(output({"show", "j31"})
                  .find("reward: -2.5 PARSE_ERROR, own.lua:7 left out; optimised left out, no part in "
                        "the update\n"),
              std::string::npos);
    EXPECT_EQ(Json::parse(output({"show", "j30", "--json"}))["reward"],
              (Json{{"raw", 0.5},
                    {"reason", "lower bound"},
                    {"changes", {{{"name", "smoothed"}, {"value", 1.25}}}},
                    {"value", 1.25},
                    {"advantage", 0.75}}));
    EXPECT_NE(text.find("--- samples (3 pairs)\n"), std::string::npos);
    EXPECT_EQ(Json::parse(output({"show", "cc", "--json"}))["id"], "j4") << "a hash: its newest judgement";
    EXPECT_EQ(Json::parse(output({"show", "j4", "--json"}))["nearest"]["kind"], "earlier program");
    EXPECT_EQ(Json::parse(output({"show", "j31", "--json"}))["candidate"], nullptr);
}

// A record of an older hone, or one that was sent: what it holds must not steer the terminal that shows it.
TEST_F(StoreCommands, ShowPrintsNothingThatATerminalObeys) {
    Journal journal = Journal::create("runs/second", {"second", "second.lua", "", "0.1.0", 7, {}, {}});
    const auto rollout = journal.begin("rollout", {});
    journal.put_prompt(
        rollout, 0,
        {{"task", "softmax"}, {"messages", {{{"role", "user"}, {"text", "fast\033c"}}}}, {"exemplars", Json::array()}});
    journal.put_answer({rollout, 0, 0}, {{"text",
                                          "I\xc2\x9b"
                                          "2J think"},
                                         {"finish", "stop"},
                                         {"tokens_out", 6.0},
                                         {"usd", 0.25}});
    Judgement hostile = refused("k1", "ddd4", Verdict::LAUNCH_ERROR, "cannot be loaded: \033]0;x\007\xc2\x85");
    hostile.device = "\007";
    hostile.log = "candidate.cpp:1: \033[2J\n";
    journal.put_judgement({rollout, 0, 0}, program("ddd4", "// \u202e\033[31m\nint x;\r\n"), hostile);
    journal.put_reward({rollout, 0, 0}, 0.5, "low\033[1m");
    const std::string mark = "\xef\xbf\xbd", text = output({"show", "k1", "--run", "second"});
    EXPECT_EQ(text,
              "k1  LAUNCH_ERROR\ntask softmax, run second, operation 1, group 0, member 0\ncandidate ddd4\nreason: "
              "cannot be loaded: " +
                  mark + "]0;x" + mark + mark + "\nreward: 0.5 low" + mark + "[1m\n  device: \"" + mark +
                  "\"\n  noise: 0.0\n  unit: \"s\"\n\n--- prompt (user)\nfast" + mark + "c\n\n--- answer (stop)\nI" +
                  mark + "2J think\n\n--- program\n// " + mark + mark +
                  "[31m\nint x;\n\n--- settings\n  hone 0.1.0\n\n--- compiler\n" + "candidate.cpp:1: " + mark +
                  "[2J\n");
    const std::string document = output({"show", "k1", "--run", "second", "--json"});
    for (const char c : document) ASSERT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f)) << document;
    EXPECT_EQ(Json::parse(document)["candidate"]["code"], "// \u202e\033[31m\nint x;\r\n") << "evidence stays as it is";
}

TEST_F(StoreCommands, ShowNamesTheOtherAnswersWithTheSameProgram) {
    Journal journal = Journal::create("runs/third", {"third", "x.lua", "", "0.1.0", 7, {}, {}});
    const std::int64_t op = journal.begin("collect", {});
    for (int member = 0; member < 3; ++member)
        journal.put_judgement({op, 0, member}, program("ddd5", "int x;\n"),
                              refused("same", "ddd5", Verdict::LAUNCH_ERROR, "no"));
    const std::string text = output({"show", "same", "--run", "third"});
    EXPECT_NE(text.find("\ntask softmax, run third, operation 1, group 0, member 0\nthe same program in 2 other "
                        "answers: operation 1, group 0, member 1; operation 1, group 0, member 2\n"),
              std::string::npos)
        << text;
}

TEST_F(StoreCommands, ShowSaysWhatIsMissing) {
    EXPECT_EQ(error_text([] { find_evidence(Journal::read("first"), "j3"); }),
              "j3: 2 judgements begin so: j30, j31; give more of the id");
    EXPECT_EQ(find_evidence(Journal::read("first"), "zz"), std::nullopt);
    output({"show", "zz"}, 3);
    EXPECT_EQ(error_text([] { Journal::read("frist"); }),
              "frist: no run of this name, and no folder that holds one; did you mean \"first\"?; runs here: first");
    for (int i = 0; i < 11; ++i) Journal::create("runs/r" + std::to_string(i), {"r", "r.lua", "", "0.1.0", 7, {}, {}});
    const std::string text = error_text([] { Journal::read("frist"); });
    EXPECT_EQ(std::count(text.begin(), text.end(), ','), 10) << text;
    EXPECT_EQ(text.substr(text.size() - 11), " and 2 more");
}

TEST_F(StoreCommands, BestPrefersWhatWasMeasuredAgain) {
    EXPECT_EQ(output({"best", "first", "-o", "out"}),
              "softmax                          2.000x [1.900, 2.100] at 95 % against eager, measured again on fresh "
              "inputs\n                                 faster, but luck may be in it: 3.100x [3.000, 3.200] at 95 % "
              "against eager, measured once; hone show bbb2 --run first\n");
    EXPECT_EQ(read_file("out/softmax.cpp"),
              "// softmax: 2.000x [1.900, 2.100] at 95 % against eager, measured again on fresh inputs\n// run first, "
              "candidate "
              "ccc3\none\n2\nthree\n");
}

// A folder's name is what its user sees; its journal still holds the name that the run began with.
TEST_F(StoreCommands, ACopiedRunIsNamedByItsFolder) {
    fs::copy("runs/first", "runs/a copy", fs::copy_options::recursive);
    const std::string best = output({"best", "a copy"});
    EXPECT_NE(best.find("; hone show bbb2 --run 'a copy'\n"), std::string::npos) << best;
    EXPECT_NE(read_file("best/a copy/softmax.cpp").find("// run a copy, candidate ccc3\n"), std::string::npos);
    EXPECT_EQ(output({"show", "bbb2", "--run", "a copy"}).find("run first"), std::string::npos);
    std::vector<std::string> names;
    const Json runs = Json::parse(output({"runs", "--json"}));
    for (const Json& run : runs["runs"]) names.push_back(run["run"]);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"a copy", "first"}));
    EXPECT_EQ(Json::parse(output({"report", "runs/a copy/", "--json"}))["run"], "a copy");
}

TEST_F(StoreCommands, AProgramWhoseTextIsDamagedIsToldAndNotWritten) {
    Database("runs/first/journal.sqlite", Database::Mode::write)
        .run("UPDATE text SET body = 'cuckoo' WHERE body LIKE 'other%'");
    const auto told = [&](const std::vector<std::string>& words) {
        ::testing::internal::CaptureStderr();
        EXPECT_EQ(output(words, 4), "");
        return ::testing::internal::GetCapturedStderr();
    };
    const std::string program = "the code of program bbb2";
    EXPECT_NE(told({"best", "first", "-o", "out"}).find(program + " of task \"softmax\" is not what was recorded"),
              std::string::npos);
    EXPECT_FALSE(fs::exists("out"));
    EXPECT_NE(told({"show", "bbb2", "--run", "first"}).find(program + " is not what was recorded"), std::string::npos);
}

TEST_F(StoreCommands, BestAsADocumentTellsTheSame) {
    const Json best = Json::parse(output({"best", "first", "-o", "out", "--json"}));
    EXPECT_EQ(best["schema"], "hone.best/1");
    ASSERT_EQ(best["programs"].size(), 1u);
    const Json& program = best["programs"][0];
    EXPECT_EQ(program["task"], "softmax");
    EXPECT_EQ(program["file"], "out/softmax.cpp");
    EXPECT_NEAR(program["speedup"]["estimate"].get<double>(), 2.0, 1e-9);
    EXPECT_NEAR(program["once"]["speedup"]["estimate"].get<double>(), 3.1, 1e-9);
}

TEST_F(StoreCommands, TasksOfOneNameHaveABestEach) {
    Journal journal = Journal::create("runs/names", {"names", "names.lua", "", "0.1.0", 7, {}, {}});
    for (const char* const hash : {"aaaaaaaa1", "bbbbbbbb2"}) {
        Judgement judgement = judged(hash, "ddd4", 1.9);
        judgement.task_hash = hash;
        journal.put_judgement({journal.begin("collect", {}), 0, 0}, program("ddd4", "one\n"), judgement);
    }
    const std::string text = output({"best", "names", "-o", "out"});
    EXPECT_NE(text.find("softmax aaaaaaaa "), std::string::npos) << text;
    EXPECT_NE(text.find("softmax bbbbbbbb "), std::string::npos) << text;
    EXPECT_TRUE(fs::exists("out/softmax_bbbbbbbb.cpp"));
}

TEST_F(StoreCommands, PassedJudgementsThatAreNoScoresAreTold) {
    Journal journal = Journal::create("runs/seen", {"seen", "seen.lua", "", "0.1.0", 7, {}, {}});
    for (const char* const hash : {"ddd4", "eee5"}) {
        Judgement judgement = judged(std::string("j") + hash, hash, 1.9);
        judgement.defences_off = {"revealed"};
        journal.put_judgement({journal.begin("collect", {}), 0, 0}, program(hash, hash), judgement);
    }
    const std::string text = output({"report", "seen"});
    EXPECT_NE(
        text.find("\n2 passed judgements are no scores (revealed): they are in no archive and not in `hone best`\n"),
        std::string::npos)
        << text;
    EXPECT_EQ(Json::parse(output({"report", "seen", "--json"}))["no_score"],
              (Json{{{"why", {"revealed"}}, {"passed", 2}}}));
    ::testing::internal::CaptureStderr();
    output({"best", "seen"}, 1);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(),
              "hone: runs/seen: programs passed, but none has a score: 2 passed judgements are no scores (revealed); "
              "judge without what the brackets name: an option of the judge, or of the verifier\n");
    journal.put_judgement({journal.begin("collect", {}), 0, 0}, program("fff6", "f"), judged("jf", "fff6", 1.9));
    ::testing::internal::CaptureStderr();
    output({"best", "seen"});
    EXPECT_EQ(::testing::internal::GetCapturedStderr(),
              "hone: left out: 2 passed judgements are no scores (revealed)\n");
    EXPECT_EQ(Json::parse(output({"best", "seen", "--json"}))["no_score"][0]["passed"], 2);
}

// Of a timer that reads joules: every number in that unit, and ratios of costs.
TEST_F(StoreCommands, AnotherUnitIsShownInItsOwnWords) {
    Journal journal = Journal::create("runs/meter", {"meter", "meter.lua", "", "0.1.0", 7, {}, {}});
    Judgement judgement = judged("m1", "ddd4", 1.9);
    judgement.unit = "J", judgement.outcome = "less";
    judgement.seconds.swap(judgement.cost);
    journal.put_judgement({journal.begin("collect", {}), 0, 0}, program("ddd4", "one\n"), judgement);
    const std::string text = output({"show", "m1", "--run", "meter"});
    EXPECT_NE(text.find("m1  PASSED  less 0.500x [0.476, 0.526] in energy against eager\n"), std::string::npos) << text;
    EXPECT_NE(text.find(" mJ  #"), std::string::npos) << text;
    EXPECT_EQ(text.find(" ms  "), std::string::npos) << text;
    EXPECT_EQ(
        output({"best", "meter", "-o", "out"}),
        "softmax                          uses 0.500x [0.476, 0.526] in energy at 95 % against eager, measured once\n");
    EXPECT_EQ(journal.find({}).at(0).unit, "J");
}

TEST_F(StoreCommands, EachUnitHasABest) {
    Journal journal = Journal::create("runs/both", {"both", "both.lua", "", "0.1.0", 7, {}, {}});
    Judgement joules = judged("m1", "ddd4", 1.9);
    joules.unit = "J", joules.outcome = "less";
    joules.seconds.swap(joules.cost);
    journal.put_judgement({journal.begin("collect", {}), 0, 0}, program("ddd4", "one\n"), joules);
    journal.put_judgement({journal.begin("collect", {}), 0, 0}, program("eee5", "two\n"), judged("m2", "eee5", 1.4));
    EXPECT_EQ(
        output({"best", "both", "-o", "out"}),
        "softmax in J                     uses 0.500x [0.476, 0.526] in energy at 95 % against eager, measured once\n"
        "softmax in s                     1.500x [1.400, 1.600] at 95 % against eager, measured once\n");
    EXPECT_TRUE(read_file("out/softmax_in_J.cpp").ends_with("\none\n"));
    EXPECT_TRUE(read_file("out/softmax_in_s.cpp").ends_with("\ntwo\n"));
}

TEST_F(StoreCommands, RunsAreListed) {
    const Json runs = Json::parse(output({"runs", "--json"}))["runs"];
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0]["judgements"], 5);
    EXPECT_EQ(runs[0]["passed"], 4);
    Journal journal = Journal::create("runs/a-later-one", {"a-later-one", "a.lua", "", "0.1.0", 7, {}, {}});
    journal.put_event(journal.begin("step", {}), "step", {{"stage", "sft"}, {"update", 3}, {"of", 9}});
    { Journal::resume("runs/first", {"first", "", "", "", 7, {}, {}}).put_event(0, "end", {{"state", "finished"}}); }
    const std::string text = output({"runs"});
    const std::string title =
        "run          begun (UTC)       state     last step       seed  ops  judged  passed   USD\n";
    EXPECT_EQ(text.substr(0, title.size()), title);
    const std::size_t first = text.find("\nfirst "), later = text.find("\na-later-one "),
                      finished = text.find("  finished  ");
    EXPECT_LT(first, finished) << text;
    EXPECT_LT(finished, later) << "in the order in which they began, whatever was written last";
    EXPECT_NE(text.find("  running   sft update 3/9 "), std::string::npos) << text;
    fs::create_directories("runs/odd");
    write_file("runs/odd/journal.sqlite", "no database, but long enough to be looked at as one");
    EXPECT_NE(output({"runs"}).find("damaged, or no journal of hone"), std::string::npos);
}

}  // namespace
}  // namespace hone
