// The protocol on the fake device: every promise of the judge, each with a program that breaks it and with the defence
// that notices.
#include <cmath>
#include <set>
#include <string>
#include "error_text.hpp"
#include "judge_fixture.hpp"

namespace hone {
namespace {

TEST(JudgeFake, HonestProgramPassesWithItsExactSpeed) {
    FakeJudge fake;
    const Json doc = fake.doc("axpy", "3 1 4");
    EXPECT_EQ(doc.at("verdict"), "PASSED");
    EXPECT_EQ(doc.at("schema"), "hone.judgement/1");
    EXPECT_EQ(doc.at("outcome"), "faster");
    EXPECT_NEAR(doc["speedup"]["estimate"], 2.0, 1e-6);
    EXPECT_EQ(doc["speedup"]["baseline"], "reference");
    EXPECT_NEAR(doc["seconds"]["candidate"], 1e-4, 1e-9);
    EXPECT_NEAR(doc["seconds"]["baseline"], 2e-4, 1e-9);
    EXPECT_EQ(doc.at("pairs"), 16);
    EXPECT_EQ(doc.at("device"), "fake");
    EXPECT_EQ(doc.at("trust"), "fake");
    EXPECT_EQ(doc.at("sandbox"), "none: verifier.fake runs candidates in the bench");
    EXPECT_EQ(doc["samples"]["order"].size(), 16);
    EXPECT_EQ(doc["verifier"]["id"], "fake");
}

TEST(JudgeFake, TrustSaysWhatTheWallsLack) {
    FakeJudge leaky(Json::object(), {{"weak", "its door does not lock"}});
    const Json doc = leaky.doc("axpy", "3 1 4");
    EXPECT_EQ(doc.at("trust"), "fake, but its door does not lock");
    EXPECT_EQ(doc["verifier"]["facts"]["probe"]["weak"], "its door does not lock");
    EXPECT_EQ(doc["verifier"]["facts"]["product"], "fake device");
    FakeJudge dumb(Json::object(), {{"weak", "dumb"}});
    EXPECT_EQ(dumb.doc("axpy", "3 1 4").at("trust"),
              "fake, but its walls could not be tried out: verifier \"fake\": probe: nothing answers");
}

TEST(JudgeFake, FactsOfARefusedBuildAreFactsAlone) {
    FakeJudge fake;
    const Json doc = fake.doc("axpy", "no program");
    EXPECT_EQ(doc.at("verdict"), "COMPILE_ERROR");
    EXPECT_FALSE(doc["facts"].contains("verdict"));
    EXPECT_FALSE(doc["facts"].contains("reason"));
    EXPECT_EQ(doc.at("sandbox"), "none: verifier.fake runs candidates in the bench") << "it has read the program there";
}

TEST(JudgeFake, CostIsAFormulaOfTheIntegers) {
    FakeJudge fake;
    EXPECT_NEAR(fake.doc("axpy", "3 3 4")["speedup"]["estimate"], 2.0 / 1.5, 1e-6);
    const Json slow = fake.doc("matmul", "9 6 3");
    EXPECT_EQ(slow.at("outcome"), "slower");
    EXPECT_NEAR(slow["speedup"]["estimate"], 2.0 / 3.0, 1e-6);
}

TEST(JudgeFake, AnExactTieIsAmbiguous) {
    FakeJudge fake;
    const Json doc =
        fake.doc("axpy", "3 5 4");  // 1e-4 * (1 + 0.25 * 4) is the reference's cost, up to the clock's rounding
    EXPECT_EQ(doc.at("outcome"), "ambiguous");
}

TEST(JudgeFake, AClockThatTheProgramMayMoveHasAWitness) {
    FakeJudge fake(Json::object(), Json::object(), {{"inside", true}});
    const Json honest = fake.doc("axpy", "3 1 4");
    EXPECT_EQ(honest.at("verdict"), "PASSED");
    EXPECT_NEAR(honest["seconds"]["independent"], 1e-4, 1e-9);
    EXPECT_EQ(honest["samples"]["independent"].size(), 16);
    EXPECT_EQ(
        fake.says("axpy", "3 1 4 flatter"),
        "REWARD_HACK: the clock in its own process was moved: the bench's, over the same calls, shows 50 us more");
    // what lay between the two clocks of one measurement lies there no more in the next
    const Json jolted = fake.doc("axpy", "3 1 4 jolted");
    EXPECT_EQ(jolted.at("verdict"), "PASSED") << jolted.at("reason");
    EXPECT_NEAR(jolted["speedup"]["estimate"], 2.0, 1e-6);
    const Json shaded =
        fake.doc("axpy", "3 1 4 shade");  // not so far off that it must be tampering: then the independent clock counts
    EXPECT_EQ(shaded.at("verdict"), "PASSED");
    EXPECT_EQ(shaded["clock"]["believed"], "independent");
    EXPECT_NEAR(shaded["speedup"]["estimate"], 2.0, 1e-6);
    const Json settled =
        fake.doc("axpy", "3 1 4 settles");  // its interval is narrow enough from the first look on, its clock later
    EXPECT_FALSE(settled["clock"].contains("believed"));
    // its clock settles after 27 calls of a process, some of which are for other laws and do not count
    EXPECT_GT(settled["samples"]["independent"].size(), 48);
    EXPECT_LT(settled["samples"]["independent"].size(), 128) << "it need not wait for the next look then";
    // who has its independent clock end early gains nothing by what the independent clock says: 2.0 honestly
    EXPECT_NEAR(fake.doc("axpy", "3 1 4 early")["speedup"]["estimate"], 2.0, 1e-6);
    EXPECT_EQ(fake.doc("axpy", "3 1 4 gone").at("verdict"), "INFRASTRUCTURE");
    for (const char* protocol : {"paired", "cuda-l1"}) {  // a call that is far off counts for nobody
        FakeJudge each({{"protocol", protocol}}, Json::object(), {{"inside", true}});
        const double plain = each.doc("axpy", "3 1 4")["speedup"]["estimate"];
        EXPECT_NEAR(each.doc("axpy", "3 1 4 flicker")["speedup"]["estimate"], plain, 1e-6) << protocol;
    }
    FakeJudge blind({{"protocol", "cuda-l1"}, {"without", "outside-clock"}}, Json::object(), {{"inside", true}});
    EXPECT_GT(blind.doc("axpy", "3 1 4 flicker")["speedup"]["estimate"], 4.0);
    FakeJudge open({{"without", "outside-clock"}}, Json::object(), {{"inside", true}});
    EXPECT_NEAR(open.doc("axpy", "3 1 4 flatter")["speedup"]["estimate"], 4.0, 1e-6);
}

// What a program does with its constants before a call is not in its time; but nothing else is there then.
TEST(JudgeFake, ConstantsArePrepackedAlone) {
    Task task = load_task("fake/axpy");
    task.inputs[1].constant = true;
    task.digest = task.hash() + " with a constant";
    const auto judged = [&](FakeJudge& fake, const char* program) {
        fake.judge.submit(++fake.tickets, task, make_candidate("axpy", "fake", program));
        return fake.document();
    };
    FakeJudge fake;
    const Json packs = judged(fake, "3 1 4 packs");
    EXPECT_EQ(packs.at("verdict"), "PASSED") << packs.at("reason");
    EXPECT_NEAR(packs["speedup"]["estimate"], 2.0, 1e-6);
    EXPECT_NEAR(packs["seconds"]["prepack"], 1e-4, 1e-9);
    EXPECT_NEAR(packs["seconds"]["candidate"], 1e-4, 1e-9);
    EXPECT_FALSE(judged(fake, "3 1 4")["seconds"].contains("prepack"));
    EXPECT_EQ(judged(fake, "3 1 4 peeks").at("verdict"), "INCORRECT_NUMERICAL");
    const Json trips = judged(fake, "3 1 4 trips");
    EXPECT_EQ(trips.at("verdict"), "RUNTIME_ERROR");
    EXPECT_EQ(trips["failure"]["property"], "prepack failed");
    FakeJudge open({{"without", "constants-alone"}}, Json::object());
    EXPECT_NEAR(judged(open, "3 1 4 peeks")["speedup"]["estimate"], 20.0, 1e-5);
}

// Host code that commands the device can work beside every clock: before a call, behind it, and beside others' calls.
TEST(JudgeFake, HostCodeGainsNothingBesideTheClock) {
    const Json verifier = {{"host_code", true}};
    const auto ratio = [&](const char* program, const char* without) {
        FakeJudge fake({{"without", without}}, verifier);
        const Candidate plain = make_candidate("axpy", "fake", "3 1 4");
        fake.judge.submit(++fake.tickets, load_task("fake/axpy"), make_candidate("axpy", "fake", program), &plain);
        const Json judged = fake.document();
        EXPECT_EQ(judged.at("verdict"), "PASSED") << program << judged.at("reason");
        return judged.contains("speedup") ? judged["speedup"]["estimate"].get<double>() : 0;
    };
    EXPECT_NEAR(ratio("3 1 4", ""), 1.0, 1e-6);
    EXPECT_NEAR(ratio("3 1 4 burdens", ""), 1.0, 1e-6);
    EXPECT_NEAR(ratio("3 1 4 burdens", "apart"), 2.0, 1e-6);
    EXPECT_NEAR(ratio("3 1 4 foresees", ""), 1.0, 1e-6);
    EXPECT_NEAR(ratio("3 1 4 foresees", "late-inputs"), 10.0, 1e-6);
    EXPECT_NEAR(ratio("3 1 4 unfinished", "last-look"), 5.0, 1e-6);
    FakeJudge fake(Json::object(), verifier);
    EXPECT_EQ(fake.says("axpy", "3 1 4 unfinished"),
              "REWARD_HACK: it goes on writing after it has said that it is finished");
    EXPECT_EQ(fake.says("axpy", "3 1 4 hoards"), "OUT_OF_MEMORY: it leaves the judge no room in the device's memory");
    EXPECT_EQ(FakeJudge().says("axpy", "3 1 4 hoards"),
              "INFRASTRUCTURE: verifier \"fake\": launch: cuMemCreate: out of memory");
    FakeJudge repeated(Json::object(), verifier);
    for (const char* task : {"axpy", "square", "axpy"}) {  // the empty program is one task's
        const Json judged = repeated.doc(task, std::string(task) == "axpy" ? "3 1 4" : "7 2 2");
        EXPECT_EQ(judged["speedup"]["baseline"], "reference") << judged.dump();
        for (const Json& order : judged["samples"]["order"]) EXPECT_EQ(order, 1);
    }
}

TEST(JudgeFake, CandidatesShareASeedButWhereOneCouldLeaveWordsForTheNext) {
    const auto seeds = [](const Json& verifier) {
        FakeJudge fake({{"seed", ""}, {"benches", 1}}, verifier);
        std::set<std::string> found;
        for (const char* program : {"3 1 4", "3 2 4", "3 3 4"})
            for (const std::string& seed : fake.ask("axpy", program).keys) found.insert(seed);
        return found.size();
    };
    EXPECT_EQ(seeds(Json::object()), 1u);
    EXPECT_EQ(seeds({{"leaves_traces", true}}), 3u);
}

// Half of such a task could be hidden between the clocks.
TEST(JudgeFake, ATaskThatIsShortForItsClocksIsRefused) {
    FakeJudge fake(Json::object(), Json::object(), {{"inside", true}});
    Task task = load_task("fake/axpy");
    (*task.device)["reference"] = 1.5e-6;
    for (const char* program : {"3 1 4", "3 1 5"}) {  // whoever comes second is told as well
        fake.judge.submit(++fake.tickets, task, make_candidate("axpy", "fake", program));
        EXPECT_EQ(error_text([&] { fake.judge.collect(30); }),
                  "task \"axpy\": is too short to be timed: its reference takes 1.5 us, and the two clocks of a call "
                  "may differ by 1 us; make its timed shape larger (of `hone judge`: --shape)");
    }
}

struct Mischief {
    const char *program, *says;
};

TEST(JudgeFake, EveryMischiefIsNoticed) {
    FakeJudge fake;
    const Mischief all[] = {
        {"4 1 4",
         "INCORRECT_NUMERICAL: output \"o\" is wrong in all of its elements: the largest error is about 1e-2 of its "
         "size; "},
        {"3 1 4 crash", "RUNTIME_ERROR: the program ended with signal 11 (segmentation fault)"},
        {"3 1 4 hang", "TIMEOUT: one call ran longer than "},
        {"3 1 4 unwritten", "INCORRECT_NUMERICAL: output \"o\" is not written in "},
        {"3 1 4 outside", "RUNTIME_ERROR: it writes outside output \"o\""},
        {"3 1 4 input", "REWARD_HACK: it changes its input \"a\""},
        {"3 1 4 late", "REWARD_HACK: it goes on writing after it has said that it is finished"},
        {"3 1 4 aligned", "NONDETERMINISTIC: two calls on the same inputs gave different bits"},
        {"3 1 4 random", "NONDETERMINISTIC: two calls on the same inputs gave different bits"},
        {"3 1 4 stale",
         "INCORRECT_NUMERICAL: the output stays as it was when one element of an input changes (at the timed shape, "
         "inputs as before but "
         "for one element)"},
        {"3 1 4 forge",
         "TOO_FAST: it takes less time than the device needs to touch the data or to do the arithmetic once"},
        {"empty", "INCORRECT_NUMERICAL: output \"o\" is not written in all of its elements"},
        {"three", "COMPILE_ERROR: \"three\" is not an integer"},
        {"", "COMPILE_ERROR: the program is empty"},
    };
    for (const Mischief& m : all)
        EXPECT_EQ(fake.says("axpy", m.program).substr(0, std::string(m.says).size()), m.says) << m.program;
}

// The fake device moves 1e10 bytes a second; "3 1 4" takes 0.1 ms.
TEST(JudgeFake, TheRooflineRefusesWhatIsTwiceAsFastOnly) {
    FakeJudge fake;
    const auto judged = [&](double bytes) {
        Task task = load_task("fake/axpy");
        task.bytes = bytes;
        task.digest = task.hash() + std::to_string(bytes);
        fake.judge.submit(++fake.tickets, task, make_candidate("axpy", "fake", "3 1 4"));
        return fake.document();
    };
    const Json far = judged(1e5), near = judged(1.9e6), over = judged(2.1e6);
    try {  // the reference takes 0.2 ms
        judged(5e6);
        ADD_FAILURE();
    } catch (const Error& e) {
        EXPECT_EQ(
            std::string(e.what()),
            "task \"axpy\": its bytes are wrong: the device needs 500 us for them, and the reference itself takes "
            "200 us; correct them in the task file");
    }
    EXPECT_EQ(far.at("verdict"), "PASSED");
    EXPECT_NEAR(far.at("roofline_share"), 0.1, 1e-6);
    EXPECT_NEAR(far.at("roofline").at("room"), 10, 1e-4);
    EXPECT_EQ(far.at("roofline").at("limit"), "bytes");
    EXPECT_EQ(near.at("verdict"), "PASSED")
        << "within the margin: peaks are measured, and no honest program may be refused";
    EXPECT_EQ(over.at("verdict"), "TOO_FAST");
    EXPECT_FALSE(over.at("passed"));
    EXPECT_NEAR(over.at("roofline_share"), 2.1, 1e-5);
}

TEST(JudgeFake, WhatIsRightOnlyWhenVerifiedIsCaughtWhenTimed) {
    FakeJudge fake;
    EXPECT_EQ(fake.says("axpy", "3 1 4 once").substr(0, 20), "INCORRECT_NUMERICAL:");
}

TEST(JudgeFake, WhatBreaksAfterManyCallsOfOneProcessIsFound) {
    FakeJudge fake;
    const Judgement worn = fake.ask("axpy", "3 1 4 wears");
    EXPECT_EQ(worn.verdict, Verdict::INCORRECT_NUMERICAL);
    EXPECT_TRUE(worn.reason.ends_with(", after many calls in one process")) << worn.reason;
    const Judgement sound = fake.ask("axpy", "3 1 4");
    ASSERT_TRUE(sound.verified);
    EXPECT_GT(sound.verified->calls, 60);
    EXPECT_LE(sound.verified->calls, 300);
    EXPECT_LT(sound.verified->smallest.at("N"), sound.verified->largest.at("N"));
    FakeJudge young(Json{{"without", "age"}});
    EXPECT_LT(young.ask("axpy", "3 1 4").verified->calls, 60);
}

TEST(JudgeFake, ACheatWinsWhereItsDefenceIsOff) {
    const Mischief all[] = {{"3 1 4 outside", "red-zones"},
                            {"3 1 4 input", "input-check"},
                            {"3 1 4 stale", "touch"},
                            {"3 1 4 late", "early-sample,timed-check,hold"}};
    for (const Mischief& m : all) {
        FakeJudge fake(Json{{"without", m.says}});
        const Judgement judgement = fake.ask("axpy", m.program);
        EXPECT_TRUE(judgement.passed()) << m.program << to_json(judgement).dump();
        EXPECT_FALSE(judgement.defences_off.empty());
    }
}

TEST(JudgeFake, AnUnwrittenElementPassesWithoutPoison) {
    FakeJudge fake(Json{{"without", "poison,fresh-keys,hidden-shapes"}, {"pairs", 8}});
    const std::string says = fake.says("square", "7 2 2 unwritten");
    EXPECT_NE(says.find("INCORRECT_NUMERICAL"), std::string::npos) << "the other distributions still differ: " << says;
    EXPECT_EQ(says.find("not written"), std::string::npos) << says;
}

TEST(JudgeFake, BothSidesPayTheHandOver) {
    FakeJudge fake(Json::object(), {{"hand_over", 1e-4}});
    EXPECT_NEAR(fake.doc("axpy", "3 1 4")["speedup"]["estimate"], 3.0 / 2.0, 1e-6);
}

TEST(JudgeFake, TheBaselineCanBeAnotherProgram) {
    FakeJudge fake;
    const Candidate against = make_candidate("axpy", "fake", "3 3 4");
    fake.judge.submit(1, load_task("fake/axpy"), make_candidate("axpy", "fake", "3 1 4"), &against);
    const Json doc = fake.document();
    EXPECT_EQ(doc["speedup"]["baseline"], "against");
    EXPECT_NEAR(doc["speedup"]["estimate"], 1.5, 1e-6);
}

// A task may name the program of a device that times are compared with there.
TEST(JudgeFake, ATasksOwnProgramIsItsBaseline) {
    const auto judged = [](const std::string& baseline) {
        FakeJudge fake;
        Task task = load_task("fake/axpy");
        task.baseline_program = {{"fake", baseline}, {"another", "no program"}};
        fake.judge.submit(1, task, make_candidate("axpy", "fake", "3 1 4"));
        return fake.collect_all().at(1);
    };
    const Judgement judgement = judged("3 3 4");  // half as fast again as the candidate's best
    ASSERT_TRUE(judgement.passed()) << judgement.reason;
    EXPECT_EQ(judgement.speedup->baseline, "program");
    EXPECT_NEAR(judgement.speedup->estimate, 1.5, 1e-6);
    EXPECT_NEAR(judgement.seconds->baseline, 1.5e-4, 1e-9);
    EXPECT_EQ(error_text([&] { judged("no program"); }).substr(0, 52),
              "baseline_program of task \"axpy\": COMPILE_ERROR: \"no\"");
    EXPECT_EQ(error_text([&] { judged("5 1 4"); }).substr(0, 50),
              "baseline_program of task \"axpy\": INCORRECT_NUMERIC");
}

TEST(JudgeFake, TheBaselineIsTheFastestFormThatAnswersRightly) {
    FakeJudge fake;
    Task task = load_task("fake/axpy");
    (*task.device)["graph"] = 1.8e-4;
    (*task.device)["compiled"] = 1.5e-4;
    const auto judged = [&](const char* program) {
        fake.judge.submit(++fake.tickets, task, make_candidate("axpy", "fake", program));
        return fake.document();
    };
    const Json doc = judged("3 1 4");
    EXPECT_EQ(doc["baseline_form"], "compiled");
    EXPECT_NEAR(doc["speedup"]["estimate"], 1.5, 1e-6);
    EXPECT_NEAR(doc["baseline_forms"]["eager"], 2e-4, 1e-9);
    EXPECT_NEAR(doc["baseline_forms"]["graph"], 1.8e-4, 1e-9);

    (*task.device)["wrong"] = "compiled";
    task.digest = "another";  // for the bench, which knows the task by it
    const Json again = judged("3 1 5");
    EXPECT_EQ(again["baseline_form"], "graph");
    EXPECT_TRUE(again["baseline_forms"]["compiled"].is_null());
}

TEST(JudgeFake, AReplayKeyRepeatsAJudging) {
    const Json noise = {{"noise", 0.03}};
    const Json first = FakeJudge(Json::object(), Json::object(), noise).doc("axpy", "3 1 4"),
               second = FakeJudge(Json::object(), Json::object(), noise).doc("axpy", "3 1 4");
    EXPECT_EQ(first["samples"], second["samples"]);
    EXPECT_EQ(first["keys"], Json::array({"0x0000000000000007"}));
    const Json other = FakeJudge({{"seed", "8"}}, Json::object(), noise).doc("axpy", "3 1 4");
    EXPECT_NE(first["keys"], other["keys"]);
}

TEST(JudgeFake, HeldOutShapesAndRaggedTasksAreJudgedAlike) {
    FakeJudge fake;
    EXPECT_TRUE(fake.ask("axpy:512", "3 1 4").passed());
    EXPECT_TRUE(fake.ask("square", "7 2 2").passed());
    EXPECT_TRUE(fake.ask("row-sum", "5 8 0").passed());
    EXPECT_TRUE(fake.ask("matmul", "9 6 3").passed());
}

// Statistics through the whole path: a program as fast as the reference, and one 3 % faster, under 3 % of noise a
// sample.
TEST(JudgeFake, NoiseGivesNoFalseWinnersAndHidesNoRealOnes) {
    FakeJudge fake(Json{{"precision", 0.01}, {"seconds", 60}, {"benches", 2}}, Json::object(), {{"noise", 0.03}});
    const Task task = load_task("fake/axpy");
    Task faster = task;
    (*faster.device)["reference"] = 2.06e-4;
    faster.instance = "axpy:faster";
    constexpr int programs = 60;
    for (int i = 0; i < programs; ++i) {
        // another hash, the same program
        const std::string code = "3 5 4" + std::string(static_cast<std::size_t>(i), ' ');
        Candidate candidate = make_candidate("axpy", "fake", code);
        candidate.code = code;
        candidate.hash += std::to_string(i);
        fake.judge.submit(static_cast<std::uint64_t>(i), task, candidate);
        fake.judge.submit(static_cast<std::uint64_t>(programs + i), faster, candidate);
    }
    int false_winners = 0, found = 0;
    for (const auto& [ticket, judgement] : fake.collect_all()) {
        ASSERT_TRUE(judgement.passed()) << judgement.reason;
        const bool different = judgement.outcome != "ambiguous";
        (ticket < programs ? false_winners : found) += different;
    }
    EXPECT_LE(false_winners, 6);  // 5 % of 60 are 3; more than 6 have a chance of 3 %
    EXPECT_GE(found, 50);
}

}  // namespace
}  // namespace hone
