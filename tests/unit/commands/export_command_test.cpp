// `hone export kernelbench`: fast_p, geometric means and pass@k of a run by hand, and the files that KernelBench's own
// script reads (tests/full/kernelbench_analysis.py runs that).
#include <gtest/gtest.h>
#include <unistd.h>
#include "base/paths.hpp"
#include "commands/command_line.hpp"
#include "commands/export/answers.hpp"
#include "store/journal.hpp"

namespace hone {
namespace {

// Right, `times` as fast as the fastest form of the reference, compiled, which takes 1 ms; eager takes 3.
Judgement right(const std::string& task, double times) {
    static int made = 0;
    Judgement judgement = rejected(task, "hash" + std::to_string(++made), Verdict::PASSED, "");
    judgement.id = "j" + std::to_string(made);
    judgement.outcome = "faster";
    judgement.device = "cuda";
    judgement.speedup = {times, times - 0.01, times + 0.01, 0.95, "compiled"};
    judgement.seconds = {1e-3 / times, 1e-3, {}, {}, {}, {}};
    judgement.baseline_form = "compiled";
    judgement.baseline_forms = {{"eager", 3e-3}, {"compiled", 1e-3}};
    judgement.samples = {{1e-3 / times, 9.0}, {1e-3, 9.0}, {0, 1}, {0, 0},
                         {true, false},       {},          {}};  // the second was disturbed
    return judgement;
}

class ExportCommand : public ::testing::Test {
protected:
    ExportCommand() : before_(fs::current_path()) {
        char path[] = "/tmp/hone_export_XXXXXX";
        fs::current_path(folder_ = mkdtemp(path));
        Journal journal = Journal::create("runs/first", {"first", "first.lua", "", "0.1.0", 7, {}, {}});
        const auto op = journal.begin("rollout", {});
        int member = 0;
        const auto put = [&](const Judgement& judgement) {
            const Candidate candidate{judgement.task, "code of " + judgement.hash, "", "cuda", judgement.hash};
            journal.put_judgement({op, 0, member++}, {candidate, "", ""}, judgement);
        };
        const auto wrong = [](const std::string& task, Verdict verdict) {
            return rejected(task, "wrong", verdict, "so it is");
        };
        put(right("level1_19_ReLU", 4));
        put(wrong("level1_19_ReLU", Verdict::INCORRECT_NUMERICAL));
        put(right("level1_20_LeakyReLU", 1));
        put(wrong("level1_20_LeakyReLU", Verdict::COMPILE_ERROR));
        put(wrong("level2_77_Other", Verdict::RUNTIME_ERROR));
        put(right("level2_76_Gemm_Add_ReLU", 0.9));
        put(wrong("level1_19_ReLU", Verdict::INFRASTRUCTURE));
        put(right("level1_19_ReLU:256x384", 9));
        put(right("softmax", 9));
    }
    ~ExportCommand() override {
        fs::current_path(before_);
        fs::remove_all(folder_);
    }
    static Json file(const std::string& path) { return Json::parse(read_file(path)); }

    fs::path before_, folder_;
};

// A form that was not timed says nothing of a right answer, least of all that it is wrong.
TEST_F(ExportCommand, AProblemWithoutATimeOfTheFormIsLeftOut) {
    {
        Journal journal = Journal::create("runs/forms", {"forms", "forms.lua", "", "0.1.0", 7, {}, {}});
        Judgement timed = right("level1_19_ReLU", 4), other = right("level1_20_LeakyReLU", 1);
        timed.baseline_forms->emplace("graph", 2e-3);
        const auto op = journal.begin("rollout", {});
        int member = 0;
        for (const Judgement& j : {timed, other, rejected("level1_21_Sigmoid", "w", Verdict::RUNTIME_ERROR, "so")})
            journal.put_judgement({op, 0, member++}, {Candidate{j.task, "code", "", "cuda", j.hash}, "", ""}, j);
    }
    const Ran ran = run({"export", "kernelbench", "forms", "--baseline", "graph", "--json"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    const Json level = Json::parse(ran.out).at("levels").at("1");
    EXPECT_EQ(level.at("problems"), 2);
    EXPECT_EQ(level.at("correct"), 0.5);
    EXPECT_NEAR(level.at("geomean"), 8, 1e-12);
    const Json tables = Json::parse(run({"export", "cuda-l1", "forms", "--json"}).out);
    int rows = 0;
    for (const Json& row : tables.at("baselines")) {
        if (row.at("label") != "graph") continue;
        EXPECT_EQ(row.at("tasks"), 2);
        EXPECT_EQ(row.at("right"), 1);
        ++rows;
    }
    EXPECT_EQ(rows, 1);
}

TEST_F(ExportCommand, OtherUnitsThanSecondsAreNoTimes) {
    {
        Journal journal = Journal::create("runs/meter", {"meter", "meter.lua", "", "0.1.0", 7, {}, {}});
        Judgement joules = right("level1_19_ReLU", 4);
        joules.cost = std::exchange(joules.seconds, std::nullopt);
        joules.unit = "J";
        const auto op = journal.begin("rollout", {});
        journal.put_prompt(op, 0, {{"task", joules.task}, {"stage", "rl"}});
        journal.put_judgement({op, 0, 0}, {Candidate{joules.task, "code", "", "cuda", joules.hash}, "", ""}, joules);
    }
    const auto refuses = [&](const char* form, const char* stage) {
        const Ran ran = run({"export", form, "meter", "--json", "--stage", stage});
        EXPECT_EQ(ran.code, 3);
        EXPECT_EQ(Json::parse(ran.out).at("cause"), "answers were measured in \"J\", and these files hold times");
    };
    refuses("kernelbench", "rl"), refuses("cuda-l1", "rl");
    {
        Journal journal = Journal::resume("runs/meter", {"meter", "meter.lua", "", "0.1.0", 7, {}, {}});
        journal.begin("rollout", {});
        const auto op = journal.begin("rollout", {});
        const Judgement timed = right("level1_19_ReLU", 2);
        journal.put_prompt(op, 0, {{"task", timed.task}, {"stage", "sft"}});
        journal.put_judgement({op, 0, 0}, {Candidate{timed.task, "code", "", "cuda", timed.hash}, "", ""}, timed);
    }
    refuses("kernelbench", "rl"), refuses("cuda-l1", "rl");
    const Json level = Json::parse(run({"export", "kernelbench", "meter", "--json", "--stage", "sft"}).out);
    EXPECT_NEAR(level.at("levels").at("1").at("geomean"), 2, 1e-12);
    const Ran paper = run({"export", "cuda-l1", "meter", "--json"});
    EXPECT_EQ(paper.err, "hone: left out: stage \"rl\", which was not measured in seconds\n");
    const Json tables = Json::parse(paper.out);
    EXPECT_EQ(tables.at("left_out"), Json({"rl"}));
    ASSERT_EQ(tables.at("stages").size(), 1u);
    EXPECT_EQ(tables.at("stages")[0].at("label"), "sft");
}

TEST_F(ExportCommand, LevelsHaveTheirScores) {
    const Ran ran = run({"export", "kernelbench", "first", "--json"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.err,
              "hone: left out: 1 answer that nobody could judge\n"
              "hone: left out: 2 answers to other tasks, or at other sizes than the benchmark's\n");
    const Json all = Json::parse(ran.out), level = all.at("levels").at("1");
    EXPECT_EQ(all.at("schema"), "hone.kernelbench/1");
    EXPECT_EQ(level.at("problems"), 2);
    EXPECT_EQ(level.at("answers"), 4);
    EXPECT_EQ(level.at("compiled"), 0.75);
    EXPECT_EQ(level.at("correct"), 0.5);
    EXPECT_EQ(level.at("fast"),
              Json({{"0", 0.5}, {"0.5", 0.5}, {"0.8", 0.5}, {"1", 0.25}, {"1.5", 0.25}, {"2", 0.25}}));
    EXPECT_NEAR(level.at("geomean"), 2, 1e-12);                      // of 4 and 1
    EXPECT_NEAR(level.at("geomean_of_all"), std::sqrt(2.0), 1e-12);  // of 4, 1, 1 and 1
    EXPECT_NEAR(level.at("median"), 2, 1e-12);
    EXPECT_NEAR(level.at("max"), 4, 1e-12);
    EXPECT_EQ(level.at("pass"), Json({{"1", 0.5}}));
    EXPECT_NEAR(all.at("levels").at("2").at("geomean"), 0.9, 1e-12);
    EXPECT_NEAR(all.at("levels").at("2").at("geomean_of_all"), std::sqrt(0.9), 1e-12);
}

TEST_F(ExportCommand, WhatIsNoScoreIsMarked) {
    {
        Journal journal = Journal::create("runs/seen", {"seen", "seen.lua", "", "0.1.0", 7, {}, {}});
        Judgement judgement = right("level1_19_ReLU", 4);
        judgement.defences_off = {"revealed"};
        journal.put_judgement({journal.begin("rollout", {}), 0, 0},
                              {Candidate{judgement.task, "code", "", "cuda", judgement.hash}, "", ""}, judgement);
    }
    const std::string note = "hone: not left out: 1 passed judgement is no score (revealed): no results to publish\n";
    const Json no_score = {{{"why", {"revealed"}}, {"passed", 1}}};
    const Ran kernelbench = run({"export", "kernelbench", "seen", "--out", "kb", "--json"});
    EXPECT_EQ(kernelbench.err, note);
    EXPECT_EQ(Json::parse(kernelbench.out).at("no_score"), no_score);
    EXPECT_EQ(file("kb/runs/seen-level1/eval_results.json").at("19").at(0).at("metadata").at("no_score"),
              Json({"revealed"}));
    const Ran paper = run({"export", "cuda-l1", "seen", "--json"});
    EXPECT_EQ(paper.err, note);
    EXPECT_EQ(Json::parse(paper.out).at("no_score"), no_score);
}

TEST_F(ExportCommand, RatiosMayBeTakenToAnotherFormOfTheReference) {
    const Ran ran = run({"export", "kernelbench", "first", "--baseline", "eager", "--json"});
    EXPECT_NEAR(Json::parse(ran.out).at("levels").at("1").at("max"), 12, 1e-9);
    const Ran unknown = run({"export", "kernelbench", "first", "--baseline", "eagre"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_EQ(unknown.err.substr(unknown.err.rfind("hone: --baseline")),
              "hone: --baseline: no judgement of this run has a form \"eagre\" of the reference; did you mean "
              "\"eager\"? (forms: compiled, eager)\n");
}

TEST_F(ExportCommand, FilesHaveTheBenchmarksLayout) {
    ASSERT_EQ(run({"export", "kernelbench", "first", "--out", "kb", "--hardware", "H200"}).code, 0);
    const Json results = file("kb/runs/first-level1/eval_results.json"), first = results.at("19").at(0),
               second = results.at("19").at(1);
    EXPECT_EQ(results.size(), 2u);
    EXPECT_EQ(first.at("sample_id"), 0);
    EXPECT_EQ(first.at("compiled"), true);
    EXPECT_EQ(first.at("correctness"), true);
    EXPECT_NEAR(first.at("runtime"), 0.25, 1e-12);  // milliseconds
    EXPECT_EQ(first.at("runtime_stats").at("num_trials"), 1);
    EXPECT_EQ(first.at("runtime_stats").at("hardware"), "H200");
    EXPECT_NEAR(first.at("ref_runtime"), 1, 1e-12);
    EXPECT_EQ(first.at("ref_runtime_stats").at("num_trials"), 1);
    EXPECT_EQ(first.at("metadata").at("hardware"), "H200");
    EXPECT_EQ(first.at("metadata").at("baseline"), "compiled");
    EXPECT_FALSE(second.at("metadata").contains("baseline")) << "nothing was timed beside a wrong answer";
    EXPECT_EQ(second.at("sample_id"), 1);
    EXPECT_EQ(second.at("correctness"), false);
    EXPECT_EQ(second.at("runtime"), -1.0);
    EXPECT_EQ(second.at("metadata").at("verdict"), "INCORRECT_NUMERICAL");
    EXPECT_EQ(results.at("20").at(1).at("compiled"), false);
    const Json eager = file("kb/results/timing/H200/hone_eager.json");
    EXPECT_NEAR(eager.at("level1").at("19_ReLU.py").at("mean"), 3, 1e-12);
    EXPECT_NEAR(eager.at("level2").at("76_Gemm_Add_ReLU.py").at("mean"), 3, 1e-12) << "levels share a file";
    EXPECT_EQ(eager.at("level2").at("77_Other.py").at("mean"), -1.0) << "a problem without a time counts as well";
    EXPECT_NEAR(file("kb/results/timing/H200/hone_best.json").at("level1").at("20_LeakyReLU.py").at("mean"), 1, 1e-12);
    EXPECT_EQ(file("kb/runs/first-level1/pass_at_k_results.json").at("averages").at("avg_pass@1"), 0.5);
}

// Of the fixture's six tasks five have a right answer: 4, 1, 0.9, 9 and 9 times as fast.
TEST_F(ExportCommand, ThePapersTablesCountTheBestAnswerOfEachTask) {
    const Json all = Json::parse(run({"export", "cuda-l1", "first", "--json"}).out), row = all.at("stages").at(0);
    EXPECT_EQ(all.at("schema"), "hone.cuda-l1/1");
    EXPECT_EQ(all.at("lost"), 1);
    EXPECT_EQ(row.at("tasks"), 6);
    EXPECT_EQ(row.at("right"), 5);
    EXPECT_EQ(row.at("faster"), 3);
    EXPECT_NEAR(row.at("mean"), 4.78, 1e-9);
    EXPECT_NEAR(row.at("max"), 9, 1e-9);
    EXPECT_NEAR(row.at("p50"), 4, 1e-9);
    EXPECT_NEAR(row.at("mean_of_all"), 24.9 / 6, 1e-9);
    std::vector<std::string> labels;
    for (const Json& one : all.at("baselines")) labels.push_back(one.at("label"));
    EXPECT_EQ(labels, (std::vector<std::string>{"fastest form", "fastest form, level 1", "fastest form, level 2",
                                                "compiled", "compiled, level 1", "compiled, level 2", "eager",
                                                "eager, level 1", "eager, level 2"}));
    EXPECT_NEAR(all.at("baselines").at(7).at("max"), 12, 1e-9) << "eager takes three times as long";
    const std::string text = run({"export", "cuda-l1", "first"}).out;
    EXPECT_NE(text.find("| eager, level 2 | 2.7 | 2.7 | 2.7 | 2.7 | 2.7 | 1/2 | 1/2 | 2.7 | 1.85 |\n"),
              std::string::npos)
        << text;
}

TEST_F(ExportCommand, WrongWordsAreToldTheRightOnes) {
    EXPECT_EQ(run({"export", "kernelbench", "first", "--stage", "sft"}).code, 3);
    const Ran ran = run({"export", "other", "first"});
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.err, "hone: export: \"other\" is no form of results; forms: cuda-l1, kernelbench, messages\n");
    EXPECT_EQ(run({"export", "cuda-l1", "first", "--out", "x"}).err,
              "hone: --out: belongs to the form kernelbench; cuda-l1 prints tables of all baselines\n");
    EXPECT_EQ(run({"export", "cuda-l1", "first", "--stage", "sft"}).code, 3);
}

TEST_F(ExportCommand, ALevelNeedsNoNameOfAProblem) {  // released programs have numbers alone
    EXPECT_EQ(level_of("level2_7"), 2);
    EXPECT_EQ(level_of("level1_19_ReLU"), 1);
    EXPECT_EQ(level_of("level1_19_ReLU:256x384"), std::nullopt);
    EXPECT_EQ(level_of("softmax"), std::nullopt);
}

}  // namespace
}  // namespace hone
