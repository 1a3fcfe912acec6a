// `hone export messages`: what is written of a run's answers, and hone.corpus's reader gives the same conversations.
#include <gtest/gtest.h>
#include <unistd.h>
#include <sstream>
#include "base/paths.hpp"
#include "commands/command_line.hpp"
#include "lua/conversations.hpp"
#include "store/journal.hpp"

namespace hone {
namespace {

class ExportMessages : public ::testing::Test {
protected:
    ExportMessages() : before_(fs::current_path()) {
        char path[] = "/tmp/hone_export_XXXXXX";
        fs::current_path(folder_ = mkdtemp(path));
    }
    ~ExportMessages() override {
        fs::current_path(before_);
        fs::remove_all(folder_);
    }

    struct Given {
        std::string role, question, answer, hash, policy;
        Verdict verdict = Verdict::PASSED;
        std::vector<std::string> defences_off{};
    };

    // A run whose one rollout asked two policies, a prompt for each answer.
    static void write(const std::vector<Given>& all) {
        Journal journal = Journal::create("runs/first", {"first", "first.lua", "", "0.1.0", 7, {}, {}});
        const auto op =
            journal.begin("rollout", {{"policies", {{"http", {{"model", "openai/m"}}}, {"own", Json::object()}}}});
        for (int g = 0; const Given& given : all) {
            const Json system = {{"role", "system"}, {"text", "You write kernels."}},
                       question = {{"role", given.role}, {"text", given.question}};
            journal.put_prompt(
                op, g,
                {{"task", "axpy"},
                 {"stage", "collect"},
                 {"step", 1},
                 {"policy", given.policy},
                 {"messages", given.role.empty() ? Json::array({question}) : Json::array({system, question})}});
            journal.put_answer({op, g, 0}, {{"text", given.answer}, {"finish", "stop"}});
            Judgement judgement = rejected("axpy", given.hash, given.verdict, "");
            judgement.id = "j" + std::to_string(g);
            judgement.defences_off = given.defences_off;
            if (judgement.passed()) judgement.speedup = {1.5, 1.4, 1.6, 0.95, "eager"};
            const Candidate candidate{"axpy", "code of " + given.hash, "", "cpp", given.hash};
            journal.put_judgement({op, g++, 0}, {candidate, "", ""}, judgement);
        }
        journal.end(op, {});
    }

    fs::path before_, folder_;
};

const std::string prose = "It is \"fast\".\n```cpp\nint x = '\\n'; // \xc3\xa9\n```\n";

// A server whose template opens the thoughts gives their end alone.
TEST_F(ExportMessages, ThoughtsThatBeganInThePromptAreNoAnswer) {
    write({{"user", "q1", "hm, a ```cpp block\n</think>\n\n" + prose, "aaa1", "own"},
           {"user", "q2", "hm </think>```cpp\nx\n```", "bbb2", "own"},
           {"user", "q3", prose + "I left out the </think> tag.", "ccc3", "own"}});
    std::istringstream lines(run({"export", "messages", "first"}).out);
    const auto answer = [&] {
        std::string line;
        std::getline(lines, line);
        return Json::parse(line)["messages"][2]["content"].get<std::string>();
    };
    EXPECT_EQ(answer(), prose);
    EXPECT_EQ(answer(), "```cpp\nx\n```");
    EXPECT_EQ(answer(), prose + "I left out the </think> tag.");
}

TEST_F(ExportMessages, VerifiedAnswersAreWrittenOnceAndReadBack) {
    write({{"user", "q1", prose, "aaa1", "http"},
           {"user", "q2", "wrong", "bbb2", "own", Verdict::INCORRECT_NUMERICAL},
           {"user", "q3", "again", "aaa1", "own"},
           {"user", "q4", " <think>\nno: </think>\nother", "ccc3", "own"},
           {"user", "q5", "no score", "ddd4", "own", Verdict::PASSED, {"poison"}},
           {"", "<|task|>", "rendered", "eee5", "own"}});
    const Ran ran = run({"export", "messages", "first", "talk.jsonl"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out, "2 conversations: talk.jsonl\n");
    EXPECT_EQ(ran.err,
              "hone: left out: 1 answer whose program stands there already\n"
              "hone: left out: 1 answer to prompts of ready-rendered text, which are no conversations\n");
    std::istringstream lines(read_file("talk.jsonl"));
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(Json::parse(line), Json({{"messages",
                                        {{{"role", "system"}, {"content", "You write kernels."}},
                                         {{"role", "user"}, {"content", "q1"}},
                                         {{"role", "assistant"}, {"content", prose}}}},
                                       {"hone",
                                        {{"task", "axpy"},
                                         {"speedup", 1.5},
                                         {"speedup_lower", 1.4},
                                         {"unit", "s"},
                                         {"teacher", "openai/m"},
                                         {"run", "first"},
                                         {"stage", "collect"},
                                         {"program", "aaa1"},
                                         {"judgement", "j0"}}}}));
    std::getline(lines, line);
    EXPECT_EQ(Json::parse(line)["hone"]["teacher"], "own");
    EXPECT_EQ(run({"export", "messages", "first"}).out, read_file("talk.jsonl"));
    const auto read = lua::read_conversations("talk.jsonl");
    ASSERT_EQ(read.size(), 2u);
    EXPECT_EQ(read[0].learnt, (std::vector<bool>{false, false, true}));
    EXPECT_EQ(read[0].messages[0].role, "system");
    EXPECT_EQ(read[0].messages[2].text, prose);
    EXPECT_EQ(read[1].messages[2].text, "other");
}

TEST_F(ExportMessages, WhatCannotBeWrittenIsRefused) {
    write({{"user", "q", "wrong", "bbb2", "own", Verdict::INCORRECT_NUMERICAL},
           {"", "<|task|>", "rendered", "eee5", "own"}});
    const Ran none = run({"export", "messages", "first", "talk.jsonl"});
    EXPECT_EQ(none.code, 3);
    EXPECT_FALSE(fs::exists("talk.jsonl"));
    EXPECT_NE(
        none.err.find("first: no verified program was written as an answer to messages; `hone report --json` counts "
                      "the verdicts; the prompt \"compact\" is ready-rendered text"),
        std::string::npos)
        << none.err;
    for (const char* form : {"messages", "cuda-l1", "kernelbench"}) {
        const Ran stage = run({"export", form, "first", "--stage", "colect"});
        EXPECT_EQ(stage.code, 3);
        EXPECT_EQ(stage.err,
                  "hone: runs/first: no stage \"colect\" with answers; did you mean \"collect\"? (stages: collect)\n");
    }
    const Ran flag = run({"export", "messages", "first", "--json"});
    EXPECT_EQ(flag.code, 2);
    EXPECT_NE(flag.err.find("--json: is not for the form messages, which writes one JSON object a line to FILE"),
              std::string::npos)
        << flag.err;
    const Ran file = run({"export", "cuda-l1", "first", "talk.jsonl"});
    EXPECT_EQ(file.code, 2);
    EXPECT_NE(file.err.find("export: \"talk.jsonl\": only the form messages writes a FILE"), std::string::npos)
        << file.err;
}

}  // namespace
}  // namespace hone
