// What a timer does wrong is the timer's fault: never the candidate's, never the machine's, and told by its name.
#include <cmath>
#include <set>
#include "base/error.hpp"
#include "base/quantity.hpp"
#include "error_text.hpp"
#include "judge_fixture.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

Recipe faulty(const Json& options) {
    const std::string file = std::string(HONE_TEST_FIXTURE_DIR) + "/faulty/timer.faulty.so";
    const Library library = Library::open({"timer", "faulty", file, {}});
    return {"timer", "faulty", file, library.file_hash(), check_options(library.options(), options, "test")};
}

JudgePlan plan_with(const Json& options, Json judge = Json::object()) {
    judge.emplace("benches", 1);
    JudgePlan plan = FakeJudge::plan(judge, Json::object(), Json::object());
    plan.timer = faulty(options);
    return plan;
}

// "VERDICT: reason" of a program that is right.
std::string says(const Json& options, Json judge_options = Json::object()) {
    Judge judge(plan_with(options, std::move(judge_options)));
    judge.submit(1, load_task("fake/axpy"), make_candidate("axpy", "fake", "3 1 4"));
    const Judgement judgement = judge.collect(60)->second;
    return verdict_name(judgement.verdict) + (judgement.reason.empty() ? "" : ": " + judgement.reason);
}

Judgement judged(const Json& options) {
    Judge judge(plan_with(options));
    judge.submit(1, load_task("fake/axpy"), make_candidate("axpy", "fake", "3 1 4"));
    return judge.collect(60)->second;
}

TEST(JudgeTimer, WhatIsNoReadingIsTheTimersFault) {
    EXPECT_EQ(says({{"fault", "none"}}), "PASSED");
    const auto gave = [](const std::string& value) {
        return "INFRASTRUCTURE: lost 3 times: timer \"faulty\": time: gave " + value + ": no reading";
    };
    EXPECT_EQ(says({{"fault", "nan"}}), gave("nan"));
    EXPECT_EQ(says({{"fault", "inf"}}), gave("inf"));
    EXPECT_EQ(says({{"fault", "zero"}}),
              gave("0") + "; a meter of coarse steps tells \"resolution\" and \"least_window\" in its facts");
    EXPECT_EQ(says({{"fault", "negative"}, {"after", 24}}), gave("-0.001"));
    EXPECT_EQ(says({{"fault", "doubts-nan"}}), gave("a tolerance of nan"));
    EXPECT_EQ(says({{"fault", "doubts-negative"}, {"after", 24}}), gave("a tolerance of -1e-06"));
    EXPECT_EQ(says({{"fault", "knows-nan"}}), gave("an independent time of nan"));
    EXPECT_EQ(says({{"fault", "knows-negative"}, {"after", 24}}), gave("an independent time of -0.0001"));
}

// By the host's count, before anything is said of outputs that nobody has written.
TEST(JudgeTimer, ACallThatIsNotMadeOnceIsTheTimersFault) {
    const auto fault = [](const char* words) {
        return std::string("INFRASTRUCTURE: lost 3 times: timer \"faulty\": ") + words;
    };
    EXPECT_EQ(says({{"fault", "twice"}}), fault("call 0 was launched twice"));
    EXPECT_EQ(says({{"fault", "forgets"}, {"after", 24}}), fault("call 0 was not launched"));
    EXPECT_EQ(says({{"fault", "leaves"}, {"after", 24}}), fault("call 0 was not waited for"));
    EXPECT_EQ(says({{"fault", "beyond"}}), fault("call 1 was launched: there is none"));
    EXPECT_EQ(says({{"fault", "elsewhere"}}), fault("call 0 was launched by another thread than time() has"));
}

// Every program would change its input.
TEST(JudgeTimer, AFlushThatWritesIsTheTimersFault) {
    const std::string lost = "INFRASTRUCTURE: lost 3 times: timer \"faulty\": flush changed ";
    EXPECT_EQ(says({{"fault", "touches-input"}}), lost + "input \"a\"");
    EXPECT_EQ(says({{"fault", "touches-output"}}), lost + "the outputs");
    EXPECT_EQ(says({{"fault", "flush-fails"}}), "INFRASTRUCTURE: timer \"faulty\": flush: the cache is locked");
}

// hone/timer.h: FAILED loses a reading; where that leaves too few, the item and not the run.
TEST(JudgeTimer, FailedLosesAReadingAndBrokenTheBench) {
    EXPECT_EQ(says({{"fault", "fail"}}), "INFRASTRUCTURE: timer \"faulty\": time: one reading was lost");
    EXPECT_EQ(says({{"fault", "break"}}), "INFRASTRUCTURE: lost 3 times: timer \"faulty\": time: the meter is gone");
    Judge judge(plan_with({{"fault", "fail"}, {"after", 24}}));  // of the reference, which the noise floor has by then
    for (const char* program : {"3 1 4", "3 2 4"}) {
        judge.submit(1, load_task("fake/axpy"), make_candidate("axpy", "fake", program));
        EXPECT_EQ(judge.collect(60)->second.reason, "timer \"faulty\": time: one reading was lost");
    }
}

TEST(JudgeTimer, WhoeverDiesIsNamedWithItsFunction) {
    EXPECT_EQ(says({{"fault", "throw"}}),
              "INFRASTRUCTURE: lost 3 times: timer \"faulty\": time: threw something that is no std::exception");
    EXPECT_EQ(says({{"fault", "crash"}}),
              "INFRASTRUCTURE: lost 3 times: the bench died of signal 11 (Segmentation fault) in timer \"faulty\" "
              "(time)");
    EXPECT_EQ(says({{"fault", "exit"}}),
              "INFRASTRUCTURE: lost 3 times: the bench ended with status 0 in timer \"faulty\" (time)");
    EXPECT_EQ(says({{"fault", "hang"}}, {{"deadline", 0.3}}),
              "INFRASTRUCTURE: lost 3 times: the bench did not end its phase \"time\" in 0.45 s (a larger "
              "judge.deadline gives it more) in timer \"faulty\" "
              "(time)");
}

// Each judging reads 128 calls for the noise floor, until enough of them are undisturbed.
TEST(JudgeTimer, ABusyMomentIsJudgedOnceMoreAndNotHandedToAllWithTheProgram) {
    const auto judge_three = [](Judge& judge) {
        for (std::uint64_t ticket = 1; ticket <= 3; ++ticket)
            judge.submit(ticket, load_task("fake/axpy"), make_candidate("axpy", "fake", "3 1 4"));
        std::set<std::string> said;
        while (judge.pending()) {
            const Judgement judgement = judge.collect(60)->second;
            said.insert(std::string(verdict_name(judgement.verdict)) + ": " + judgement.reason);
        }
        return said;
    };
    Judge calm(plan_with({{"fault", "disturbed"}, {"until", 128}}));
    EXPECT_EQ(judge_three(calm), std::set<std::string>{"PASSED: "});
    Judge busy(plan_with({{"fault", "disturbed"}, {"until", 256}}));
    EXPECT_EQ(judge_three(busy),
              std::set<std::string>{"INFRASTRUCTURE: timer \"faulty\" discarded 128 of 128 readings: this machine is "
                                    "too busy to time anything, or the timer is at fault; try again when less is "
                                    "running on it"});
    EXPECT_EQ(judge_three(busy), std::set<std::string>{"PASSED: "}) << "the next submission is a new judging";
}

TEST(JudgeTimer, WhereNothingIsReadTheTaskIsNotToBlame) {
    EXPECT_EQ(
        says({{"fault", "disturbed"}, {"resolution", 1e-6}}),
        "INFRASTRUCTURE: timer \"faulty\" discarded 16 of 16 readings: this machine is too busy to time anything, "
        "or the timer is at fault; try again when less is running on it");
    EXPECT_EQ(says({{"fault", "fail"}, {"resolution", 1e-6}}),
              "INFRASTRUCTURE: timer \"faulty\": time: one reading was lost");
}

// A tenth of a second a reading: the deadline comes after two pairs, sooner where this machine is busy.
TEST(JudgeTimer, ADeadlineThatEndsAMeasurementIsNamed) {
    const std::string said = says({{"fault", "slow"}, {"after", 24}, {"window", 1e-9}, {"resolution", 1e-9}},
                                  {{"deadline", 0.4}}),
                      begin = "INFRASTRUCTURE: judge.deadline, which is 400 ms, ended the measurement after ",
                      end = "; make it longer (--set judge.deadline=SECONDS), or the timer's \"least_window\" shorter";
    EXPECT_TRUE(said.starts_with(begin) && said.ends_with(end)) << said;
}

// The fake device's 0.2 ms pass in no time.
TEST(JudgeTimer, WhatNoClockCanReadIsTheTimersFault) {
    const std::string said = says({{"real", true}, {"fault", "milliseconds"}}),
                      begin = "INFRASTRUCTURE: lost 3 times: timer \"faulty\": time: gave 200 ms for a run that took ",
                      end = " by the bench's clock; its unit is \"s\", of seconds";
    EXPECT_TRUE(said.starts_with(begin) && said.ends_with(end)) << said;
    EXPECT_EQ(
        says({{"real", true}, {"unit", "J"}, {"fault", "stands"}}),
        "INFRASTRUCTURE: lost 3 times: timer \"faulty\": time: gave exactly 10 uJ in 20 of 20 readings, and tells "
        "no \"resolution\" that explains it");
}

TEST(JudgeTimer, ASteadyOffsetOfTheIndependentClockIsNoBusyMachine) {
    EXPECT_EQ(says({{"fault", "apart"}}),
              "INFRASTRUCTURE: timer \"faulty\": its independent clock shows 100 us more than its value in the "
              "baseline's calls too, far beyond its tolerance: so steady an offset is the timer's; take it out of "
              "\"independent\", or make \"tolerance\" hold it");
}

TEST(JudgeTimer, ADoubtThatIsNonsenseIsNotTheTasksFault) {
    const auto refusal = [](const Json& options) { return error_text([&] { judged(options); }); };
    const auto tells = [](const std::string& what) {
        return "timer \"faulty\": tells a " + what +
               " and reads 200 us for the reference of task \"axpy\"; give 0 to 20 ms, in its unit";
    };
    const std::string huge = engineering(1e9, "s");
    EXPECT_EQ(refusal({{"fault", "doubts-much"}}), tells("tolerance of " + huge));
    EXPECT_EQ(refusal({{"fault", "doubts-much"}, {"after", 24}}), tells("tolerance of " + huge))
        << "of the calls that count alone";
    EXPECT_EQ(refusal({{"tells", "process_spread=1e9"}}), tells("process_spread of " + huge));
    EXPECT_EQ(refusal({{"tells", "independent_spread=0.021"}}), tells("independent_spread of 21 ms"));
    EXPECT_EQ(refusal({{"tells", "process_spread=1e-5"}}), "(no error)");
}

TEST(JudgeTimer, AClockThatStandsStillIsNotTheTasksFault) {
    EXPECT_EQ(error_text([] {
                  judged({{"real", true}, {"fault", "stands"}, {"resolution", 1e-8}});
              }),
              "timer \"faulty\": reads 10 us for the reference of task \"axpy\" and for a call without work alike; "
              "`hone plugins --check` tells whether it follows the work");
}

TEST(JudgeTimer, FactsThatCannotBeReadAreRefusedByName) {
    const auto refusal = [](const char* fact) { return error_text([&] { judged({{"tells", fact}}); }); };
    const auto says_of = [](const std::string& fact) { return "timer \"faulty\": facts: " + fact; };
    EXPECT_EQ(refusal("resolution:1 ms"),
              says_of("\"resolution\" is the text \"1 ms\"; give a number above 0, or leave it out"));
    EXPECT_EQ(refusal("least_window=nan"), says_of("\"least_window\" is nan; give a number above 0, or leave it out"));
    EXPECT_EQ(refusal("least_window=1e300"),
              says_of("\"least_window\" is 1e+300 s; a run must be shorter than a minute"));
    EXPECT_EQ(refusal("resoluton=1e-9"),
              says_of("\"resoluton\" is no key that hone reads; did you mean \"resolution\"?"));
    EXPECT_EQ(refusal("unit=1"), says_of("\"unit\" is 1; give a text"));
    EXPECT_EQ(refusal("unit:"),
              "timer \"faulty\": its unit is no text: name one, \"s\", \"J\", \"cycle\", \"instruction\" or another");
    for (const char* unit : {"ms", "Seconds", "usec", "msecs", "minutes", "hour", "\u00b5s", "picoseconds"})
        EXPECT_EQ(error_text([&] {
                      judged({{"unit", unit}});
                  }),
                  "timer \"faulty\": its unit is \"" + std::string(unit) +
                      "\"; \"s\" is the unit of seconds: give them in it");
    EXPECT_EQ(error_text([] {
                  judged({{"unit", "S"}});
              }),
              "timer \"faulty\": its unit is \"S\"; \"s\" is the unit of seconds");
    EXPECT_EQ(error_text([] {
                  judged({{"unit", "J\x1b[31m"}});
              }),
              "timer \"faulty\": its unit \"J\ufffd[31m\" holds a control character; it stands in lines for people: "
              "leave it out");
}

// The reference takes 0.2 ms, the candidate 0.1.
TEST(JudgeTimer, ATimerThatIsTooCoarseForTheTaskIsRefusedWithTheCure) {
    const auto refusal = [](const Json& options, const Json& judge = Json::object()) {
        try {
            return "judged: " + says(options, judge);
        } catch (const Error& e) {
            return std::string(e.what());
        }
    };
    EXPECT_EQ(refusal({{"resolution", 1e-3}}),
              "timer \"faulty\": its resolution of 1 ms is larger than the task's 200 us; tell \"least_window\" in its "
              "facts: runs of several calls are then timed");
    EXPECT_EQ(refusal({{"resolution", 1e-4}, {"unit", "J"}}),
              "timer \"faulty\": its resolution of 100 uJ is more than a tenth of the task's 200 uJ; tell "
              "\"least_window\" in its facts: runs of several calls are then timed");
    EXPECT_EQ(
        says({{"resolution", 1.5e-5}}),
        "INFRASTRUCTURE: timer \"faulty\": its resolution of 15 us is more than a tenth of the candidate's 100 us; "
        "tell \"least_window\" in its facts: runs of several calls are then timed");
    const std::string begin =
                          "timer \"faulty\": it reads 0 for every run of the task's calls, of which the shortest took ",
                      end = "; mend the meter, or, if it is that coarse, ";
    const std::string dead = refusal({{"resolution", 1e-6}, {"fault", "zero"}});
    EXPECT_TRUE(dead.starts_with(begin) && dead.ends_with(end + "tell \"least_window\" in its facts")) << dead;
    const std::string still = refusal({{"resolution", 1e-6}, {"fault", "zero"}, {"window", 1e-4}});
    EXPECT_TRUE(still.starts_with(begin) && still.ends_with(end + "make \"least_window\" longer")) << still;
    EXPECT_EQ(refusal({{"window", 1}}, {{"deadline", 2}}),
              "timer \"faulty\": its \"least_window\" of 1 s does not fit into half of judge.deadline, which is 2 s; "
              "make it shorter, or judge.deadline longer (--set judge.deadline=SECONDS)");
}

TEST(JudgeTimer, AnIntervalIsWiderByTheResolution) {
    const double fine = judged({{"resolution", 1e-9}}).log_speedup()->upper.value() - std::log(2.0),
                 coarse = judged({{"resolution", 8e-6}}).log_speedup()->upper.value() - std::log(2.0);
    EXPECT_LT(fine, 1e-4);
    EXPECT_NEAR(coarse - fine, 0.08, 1e-3);  // a step of 12.5
}

// Calls of one run lie side by side, each with inputs of its own, and are checked one by one.
TEST(JudgeTimer, CallsAreMadeInRunsThatReadTenSteps) {
    const Judgement judgement = judged({{"resolution", 1e-4}, {"window", 1e-9}});
    ASSERT_TRUE(judgement.passed()) << judgement.reason;
    EXPECT_EQ(judgement.clock.at("calls"), 13);  // of 0.1 ms: a quarter more than read 1 ms
    EXPECT_NEAR(judgement.speedup->estimate, 2, 1e-6);
    EXPECT_NEAR(judgement.seconds->candidate, 1e-4, 1e-9);
    EXPECT_EQ(says({{"resolution", 1e-4}, {"window", 1e-9}, {"fault", "twice"}}),
              "INFRASTRUCTURE: lost 3 times: timer \"faulty\": call 0 was launched twice");
    Judge judge(plan_with({{"resolution", 1e-4}, {"window", 1e-9}}));
    judge.submit(1, load_task("fake/axpy"), make_candidate("axpy", "fake", "3 1 4 once"));
    EXPECT_EQ(judge.collect(60)->second.verdict, Verdict::INCORRECT_NUMERICAL);
}

TEST(JudgeTimer, AnAnswerAheadOfItsCallIsOfNoUse) {
    const auto ahead = [](const Json& options) {
        Judge judge(plan_with({{"resolution", 1e-4}, {"window", 1e-9}}, options));
        judge.submit(1, load_task("fake/axpy"), make_candidate("axpy", "fake", "3 1 4 ahead"));
        return judge.collect(60)->second;
    };
    EXPECT_EQ(ahead(Json::object()).verdict, Verdict::INCORRECT_NUMERICAL);
    const Judgement without = ahead({{"without", "late-inputs,late-check"}});
    ASSERT_TRUE(without.passed()) << without.reason;
    EXPECT_GT(without.speedup->lower, 2.5);  // 2 by honest work
}

TEST(JudgeTimer, WorkThatIsLeftToTheLastCallOfARunIsSeen) {
    const auto behind = [](const Json& options) {
        Judge judge(plan_with({{"resolution", 1e-4}, {"window", 1e-9}}, options));
        judge.submit(1, load_task("fake/axpy"), make_candidate("axpy", "fake", "3 1 4 behind"));
        return judge.collect(60)->second;
    };
    const Judgement judgement = behind(Json::object());
    EXPECT_EQ(judgement.verdict, Verdict::REWARD_HACK);
    EXPECT_EQ(judgement.reason, "it goes on writing after it has said that it is finished");
    const Judgement without = behind({{"without", "late-inputs,late-check"}});
    ASSERT_TRUE(without.passed()) << without.reason;
    EXPECT_GT(without.speedup->lower, 2.5);  // 2 by honest work
}

TEST(JudgeTimer, NothingIsComputedWhileTheInputsOfACallComeInARun) {
    const auto chases = [](const Json& options) {
        Judge judge(plan_with({{"resolution", 1e-4}, {"window", 1e-9}}, options));
        judge.submit(1, load_task("fake/axpy"), make_candidate("axpy", "fake", "3 1 4 chases"));
        return judge.collect(60)->second;
    };
    const Judgement judgement = chases(Json::object());
    ASSERT_TRUE(judgement.passed()) << judgement.reason;
    EXPECT_NEAR(judgement.speedup->estimate, 2, 1e-6);
    const Judgement without = chases({{"without", "late-inputs"}});
    ASSERT_TRUE(without.passed()) << without.reason;
    EXPECT_GT(without.speedup->lower, 2.5);
}

TEST(JudgeTimer, AWindowIsFilledWithCalls) {
    const Judgement judgement = judged({{"window", 2e-5}});
    ASSERT_TRUE(judgement.passed()) << judgement.reason;
    EXPECT_GT(judgement.clock.at("calls"), 1);
    try {
        judged({{"window", 1.0}});
        ADD_FAILURE() << "nobody has memory for that";
    } catch (const Error& e) {
        const std::string words = e.what();
        EXPECT_EQ(words.find("timer \"faulty\": its runs of 1 s need "), 0u) << words;
        EXPECT_NE(words.find("make judge.pool_mb larger, or the task's timed shape"), std::string::npos) << words;
    }
}

TEST(JudgeTimer, AnotherUnitHasItsOwnColumnAndWords) {
    const Judgement judgement = judged({{"unit", "J"}});
    EXPECT_EQ(judgement.unit, "J");
    EXPECT_EQ(judgement.outcome, "less");
    EXPECT_FALSE(judgement.seconds);
    EXPECT_NEAR(judgement.cost->candidate, 1e-4, 1e-9);
    EXPECT_FALSE(judgement.roofline);
}

}  // namespace
}  // namespace hone
