// What one asks of `hone judge` beside the verdict: a gate, several judgings, a failing call revealed, own flags.
#include <gtest/gtest.h>
#include <sstream>
#include "base/json.hpp"
#include "base/load.hpp"
#include "base/paths.hpp"
#include "commands/command_line.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

TEST(JudgeCommand, TheLowerEndOfTheIntervalDecidesWhatIsAtLeastAskedFor) {
    const std::string twice = file_with("3 1 4");
    EXPECT_EQ(run({"judge", "fake/axpy", twice, "--at-least", "1.9"}).code, 0);
    const Ran missed = run({"judge", "fake/axpy", twice, "--at-least", "2.5"});
    EXPECT_EQ(missed.code, 1);
    EXPECT_NE(missed.out.find("\n  missed    --at-least 2.5: the interval of baseline / candidate begins at 2\n"),
              std::string::npos)
        << missed.out;
    const Ran json = run({"judge", "fake/axpy", twice, "--at-least", "2.5", "--json"});
    EXPECT_EQ(json.code, 1);
    EXPECT_EQ(Json::parse(json.out, nullptr, false).value("verdict", ""), "PASSED") << json.out;
    EXPECT_EQ(json.err, "hone: --at-least 2.5: the interval of baseline / candidate begins at 2\n");
    for (const char* text : {"fast", "0", "-1", "nan", ""}) {
        const Ran wrong = run({"judge", "fake/axpy", twice, "--at-least", text});
        EXPECT_EQ(wrong.code, 2) << text;
        EXPECT_EQ(wrong.err, std::string("hone: judge: --at-least takes a ratio above 0, not \"") + text + "\"\n");
    }
}

TEST(JudgeCommand, AProgramMayComeOnStandardInput) {
    {
        const Typed typed("3 1 4");
        const Ran ran = run({"judge", "fake/axpy", "-"});
        EXPECT_EQ(ran.code, 0) << ran.err;
        EXPECT_EQ(ran.out.substr(0, 36), "PASSED\nfaster: 2x of the reference, ");
    }
    {
        const Typed typed("I think.\n```fake\n3 1 4\n```\n");
        EXPECT_EQ(run({"judge", "fake/axpy", "-"}).code, 0) << "an answer";
    }
    {
        const Typed typed("");
        EXPECT_EQ(run({"judge", "fake/axpy", "-"}).err, "hone: -: the program is empty\n");
    }
    const Typed typed(std::string((1 << 20) + 1, ' '));
    EXPECT_EQ(run({"judge", "fake/axpy", "-"}).err,
              "hone: standard input: is longer than 1 MiB, and no program may be\n");
}

// It has no ending, and this task is of no verifier's suite.
TEST(JudgeCommand, StandardInputNeedsAVerifierWhereNothingTellsTheLanguage) {
    const std::string task = testing::TempDir() + "hone-typed.lua";
    write_file(
        task,
        R"lua(return { name = "typed", statement = "o = 2 a", spec = "typed", inputs = { { name = "a", shape = { "N" } } },
  outputs = { { name = "o", shape = { "N" } } }, shapes = { { N = 4096 } },
  reference = function(a) return array.map(function(x) return 2 * x end, a) end })lua");
    const Typed typed("no program");
    const Ran ran = run({"judge", task, "-", "--reference", "lua"});
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.err,
              "hone: judge: no verifier is known for the program on standard input; name one: --verifier ID\n");
}

TEST(JudgeCommand, SeveralJudgingsHaveOneIntervalAndALineEach) {
    const std::string twice = file_with("3 1 4");
    const Ran ran = run({"judge", "fake/axpy", twice, "--repeat", "2", "--over", "0.001"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    std::istringstream lines(ran.out);
    std::string line;
    for (const char* number : {"1 of 2", "2 of 2"}) {
        std::getline(lines, line);
        EXPECT_EQ(line.substr(0, line.find(';')),
                  std::string(number) + "  faster: 2x of the reference, 95 % interval 2 to 2");
        EXPECT_EQ(run({"show", line.substr(line.rfind(' ') + 1)}).code, 0) << line;
    }
    std::getline(lines, line);
    EXPECT_EQ(line, "faster: 2x of the reference (geometric mean), all of 2 intervals within 2 to 2");
    const Ran missed = run({"judge", "fake/axpy", twice, "--repeat", "2", "--at-least", "3", "--json"});
    EXPECT_EQ(missed.code, 1);
    const Json doc = Json::parse(missed.out, nullptr, false);
    EXPECT_EQ(doc.at("schema"), "hone.repeats/1");
    EXPECT_EQ(doc.at("judgements").size(), 2u);
    EXPECT_EQ(doc.at("lost"), 0);
    EXPECT_EQ(doc.at("outcome"), "faster");
    EXPECT_NEAR(doc["speedup"]["estimate"], 2, 1e-6);
    EXPECT_NE(doc["judgements"][0]["keys"], doc["judgements"][1]["keys"]) << "each has inputs of its own";
}

TEST(JudgeCommand, ARejectedProgramIsNotRepeated) {
    const Ran ran = run({"judge", "fake/axpy", file_with("3 1 4 outside"), "--repeat", "3"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.out.substr(0, 47), "RUNTIME_ERROR: it writes outside output \"o\"\n  f");
}

TEST(JudgeCommand, RepetitionsAreCountedAndTimed) {
    const std::string file = file_with("3 1 4");
    EXPECT_EQ(run({"judge", "fake/axpy", file, "--repeat", "1.5"}).err,
              "hone: judge: --repeat takes a number from 1 to 999, not \"1.5\"\n");
    EXPECT_EQ(run({"judge", "fake/axpy", file, "--over", "5"}).err,
              "hone: judge: --over needs --repeat: one judging is spread over no time\n");
}

// o = 2 a for one size, or two; no hidden shapes.
std::string own_task(const std::string& name, const std::string& shape, const std::string& sizes) {
    const std::string path = testing::TempDir() + "hone-own-" + name + ".lua";
    write_file(path, "return { name = \"" + name + "\", statement = \"o = 2 a\", spec = \"own\",\n" +
                         "  inputs = { { name = \"a\", shape = " + shape + " } },\n" +
                         "  outputs = { { name = \"o\", shape = " + shape + " } },\n  shapes = { " + sizes + " },\n" +
                         "  reference = function(a) return array.map(function(x) return 2 * x end, a) end }\n");
    return path;
}

Ran judge_quickly(const std::string& task, const std::string& code, std::vector<std::string> more = {}) {
    const std::string file = testing::TempDir() + "hone-own-" + std::to_string(std::hash<std::string>()(code)) + ".cpp";
    write_file(file, code);
    std::vector<std::string> words = {
        "judge", task, file, "--reference", "lua", "--set", "judge.seconds=0.05", "--set", "judge.pairs=8"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
}

// The judge draws shapes of its own, so that a task without hidden ones is safe all the same.
TEST(JudgeCommand, AKernelForTheTimedSizeAloneFailsOnATaskWithoutHiddenShapes) {
    const Ran two = judge_quickly(own_task("two", "{ \"R\", \"C\" }", "{ R = 64, C = 128 }"),
                                  "extern \"C\" void k(const float* a, float* o, long R, long C) {\n"
                                  "    for (long i = 0; i < 64 * 128; i++) o[i] = 2 * a[i];\n}\n",
                                  {"--json"});
    EXPECT_EQ(two.code, 1) << two.out;
    EXPECT_EQ(Json::parse(two.out, nullptr, false)["failure"].value("shape", ""), "hidden") << two.out;
    const Ran one = judge_quickly(own_task("one", "{ \"N\" }", "{ N = 8192 }"),
                                  "extern \"C\" void k(const float* a, float* o, long N) {\n"
                                  "    for (long i = 0; i < 8192; i++) o[i] = 2 * a[i];\n}\n",
                                  {"--json"});
    EXPECT_EQ(one.code, 1) << one.out;
    EXPECT_EQ(Json::parse(one.out, nullptr, false)["failure"].value("shape", ""), "hidden") << one.out;
}

// Secret otherwise: a program could tell what it was given by the way in which it fails.
TEST(JudgeCommand, AFailingCallIsRevealedToWhoAsks) {
    const std::string task = own_task("revealed", "{ \"N\" }", "{ N = 4096 }");
    const std::string code =
        "extern \"C\" void k(const float* a, float* o, long N) {\n    for (long i = 0; i < N; i++) o[i] = 2 * a[i];\n"
        "    if (N != 4096 && N > 7) o[7] = 12345;\n}\n";
    const Ran secret = judge_quickly(task, code);
    EXPECT_EQ(secret.code, 1);
    EXPECT_EQ(secret.out.find("12345"), std::string::npos) << secret.out;
    const Ran ran = judge_quickly(task, code, {"--reveal"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_NE(ran.out.find("\n  wrong     o[7] is 12345, not "), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("\n  no score  with --reveal secret inputs may be known\n"), std::string::npos) << ran.out;
    const Json judged = Json::parse(judge_quickly(task, code, {"--reveal", "--json"}).out, nullptr, false);
    EXPECT_EQ(judged["defences_off"], Json::array({"revealed"}));
    const Json failure = judged["failure"];
    EXPECT_NE(failure["sizes"]["N"], 4096);
    EXPECT_EQ(failure["elements"][0]["index"], Json::array({7}));
    EXPECT_EQ(failure["elements"][0]["got"], 12345);
    const fs::path folder = failure.value("folder", "");
    for (const char* name : {"input-a.npy", "output-o.npy", "expected-o.npy"})
        EXPECT_TRUE(fs::exists(folder / name)) << folder / name;
    const std::string output = read_file(folder / "output-o.npy");
    float seventh = 0;
    std::memcpy(&seventh, output.data() + output.find('\n') + 1 + 7 * sizeof seventh, sizeof seventh);
    EXPECT_EQ(seventh, 12345.0F);
}

TEST(JudgeCommand, FlagsOfOnesOwnMakeNoScore) {
    const std::string task = own_task("flags", "{ \"N\" }", "{ N = 65536 }");
    const std::string code =
        "extern \"C\" void k(const float* a, float* o, long N) {\n#ifndef __FAST_MATH__\n#error plain\n#endif\n"
        "    for (long i = 0; i < N; i++) o[i] = 2 * a[i];\n}\n";
    EXPECT_EQ(judge_quickly(task, code).out.substr(0, 13), "COMPILE_ERROR");
    const Ran ran = judge_quickly(task, code, {"--set", "verifier.flags=-Ofast -mtune=native", "--json"});
    const Json judged = Json::parse(ran.out, nullptr, false);
    EXPECT_NE(judged.value("verdict", "COMPILE_ERROR"), "COMPILE_ERROR") << ran.out << ran.err;
    EXPECT_EQ(judged["trust"], "host, compiled with -Ofast -mtune=native");
    EXPECT_EQ(judged["defences_off"], Json::array({"it was compiled with -Ofast -mtune=native"}));
    EXPECT_FALSE(judged["facts"].contains("no_score"));
    const Ran refused = judge_quickly(task, code, {"--set", "verifier.flags=-fplugin=x.so"});
    EXPECT_EQ(refused.code, 3);
    EXPECT_NE(refused.err.find("option \"flags\": \"-fplugin=x.so\" is not allowed: only -O"), std::string::npos)
        << refused.err;
}

TEST(JudgeCommand, TheVectorsOfAProgramAreCounted) {
    const Ran ran = judge_quickly(own_task("vectors", "{ \"N\" }", "{ N = 65536 }"),
                                  "extern \"C\" void k(const float* a, float* o, long N) {\n"
                                  "    for (long i = 0; i < N; i++) o[i] = 2 * a[i];\n}\n",
                                  {"--json"});
    const Json judged = Json::parse(ran.out, nullptr, false);
#ifdef __x86_64__
    EXPECT_NE(judged["facts"].value("resources", "").find("-bit vectors in "), std::string::npos) << ran.out;
#endif
}

// The fake device's clock is disturbed by no load.
TEST(JudgeCommand, TheLoadOfTheMachineIsPartOfTheEvidence) {
    const std::string code =
        "extern \"C\" void k(const float* a, float* o, long N) {\n    for (long i = 0; i < N; i++) o[i] = 2 * "
        "a[i];\n}\n";
    const Json judged = Json::parse(judge_quickly(own_task("load", "{ \"N\" }", "{ N = 65536 }"), code, {"--json"}).out,
                                    nullptr, false);
    if (judged.value("passed", false)) {
        EXPECT_EQ(judged["wall"].contains("foreign"), core_times(usable_cores()).has_value()) << judged["wall"];
        EXPECT_EQ(judged["wall"].contains("stolen"), judged["wall"].contains("foreign"));
    }
    const Json fake = Json::parse(run({"judge", "fake/axpy", file_with("3 1 4"), "--json"}).out, nullptr, false);
    EXPECT_EQ(fake.value("passed", false), true);
    EXPECT_FALSE(fake["wall"].contains("foreign")) << fake["wall"];
}

}  // namespace
}  // namespace hone
