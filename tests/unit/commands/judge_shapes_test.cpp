// `hone judge --shape` and `--sweep`.
#include <gtest/gtest.h>
#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <thread>
#include "base/json.hpp"
#include "commands/command_line.hpp"

namespace hone {
namespace {

TEST(JudgeCommand, AProgramIsJudgedAtAnotherShape) {
    const Ran ran = run({"judge", "fake/row-sum", file_with("5 8 0"), "--shape", "R=4,C=128"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.out.find("\n  task      fake/row-sum:4x128 at C = 128, R = 4\n"), std::string::npos) << ran.out;
    const Ran one = run({"judge", "fake/row-sum", file_with("5 8 0"), "--shape", "R=4", "--json"});
    EXPECT_EQ(Json::parse(one.out).at("sizes"), (Json{{"R", 4}, {"C", 64}})) << "a size that is not named stays";
}

TEST(JudgeCommand, AShapeThatTheTaskDoesNotHaveIsRefused) {
    const auto refusal = [](const std::string& flag, const std::string& sizes) {
        const Ran ran = run({"judge", "fake/row-sum", file_with("5 8 0"), flag, sizes});
        EXPECT_EQ(ran.code, 2) << sizes;
        return ran.err;
    };
    const std::string sizes = "; sizes of the task: R = 16, C = 64\n";
    EXPECT_EQ(refusal("--shape", "N=4"), "hone: --shape: the task has no size \"N\"" + sizes);
    EXPECT_EQ(refusal("--shape", "C=wide"), "hone: --shape: C = \"wide\" is no whole number" + sizes);
    EXPECT_EQ(refusal("--shape", ""), "hone: --shape: names no size" + sizes);
    EXPECT_EQ(refusal("--shape", "64"), "hone: --shape: \"64\" names no size" + sizes);
    EXPECT_EQ(refusal("--shape", "C=64,C=128"), "hone: --shape: names \"C\" twice" + sizes);
    EXPECT_EQ(refusal("--shape", "C=64,128"), "hone: --shape: C has several values; write --sweep C=64,128\n");
    EXPECT_EQ(refusal("--sweep", "N=4,8"), "hone: --sweep: the task has no size \"N\"" + sizes);
    const Ran zero = run({"judge", "fake/row-sum", file_with("5 8 0"), "--shape", "C=0"});
    EXPECT_EQ(zero.code, 3);
    EXPECT_EQ(zero.err, "hone: fake/row-sum: task \"row-sum\": shape: C = 0 is no positive whole number below 2^31\n");
}

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

// A program of constant cost, so each row has the same times.
TEST(JudgeCommand, ASweepIsATableOverSizes) {
    const Ran ran = run({"judge", "fake/row-sum", file_with("5 8 0"), "--sweep", "C=64,128,R=4,8"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    const std::vector<std::string> rows = lines_of(ran.out);
    ASSERT_EQ(rows.size(), 5u) << ran.out;
    EXPECT_EQ(rows[0], "R  C    verdict  ratio  interval      outcome  program  baseline  roofline  evidence");
    const std::string row = "4  64   PASSED   1.25x  1.25 to 1.25  faster   200 us   250 us    0.052 %";
    EXPECT_EQ(rows[1].substr(0, row.size()), row);
    EXPECT_EQ(rows[4].substr(0, 16), "8  128  PASSED  ");
}

// Its other shapes may do.
TEST(JudgeCommand, ASweepGoesOnWhereTheOtherProgramFails) {
    const Ran ran = run(
        {"judge", "fake/row-sum", file_with("5 8 0"), "--sweep", "C=64,128", "--against", file_with("5 8 0 outside")});
    EXPECT_EQ(ran.code, 4) << ran.out;
    const std::vector<std::string> rows = lines_of(ran.out);
    ASSERT_EQ(rows.size(), 5u) << ran.out;
    EXPECT_EQ(rows[1], "16  64   INFRASTRUCTURE");
    EXPECT_NE(rows[4].find("writes outside output"), std::string::npos) << rows[4];
}

// To this process alone: a bench hears of it from the judge.
TEST(JudgeCommand, ASweepThatIsInterruptedShowsItsRows) {
    std::string sizes = "C=64";
    for (int c = 65; c < 2000; ++c) sizes += "," + std::to_string(c);
    const std::filesystem::path kept = std::filesystem::path(getenv("XDG_STATE_HOME")) / "hone/evidence";
    std::filesystem::remove_all(kept);
    std::thread person([&] {
        struct sigaction now {};
        while (now.sa_handler == SIG_DFL) usleep(1000), sigaction(SIGINT, nullptr, &now);
        while (!std::filesystem::exists(kept) || std::filesystem::is_empty(kept)) usleep(10000);
        kill(getpid(), SIGINT);
    });
    const Ran ran = run({"judge", "fake/row-sum", file_with("5 8 0"), "--sweep", sizes});
    person.join();
    EXPECT_EQ(ran.code, 130);
    EXPECT_TRUE(ran.out.starts_with("R   C ")) << ran.out;  // as wide as what was judged
    EXPECT_NE(ran.out.find("\n16  64 "), std::string::npos) << ran.out;
    EXPECT_NE(ran.err.find("hone: interrupted: it ends"), std::string::npos) << ran.err;
}

TEST(JudgeCommand, ASweepWithoutSizesTakesTheShapesOfTheFile) {
    const Ran ran = run({"judge", "fake/axpy", "--sweep", file_with("3 1 4"), "--json"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    const Json doc = Json::parse(ran.out);
    EXPECT_EQ(doc.at("schema"), "hone.sweep/1");
    EXPECT_EQ(doc.at("task"), "fake/axpy");
    ASSERT_EQ(doc.at("judgements").size(), 2u);
    EXPECT_EQ(doc["judgements"][1]["task"], "axpy:512");
    EXPECT_EQ(doc["judgements"][1]["verdict"], "PASSED");
    const Ran both = run({"judge", "fake/axpy", "--sweep", "--shape", "N=1024", file_with("3 1 4")});
    EXPECT_EQ(both.code, 2);
    EXPECT_EQ(both.err,
              "hone: --sweep: without sizes it takes the shapes of the task's file, not --shape's; write --sweep "
              "C=256,1024, or leave out --shape\n");
    EXPECT_EQ(run({"judge", "fake/axpy", "--sweep", "N=8,16", "--shape", "N=1024", file_with("3 1 4")}).err,
              "hone: --sweep: N has a value of --shape too; name each size in one of the two\n");
}

TEST(JudgeCommand, ASweepWithARejectedShapeExitsWithOneAndTellsTheReason) {
    const Ran ran = run({"judge", "fake/axpy", file_with("3 1 4 outside"), "--sweep=N=64,128"});
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_NE(ran.out.find("\nN = 128: RUNTIME_ERROR: it writes outside output \"o\"\n"), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace hone
