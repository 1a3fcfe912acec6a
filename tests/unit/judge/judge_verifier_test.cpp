// What a verifier answers otherwise than it may is its own fault; one item that it loses is one item.
#include "base/error.hpp"
#include "error_text.hpp"
#include "judge_fixture.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

JudgePlan plan_of_verifier(const Json& options) {
    JudgePlan plan = FakeJudge::plan({{"benches", 1}}, Json::object(), Json::object());
    const std::string file = std::string(HONE_TEST_FIXTURE_DIR) + "/faulty/verifier.unruly.so";
    const Library library = Library::open({"verifier", "unruly", file, {}});
    plan.verifier = {"verifier", "unruly", file, library.file_hash(),
                     check_options(library.options(), options, "test")};
    return plan;
}

// "VERDICT: reason" of each.
std::vector<std::string> say(const std::vector<const char*>& programs, const Json& options = Json::object()) {
    Judge judge(plan_of_verifier(options));
    std::vector<std::string> said;
    for (const char* program : programs) {
        judge.submit(1, load_task("fake/axpy"), make_candidate("axpy", "fake", program));
        const Judgement judgement = judge.collect(60)->second;
        said.push_back(verdict_name(judgement.verdict) + (judgement.reason.empty() ? "" : ": " + judgement.reason));
    }
    return said;
}

using Said = std::vector<std::string>;

TEST(JudgeVerifier, FailedLosesTheItemAndNoOther) {
    const std::string lost = "INFRASTRUCTURE: verifier \"unruly\": ";
    EXPECT_EQ(say({"fine", "open-fails", "launch-fails", "wait-fails", "fine"}),
              (Said{"PASSED", lost + "open: the compiler's disk is full", lost + "launch: the queue was full",
                    lost + "wait: nobody answers", "PASSED"}));
    EXPECT_EQ(say({"fine"}, {{"memory_fails", true}}), Said{lost + "reserve: no memory is left"});
    const std::string answer = say({"fine"}, {{"compares_nothing", true}})[0];
    EXPECT_TRUE(answer.starts_with("INFRASTRUCTURE: compare: the verifier compared 0 of ")) << answer;
}

TEST(JudgeVerifier, MemoryThatLosesBytesIsNotTheCandidatesFault) {
    const auto words = [](const char* which, const char* how = "halves") {
        return error_text([&] { say({"fine"}, {{how, which}}); });
    };
    const std::string cure = " on came back wrong; mend the verifier; `hone plugins --check` asks it more";
    EXPECT_EQ(words("write"), "verifier \"unruly\": write and read: of 4095 bytes those from 2047" + cure);
    EXPECT_EQ(words("copy"), "verifier \"unruly\": copy: of 4095 bytes those from 2048" + cure);
    EXPECT_EQ(words("write", "cuts"),
              "verifier \"unruly\": write and read: of 4198407 bytes those from 4198343" + cure);
    EXPECT_EQ(words("copy", "cuts"), "verifier \"unruly\": copy: of 4198407 bytes those from 4198344" + cure);
}

// Every answer would be right.
TEST(JudgeVerifier, AComparisonThatDoesNothingIsFoundBeforeACandidateIs) {
    const auto words = [](const char* which) { return error_text([&] { say({"fine"}, {{"idles", which}}); }); };
    const std::string name = "verifier \"unruly\": ", cure = "; mend the verifier; `hone plugins --check` asks it more";
    EXPECT_EQ(words("widen"), name + "widen: of 1040 bytes those from 6 on came back wrong" + cure);
    EXPECT_EQ(words("differ"), name + "differ: found 0 where there is 232" + cure);
    EXPECT_EQ(words("strays"), name + "strays: found 0 where there is 130" + cure);
    EXPECT_EQ(words("local_scale"), name + "local_scale: found 0 where there is 1.5" + cure);
}

// Else a program that is wrong beyond them passes.
TEST(JudgeVerifier, AComparisonOfTheFirstElementsAloneIsFoundToo) {
    for (const std::string function : {"widen", "differ", "strays", "local_scale", "compare", "moments"}) {
        const std::string told = error_text([&] { say({"fine"}, {{"shortens", function}}); });
        EXPECT_TRUE(told.starts_with("verifier \"unruly\": " + function + ": ")) << told;
        EXPECT_TRUE(told.ends_with("; mend the verifier; `hone plugins --check` asks it more")) << told;
    }
}

TEST(JudgeVerifier, NoCandidateAndNoVerdictIsTheVerifiersFault) {
    EXPECT_EQ(say({"open-silent"}), Said{"INFRASTRUCTURE: lost 3 times: verifier \"unruly\": open: gave neither a "
                                         "candidate nor \"verdict\""});
}

TEST(JudgeVerifier, BrokenLosesTheBench) {
    EXPECT_EQ(say({"launch-breaks", "fine"}),
              (Said{"INFRASTRUCTURE: lost 3 times: verifier \"unruly\": launch: the queue is gone", "PASSED"}));
}

TEST(JudgeVerifier, AFailureIsNeverPassed) {
    const auto broken = [](const char* words) {
        return std::string("INFRASTRUCTURE: lost 3 times: verifier \"unruly\": ") + words;
    };
    EXPECT_EQ(say({"open-passes", "wait-passes", "open-fails-and-passes"}),
              (Said{broken("open: tells of a failure with the verdict PASSED"),
                    broken("wait: tells of a failure with the verdict PASSED"),
                    "INFRASTRUCTURE: verifier \"unruly\": open: the compiler's disk is full"}));
}

TEST(JudgeVerifier, WhatItTellsIsReadOrRefusedByName) {
    EXPECT_EQ(say({"wait-invents"})[0],
              "INFRASTRUCTURE: lost 3 times: verifier \"unruly\": wait: no verdict \"SPLENDID\"");
    EXPECT_EQ(error_text([] { say({"open-counts"}); }), "verifier \"unruly\": open: \"reason\" is 7; give a text");
    EXPECT_EQ(error_text([] {
                  say({"fine"}, {{"brief", "number"}});
              }),
              "verifier \"unruly\": brief: \"fences\" is 1; give a text");
    EXPECT_EQ(error_text([] {
                  say({"fine"}, {{"brief", "nothing"}});
              }),
              "verifier \"unruly\": brief: tells no \"text\"; a candidate's language and how it is written are the "
              "verifier's to say");
    EXPECT_EQ(error_text([] {
                  say({"fine"}, {{"kind", ""}});
              }),
              "verifier \"unruly\": device: names no kind; set hone_device.kind, such as \"cpu\"");
}

}  // namespace
}  // namespace hone
