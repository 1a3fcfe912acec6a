// What `hone judge` prints of a judgement, to the letter.
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include "commands/judge/repeats.hpp"
#include "commands/judge/text.hpp"
#include "commands/judging.hpp"

namespace hone {
namespace {

Judgement timed(const std::string& outcome, double estimate, double lower, double upper) {
    Judgement j;
    j.verdict = Verdict::PASSED;
    j.outcome = outcome;
    j.speedup = {estimate, lower, upper, 0.95, "reference"};
    j.seconds.emplace().candidate = 1e-4;
    j.seconds->baseline = 1e-4 * estimate;
    j.pairs = 50;
    j.noise = std::log(1.5);
    j.task = "row_sum";
    j.device = "cpu";
    j.sandbox = "L3";
    return j;
}

std::string printed(const Judgement& j) {
    testing::internal::CaptureStdout();
    print_for_people(j);
    return testing::internal::GetCapturedStdout();
}

// The floor is what a short measurement of the reference could not tell from nothing: beside a sharper interval it
// contradicts that.
TEST(JudgeText, TheNoiseFloorIsToldWhereItDecided) {
    EXPECT_EQ(printed(timed("faster", 3.36, 2.72, 4.15)),
              "PASSED\nfaster: 3.36x of the reference, 95 % interval 2.72 to 4.15\n"
              "  times     100 us, baseline 336 us (50 pairs)\n"
              "  task      row_sum\n  device    cpu, sandbox L3\n");
    EXPECT_EQ(printed(timed("ambiguous", 1.2, 1.1, 1.3)),
              "PASSED\nambiguous: 1.2x of the reference, 95 % interval 1.1 to 1.3\n"
              "  times     100 us, baseline 120 us (50 pairs)\n"
              "  restless  the reference's own times differ by 50 % just now, which covers this difference: try again "
              "when less is running\n"
              "  task      row_sum\n  device    cpu, sandbox L3\n");
    EXPECT_EQ(printed(timed("ambiguous", 1.01, 0.99, 1.03)).find("restless"), std::string::npos)
        << "its own interval decided";
}

// Twice as fast in its work, and told as 1.95x: whoever reads that must know why.
TEST(JudgeText, TheWayToTheProgramIsToldWhereItChangesTheNumber) {
    const auto call = [](double lower, double upper, double empty, const Json& clock = Json::object()) {
        Judgement j = timed("faster", 1.95, lower, upper);
        j.clock = clock;
        j.seconds->empty = empty;
        const std::string text = printed(j);
        const std::size_t at = text.find("  call");
        return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
    };
    EXPECT_EQ(call(1.94, 1.96, 4e-6),
              "  call      4 us of both times is the hand-over to the program and back; without it the ratio is about "
              "1.99x");
    EXPECT_EQ(
        call(1.94, 1.96, 4e-6, {{"calls", 12}}),
        "  call      4 us of both times is the hand-over to the program and back, with its inputs; without it the "
        "ratio is about 1.99x");
    EXPECT_EQ(call(1.85, 2.05, 4e-6), "") << "within the interval";
    EXPECT_EQ(call(1.5, 2.4, 2e-5),
              "  call      20 us of both times is the hand-over to the program and back; without it the ratio is about "
              "2.19x");
    for (const double empty : {8e-5, 1e-4})
        EXPECT_NE(call(1.94, 1.96, empty).find("without it what is left is too short to be compared"),
                  std::string::npos);
}

// Whoever reads that a program in Python is slower than the reference must know how much of that is Python.
TEST(JudgeText, TheTimeOfALanguageIsToldOfShortPrograms) {
    const auto language = [](double candidate, const std::string& baseline, double own = 5e-4) {
        Judgement j = timed("slower", 0.1, 0.09, 0.11);
        j.verifier.emplace().facts = Json({{"language_seconds", own}});
        j.seconds->candidate = candidate;
        j.speedup->baseline = baseline;
        const std::string text = printed(j);
        const std::size_t at = text.find("  language");
        return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
    };
    EXPECT_EQ(language(6e-4, "reference"),
              "  language  500 us of the program's time, and none of the reference's, may be no work but its "
              "language's own; --against FILE compares two programs that both pay");
    EXPECT_EQ(language(6e-4, "against"),
              "  language  500 us of each time may be no work but its language's own; the ratio of the work alone "
              "lies further from 1");
    EXPECT_EQ(language(2e-2, "reference"), "") << "a small share";
    EXPECT_EQ(language(6e-4, "reference", 0), "") << "machine code";
}

TEST(JudgeText, WhatMostlyIsBehindASignalIsTold) {
    EXPECT_EQ(printed(rejected("row_sum", "h", Verdict::RUNTIME_ERROR, "ended by SIGILL (Illegal instruction)"))
                  .substr(0, 120),
              "RUNTIME_ERROR: ended by SIGILL (Illegal instruction)\n"
              "  hint      so ends an instruction that this processor lacks\n  task");
}

TEST(JudgeText, WrongElementsAreToldWithAllTheirDigits) {
    Judgement j = rejected("row_sum", "h", Verdict::INCORRECT_NUMERICAL, "output \"o\" is wrong");
    j.failure.emplace();
    j.failure->tensor = "o";
    j.failure->elements = {
        {{7}, 8739195814, 8739195813}, {{1, 2}, "-inf", "inf"}, {{0}, 0.1f, "nan"}, {{3}, 1e300, -2.5}};
    const std::string text = printed(j);
    for (const char* line : {"o[7] is 8739195814, not 8739195813\n", "o[1,2] is -inf, not inf\n",
                             "o[0] is 0.100000001, not nan\n", "o[3] is 1e+300, not -2.5\n"})
        EXPECT_NE(text.find(std::string("\n  wrong     ") + line), std::string::npos) << text;
}

TEST(JudgeText, WhatWasVerifiedIsTold) {
    Judgement j = timed("faster", 2, 1.9, 2.1);
    j.verified = {300, 31, {{"C", 1}, {"R", 4}}, {{"C", 4032}, {"R", 4}}};
    EXPECT_NE(
        printed(j).find(
            "  task      row_sum\n  verified  by 300 calls of one process, 31 at the timed shape, C 1 to 4032, R 4\n"),
        std::string::npos)
        << printed(j);
}

TEST(JudgeText, ABusyMachineIsToldBesideTheInterval) {
    Judgement j = timed("faster", 2, 1.9, 2.1);
    const auto machine = [&](std::optional<double> foreign, std::optional<double> stolen) {
        j.wall.emplace().foreign = foreign;
        j.wall->stolen = stolen;
        const std::string text = printed(j);
        const std::size_t at = text.find("  machine");
        return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
    };
    EXPECT_EQ(machine(1.21, 0.0),
              "  machine   other programs used 1.2 cores while it was timed: --repeat tells by how much times change");
    EXPECT_EQ(machine(0.02, 0.34),
              "  machine   the virtual machine's host took 0.3 cores away while it was timed: --repeat tells by how "
              "much times change");
    EXPECT_EQ(machine(1.0, 0.5),
              "  machine   other programs used 1.0 cores and the virtual machine's host took 0.5 cores away while it "
              "was timed: --repeat tells by how much times change");
    EXPECT_EQ(machine(0.05, 0.05), "");
    EXPECT_EQ(machine({}, {}), "");
}

TEST(JudgeText, SlowCallsThatTheRatioLeavesOutAreTold) {
    Judgement j = timed("faster", 2, 1.9, 2.1);
    j.seconds->candidate = 50e-6, j.seconds->baseline = 100e-6;
    const auto told = [&](std::size_t slow, std::size_t slow_baseline) {
        judged::Samples& samples = j.samples.emplace();
        samples.candidate.assign(90, 50e-6), samples.baseline.assign(90, 100e-6);
        std::fill_n(samples.candidate.begin(), slow, 20e-3);
        std::fill_n(samples.baseline.begin(), slow_baseline, 20e-3);
        const std::string text = printed(j);
        const std::size_t at = text.find("  uneven");
        return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
    };
    EXPECT_EQ(
        told(9, 1),
        "  uneven    10 % of its calls cost more than twice a typical one, of the baseline's 1.1 %; with them its "
        "mean is 2.04 ms, the baseline's 321 us: the ratio leaves out up to one call in eight at each end");
    EXPECT_EQ(told(9, 5), "");
    EXPECT_EQ(told(4, 0), "");
}

TEST(JudgeText, WhatTheVerifierSaysOfTheProgramStandsBesideTheNumber) {
    Judgement j = timed("faster", 2, 1.9, 2.1);
    j.facts = {{"resources", "registers 32, shared 1024 B, spills 0 B"}};
    EXPECT_NE(printed(j).find("(50 pairs)\n  program   registers 32, shared 1024 B, spills 0 B\n"), std::string::npos)
        << printed(j);
}

TEST(JudgeText, WhatMakesItNoScoreIsSaid) {
    Judgement j = timed("faster", 2, 1.9, 2.1);
    j.defences_off = {"poison", "planted", "revealed", "it was compiled with -Ofast"};
    EXPECT_NE(printed(j).find("  no score  defence \"poison\" is switched off\n"
                              "  no score  each timed call was prolonged\n"
                              "  no score  with --reveal secret inputs may be known\n"
                              "  no score  it was compiled with -Ofast\n"),
              std::string::npos)
        << printed(j);
}

TEST(JudgeText, WhatIsRevealedOfAFailureIsListed) {
    Judgement j = rejected("row_sum", "", Verdict::INCORRECT_NUMERICAL, "output \"o\" is wrong");
    judged::Failure& failure = j.failure.emplace();
    failure.property = "wrong elements";
    failure.tensor = "o";
    failure.key = "0x7";
    failure.sizes = {{"C", 192}, {"R", 37}};
    failure.elements = {{{3, 17}, 0.25, 0.31}, {{}, std::nan(""), 1}};
    failure.folder = "/tmp/x";
    const std::string expected =
        "INCORRECT_NUMERICAL: output \"o\" is wrong\n"
        "  failed    wrong elements; the same again: --set judge.seed=0x7\n"
        "  wrong     o[3,17] is 0.25, not 0.31\n"
        "  wrong     o is nan, not 1\n"
        "  call      its inputs, outputs and truth, at C = 192, R = 37: /tmp/x/*.npy\n";
    EXPECT_EQ(printed(j).substr(0, expected.size()), expected);
}

TEST(JudgeText, WhatIsWaitedForHasWords) {
    EXPECT_EQ(phase_in_words("wait"), "waits: another program of hone has the machine");
    EXPECT_EQ(phase_in_words("time"), "times");
}

TEST(JudgeHull, HoldsEveryInterval) {
    const Judgement all =
        hull({timed("faster", 1.25, 1.21, 1.29), timed("faster", 1.63, 1.5, 1.78), timed("faster", 1.7, 1.66, 1.75)});
    EXPECT_EQ(all.outcome, "faster");
    EXPECT_EQ(all.speedup->lower, 1.21);
    EXPECT_EQ(all.speedup->upper, 1.78);
    EXPECT_NEAR(all.speedup->estimate, std::cbrt(1.25 * 1.63 * 1.7), 1e-12);
}

TEST(JudgeHull, IsAmbiguousWhereTheJudgingsDoNotAgree) {
    EXPECT_EQ(hull({timed("faster", 1.2, 1.1, 1.3), timed("slower", 0.9, 0.8, 0.95)}).outcome, "ambiguous");
    EXPECT_EQ(hull({timed("faster", 1.2, 1.1, 1.3), timed("ambiguous", 1.2, 1.1, 1.3)}).outcome, "ambiguous");
    Judgement open = timed("faster", 1.2, 1.1, 1.3);
    open.speedup->upper.reset();
    EXPECT_FALSE(hull({timed("faster", 1.2, 1.1, 1.3), open}).speedup->upper) << "no upper end";
}

}  // namespace
}  // namespace hone
