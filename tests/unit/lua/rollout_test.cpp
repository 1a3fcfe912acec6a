// run:rollout, stopped while it samples: what was answered is kept, Ctrl-C is told as such, and the run goes on from
// there.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <atomic>
#include <csignal>
#include <thread>
#include "policies/scripted_server.hpp"
#include "stopped_run.hpp"
#include "store/report/report.hpp"
#include "store/sqlite.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

using test::judge_and_task;
using StoppedRollout = test::StoppedRun;

const std::string ten_from_a_server =
    judge_and_task +
    "local prompts = { { task = task, messages = { \"slow\", fenced = false } } }\n"
    "for i = 2, 10 do prompts[i] = { task = task, messages = { \"quick\", fenced = false } } end\n"
    "run:rollout { policy = run:policy(\"http\", { model = \"openai/scripted\" }), judge = judge, prompts = prompts "
    "}\n";
const std::string many_from_a_local_model = judge_and_task +
                                            "local policy = run:policy(\"torch-lm\", { batch = 8, threads = 1 })\n"
                                            "run:rollout { policy = policy, judge = judge, prompts = { { task = task, "
                                            "messages = \"<|task|>axpy<|code|>\" } }, group = 400,\n"
                                            "    max_tokens = 100 }\n";

class StoppedRemoteRollout : public StoppedRollout, public ::testing::WithParamInterface<int> {};

TEST_P(StoppedRemoteRollout, OnlyTheAnswerThatIsMissingIsAskedForAgain) {
    std::atomic<bool> held = true;
    const test::ScriptedServer server("{}", [&](const Json& request) {
        if (request["messages"].back()["content"] == "slow") held.wait(true);
        return "3 1 4";
    });
    write_file("the script.lua", ten_from_a_server);
    const int status = stop_after(9, GetParam(), server.base_url());
    EXPECT_EQ(kept("answer"), 9);
    if (GetParam() == SIGINT) expect_interrupted(status);
    held = false, held.notify_all();
    EXPECT_EQ(server.requests().size(), 10u);
    EXPECT_EQ(resume(server.base_url()), 0) << read_file("said");
    EXPECT_EQ(server.requests().size(), 11u);
    EXPECT_EQ(server.requests().back()["body"]["messages"][0]["content"], "slow");
    EXPECT_EQ(kept("answer"), 10);
    EXPECT_EQ(kept("judgement WHERE verdict = 'PASSED'"), 10);
}

INSTANTIATE_TEST_SUITE_P(By, StoppedRemoteRollout, ::testing::Values(SIGKILL, SIGINT),
                         [](const auto& with) { return std::string(with.param == SIGINT ? "CtrlC" : "Kill"); });

// Another model, address or body is refused where answers of the first are kept: an operation has one author.
TEST_F(StoppedRollout, AnotherModelDoesNotGoOn) {
    const test::ScriptedServer server("{}", [&](const Json& request) {
        if (request["messages"].back()["content"] == "slow") std::this_thread::sleep_for(std::chrono::seconds(1));
        return "3 1 4";
    });
    std::string script = ten_from_a_server;
    script.replace(script.find("\"openai/scripted\""), 17, "io.open('cheap') and 'openai/cheap' or 'openai/dear'");
    write_file("the script.lua", script);
    stop_after(5, SIGKILL, server.base_url());
    const std::size_t asked = server.requests().size();
    write_file("cheap", "");
    const int status = resume(server.base_url());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3) << status;
    EXPECT_NE(read_file("said").find("operation 1 (rollout) was recorded with another value of \"asks.model\": "
                                     "\"openai/dear\", now \"openai/cheap\"; "),
              std::string::npos)
        << read_file("said");
    EXPECT_EQ(server.requests().size(), asked);
    fs::remove("cheap");
    EXPECT_EQ(resume(server.base_url()), 0) << read_file("said");
    const Json row = Journal::read("stopped")
                         .rows(
                             "SELECT count(*) AS n, count(DISTINCT doc ->> '$.model') AS models "
                             "FROM answer")
                         .at(0);
    EXPECT_EQ(row, (Json{{"n", 10}, {"models", 1}}));
}

TEST_F(StoppedRollout, ACutAnswerWithoutAProgramSaysThatItWasCut) {
    const test::ScriptedServer server(
        R"({"then": {"body": {"choices": [{"message": {"content": "```fake\n3 1"}, "finish_reason": "length"}]}}})");
    write_file("the script.lua", judge_and_task +
                                     "run:rollout { policy = run:policy('http', { model = 'openai/m' }), judge = "
                                     "judge, prompts = { { task = task, messages = 'q' } }, max_tokens = 16 }\n");
    int status = -1;
    EXPECT_TRUE(start(false, server.base_url()).wait(60, &status));
    EXPECT_EQ(status, 0) << read_file("said");
    EXPECT_EQ(Journal::read("stopped").rows("SELECT reason FROM judgement").at(0)["reason"],
              "the ```fake block is not closed: the answer was cut at max_tokens = 16");
}

TEST_F(StoppedRollout, WhatARemoteModelDoesNotTakeIsInTheReport) {
    const test::ScriptedServer server(
        R"({"steps": [{"status": 400, "body": {"error": {"message": "no", "param": "temperature"}}}], "text": "3 1 4"})");
    write_file("the script.lua", ten_from_a_server);
    int status = -1;
    EXPECT_TRUE(start(false, server.base_url()).wait(60, &status));
    EXPECT_EQ(status, 0) << read_file("said");
    EXPECT_NE(report_text(report_json(Journal::read("stopped")))
                  .find("answers by http base_url=" + server.base_url() +
                        " model=openai/scripted protocol=chat\n  openai/scripted does not take \"temperature\": it is "
                        "left out from "
                        "now on\n"),
              std::string::npos);
}

// A filter's refusal that was kept would stop each resumed run again.
TEST_F(StoppedRollout, RefusalsThatStopARunAreAskedForAgain) {
    test::ScriptedServer server(
        R"({"then": {"body": {"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]}}})");
    write_file("the script.lua", judge_and_task +
                                     "run:rollout { policy = run:policy('http', { model = 'openai/m', several = 'no' "
                                     "}), judge = judge, prompts = { { task = task, messages = { 'q', fenced = false } "
                                     "} }, group = 4 }\n");
    int status = -1;
    EXPECT_TRUE(start(false, server.base_url()).wait(60, &status));
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 4) << status << read_file("said");
    EXPECT_EQ(server.requests().size(), 4u);
    server.play(R"({"text": "3 1 4"})");
    EXPECT_EQ(resume(server.base_url()), 0) << read_file("said");
    EXPECT_EQ(server.requests().size(), 8u);
    EXPECT_EQ(kept("judgement"), 4);
}

TEST_F(StoppedRollout, MoneyOfLostAnswersStaysInTheReport) {
    const auto answers = [](const std::string& text) {
        return R"({"then": {"body": {"choices": [{"message": {"content": ")" + text +
               R"("}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 9, "completion_tokens": 5, "cost": 0.25}}}})";
    };
    test::ScriptedServer server(answers(""));
    write_file("the script.lua", judge_and_task +
                                     "run:rollout { policy = run:policy('http', { model = 'openai/m', several = 'no', "
                                     "tries = 1 }), judge = judge, prompts = { { task = task, messages = { 'q', fenced "
                                     "= false } } }, group = 4 }\n");
    int status = -1;
    EXPECT_TRUE(start(false, server.base_url()).wait(60, &status));
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 4) << status << read_file("said");
    EXPECT_EQ(kept("answer"), 0);
    EXPECT_EQ(server.requests().size(), 4u);
    EXPECT_EQ(report_json(Journal::read("stopped"))["usd"], 1.0);
    server.play(answers("3 1 4"));
    EXPECT_EQ(resume(server.base_url()), 0) << read_file("said");
    EXPECT_EQ(report_json(Journal::read("stopped"))["usd"], 2.0);
}

// The unit is another one than this run has recorded: no judgement can be kept, and each answer was paid for.
TEST_F(StoppedRollout, AnswersOutliveJudgementsThatAreRefused) {
    const test::ScriptedServer server(R"({"text": "3 1 4"})");
    write_file("the script.lua", ten_from_a_server + "if not io.open('more') then return end\n" +
                                     ten_from_a_server.substr(judge_and_task.size()));
    int status = -1;
    EXPECT_TRUE(start(false, server.base_url()).wait(60, &status));
    ASSERT_EQ(status, 0) << read_file("said");
    write_file("more", "");
    const auto count_in = [](const std::string& unit) {
        Database("runs/stopped/journal.sqlite", Database::Mode::write)
            .run(("UPDATE judgement SET doc = json_set(doc, '$.unit', '" + unit + "')").c_str());
    };
    count_in("J");
    const int refused = resume(server.base_url());
    EXPECT_TRUE(WIFEXITED(refused) && WEXITSTATUS(refused) == 3) << refused;
    EXPECT_NE(read_file("said").find("counted in \"J\" when this run was recorded, and counts in \"s\" now"),
              std::string::npos)
        << read_file("said");
    EXPECT_EQ(kept("judgement"), 10);
    const long answers = kept("answer");
    EXPECT_GT(answers, 10);
    const std::size_t asked = server.requests().size();
    count_in("s");
    EXPECT_EQ(resume(server.base_url()), 0) << read_file("said");
    EXPECT_EQ(server.requests().size(), asked + static_cast<std::size_t>(20 - answers));
    EXPECT_EQ(kept("judgement"), 20);
}

// Requests follow each other: the first is lost, and the process is killed while the tenth is asked.
TEST_F(StoppedRollout, MoneyOfLostAnswersOutlivesAKill) {
    const Json usage = {{"prompt_tokens", 9}, {"completion_tokens", 5}, {"cost", 0.25}};
    Json steps = Json::array();
    for (int i = 0; i < 10; ++i) {
        Json body = test::completion(i == 0 ? "" : "3 1 4");
        body["usage"] = usage;
        steps.push_back({{"body", body}, {"delay", i == 9 ? 20 : 0}});
    }
    const test::ScriptedServer server(Json{{"steps", steps}}.dump());
    std::string script = ten_from_a_server;
    script.replace(script.find("\"openai/scripted\""), 17, "\"openai/scripted\", concurrency = 1, tries = 1");
    write_file("the script.lua", script);
    EXPECT_TRUE(WIFSIGNALED(stop_after(8, SIGKILL, server.base_url()))) << read_file("said");
    EXPECT_EQ(kept("answer"), 8);
    EXPECT_EQ(report_json(Journal::read("stopped"))["usd"], 2.25);
}

// A policy that settles by itself, and tells no cost of its answers, of which one comes twice.
TEST_F(StoppedRollout, WhatAPolicySettlesIsCountedByAResume) {
    write_file("the script.lua", judge_and_task +
                                     "run:rollout { policy = run:policy('mutant', { settles = '0.25', surplus = true "
                                     "}), judge = judge, prompts = { { task = task, messages = { 'q', fenced = false } "
                                     "} }, group = 2 }\n");
    setenv("HONE_PLUGIN_PATH", HONE_TEST_FIXTURE_DIR "/faulty:" HONE_TEST_PLUGIN_DIR, 1);
    setenv("HONE_FAULT", "none", 1);
    int status = -1;
    EXPECT_TRUE(start(false).wait(60, &status));
    EXPECT_EQ(status, 0) << read_file("said");
    EXPECT_EQ(resume(), 0) << read_file("said");
    for (const char* name : {"HONE_PLUGIN_PATH", "HONE_FAULT"}) unsetenv(name);
    EXPECT_EQ(kept("answer"), 2);
    const Json report = report_json(Journal::read("stopped"));
    EXPECT_EQ(report["usd"], 0.75);
    EXPECT_EQ(report["usd_maybe"], 0);
}

TEST_F(StoppedRollout, ALocalModelIsInterruptedBetweenTokens) {
    if (!fs::exists(HONE_TEST_PLUGIN_DIR "/policy.torch-lm.so")) GTEST_SKIP() << "needs LibTorch";
    write_file("the script.lua", many_from_a_local_model);
    expect_interrupted(stop_after(1, SIGINT));
    const long first = kept("answer");
    EXPECT_GE(first, 1);
    EXPECT_LT(first, 400);
    EXPECT_EQ(resume(), 0) << read_file("said");
    EXPECT_EQ(kept("answer"), 400);
    EXPECT_EQ(kept("judgement"), 400);
}

}  // namespace
}  // namespace hone
