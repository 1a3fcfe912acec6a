// policy.replay: answers in order, and errors that say which one is missing.
#include <gtest/gtest.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>
#include "policies/policy_fixture.hpp"

namespace hone {
namespace {

using test::Ask, test::PolicyPart;

class Replay : public ::testing::Test {
protected:
    Replay() { mkdtemp(folder_); }
    ~Replay() override { std::filesystem::remove_all(folder_); }
    std::string file(const std::string& text) const {
        std::ofstream(path()) << text;
        return path();
    }
    std::string path() const { return std::string(folder_) + "/answers.jsonl"; }
    template <class Body> static std::string error(Body body) {
        try {
            body();
        } catch (const std::runtime_error& e) {
            return e.what();
        }
        return "no error";
    }

private:
    char folder_[32] = "/tmp/hone_replay_XXXXXX";
};

TEST_F(Replay, GivesAnswersInOrder) {
    PolicyPart part(
        "replay",
        {{"file",
          file("{\"task\": \"softmax\", \"text\": \"one\"}\n{\"task\": \"softmax:8x8\", \"text\": \"other shape\"}\n\n"
               "{\"task\": \"softmax\", \"text\": \"two\", \"finish\": \"length\"}\n{\"task\": \"softmax\", \"text\": "
               "\"three\"}\n")}});
    const auto answers =
        part.sample({{.messages = {{"system", "norm"}, {"user", "# Task: softmax\nlike softmax:8x8"}}, .group = 2},
                     {.messages = {{"", "<|task|>softmax:8x8<|code|>"}}}});
    EXPECT_EQ(answers.at({0, 0}).text, "one");
    EXPECT_EQ(answers.at({0, 1}).text, "two");
    EXPECT_EQ(answers.at({0, 1}).finish, HONE_LENGTH);
    EXPECT_EQ(answers.at({1, 0}).text, "other shape");
    const Ask last{.messages = {{"user", "# Task: softmax"}}};
    EXPECT_EQ(part.ask(last).text, "three");
    EXPECT_EQ(error([&] { part.ask(last); }), path() +
                                                  ": all 3 answers to the prompt that begins \"# Task: softmax\" were "
                                                  "given, and one more is asked for");
}

TEST_F(Replay, NamesWhatIsMissing) {
    const Ask ask{.messages = {{"user", "conv 3x3\nmore"}}};
    std::string missing;
    {
        PolicyPart part("replay", {{"file", file("{\"task\": \"softmax\", \"text\": \"one\"}")}});
        missing = error([&] { part.ask(ask); });
    }
    const std::string start =
        path() + ": no answer to the prompt that begins \"conv 3x3\"; record one with {\"prompt\": \"";
    ASSERT_EQ(missing.substr(0, start.size()), start);
    PolicyPart part(
        "replay",
        {{"file", file("{\"prompt\": \"" + missing.substr(start.size(), 16) + "\", \"text\": \"recorded\"}")}});
    EXPECT_EQ(part.ask(ask).text, "recorded");
}

TEST_F(Replay, RefusesBadFiles) {
    EXPECT_EQ(error([&] {
                  PolicyPart part("replay", {{"file", "/nonexistent"}});
              }),
              "option file: \"/nonexistent\" cannot be read: No such file or directory");
    EXPECT_EQ(error([&] {
                  PolicyPart part("replay", {{"file", file("{\"text\": \"x\"}\n")}});
              }),
              path() + ":1: needs either \"task\" or \"prompt\"");
    EXPECT_EQ(error([&] {
                  PolicyPart part("replay", {{"file", file("{\"task\": \"a\", \"text\": \"x\"}\nnonsense\n")}});
              }),
              path() + ":2: no JSON object");
    EXPECT_EQ(
        error([&] {
            PolicyPart part("replay", {{"file", file("{\"task\": \"a\", \"text\": \"x\", \"finish\": \"stopp\"}")}});
        }),
        path() + ":1: finish is stop, length, refusal or error, not \"stopp\"");
}

}  // namespace
}  // namespace hone
