// What a judgement says of a wrong program, and to whom: judge/call/verify.hpp through real worker and bench processes.
#include <set>
#include "base/paths.hpp"
#include "judge/call/call_setup.hpp"
#include "judge_fixture.hpp"

namespace hone {
namespace {

// A judgement of wrong program number n: each has its own order of checks behind the first.
Json failed(FakeJudge& fake, int n, bool at_once = false) {
    const Json doc = fake.doc("axpy", (at_once ? "4 " : "3 ") + std::to_string(n / 10) + " " + std::to_string(n % 10) +
                                          (at_once ? "" : " shy"));
    EXPECT_EQ(doc.at("verdict"), "INCORRECT_NUMERICAL") << doc.dump();
    return doc;
}

TEST(Verify, AFailureNamesPropertyTensorShapeVariantAndKey) {
    FakeJudge fake;
    std::set<std::string> shapes, variants;
    for (int n = 0; n < 20; ++n) {
        const Json doc = failed(fake, n), failure = doc.at("failure");
        EXPECT_EQ(failure.at("property"), "wrong elements");
        EXPECT_EQ(failure.at("tensor"), "o");
        EXPECT_EQ(failure.at("key"), doc.at("keys").at(0));
        EXPECT_EQ(failure.contains("hidden"), failure.at("shape") == "hidden");
        shapes.insert(failure.at("shape"));
        variants.insert(failure.at("variant"));
    }
    EXPECT_EQ(shapes, (std::set<std::string>{"hidden", "timed"}));
    EXPECT_GE(variants.size(), 4u);
}

// A quicker way above the timed sizes is never timed, and is met by nobody who looks at declared inputs there.
TEST(Verify, EveryShapeBeyondTheTimedOneIsAskedFarFromZero) {
    // a long row has few rows beside it
    Json sums = to_json(at_shape(load_task("fake/row-sum"), {{"R", 1024}, {"C", 64}}));
    sums["terms"] = "C";
    sums.erase("hash");
    const Task task = check_task(sums);
    FakeJudge fake;
    for (int n = 0; n < 40; ++n) {
        const std::string program = "5 " + std::to_string(n / 10) + " " + std::to_string(n % 10) + " outgrown";
        fake.judge.submit(1, task, make_candidate("row-sum", "fake", program));
        const Json doc = fake.document();
        ASSERT_EQ(doc.at("verdict"), "INCORRECT_NUMERICAL") << n;
        EXPECT_EQ(doc.at("failure").at("variant"), "far");
        EXPECT_EQ(doc.at("failure").at("shape"), "hidden");
    }
}

// The element and its values are for open inputs alone: a hidden case that told them would be no hidden case.
TEST(Verify, OnlyOpenInputsShowValues) {
    FakeJudge fake;
    for (int n = 0; n < 60; ++n)
        for (const bool at_once : {true, false}) {
            const Json doc = failed(fake, n, at_once), failure = doc.at("failure");
            const bool open = failure.at("shape") == "timed" && failure.at("variant") == "declared";
            const std::string reason = doc.at("reason");
            EXPECT_EQ(open, at_once) << "what is open comes first, before a program has seen a secret";
            EXPECT_EQ(reason.find("; o[") != std::string::npos, open) << reason;
            EXPECT_EQ(reason.find(", not ") != std::string::npos, open) << reason;
            const bool is_class = reason.find("the largest error is 1e-2 or more") != std::string::npos ||
                                  reason.find("the largest error is below 1e-2") != std::string::npos;
            EXPECT_EQ(is_class, !open) << reason;
        }
}

TEST(Verify, AFailureReplaysFromItsKey) {
    const Json first = FakeJudge(Json{{"seed", ""}}).doc("axpy", "3 1 4 shy");
    FakeJudge fake(Json{{"seed", first.at("failure").at("key")}});
    const Json again = fake.doc("axpy", "3 1 4 shy");
    EXPECT_EQ(again.at("failure"), first.at("failure"));
    EXPECT_EQ(again.at("reason"), first.at("reason"));
}

TEST(Verify, EveryEndingOfACheckSaysWhereItWas) {
    FakeJudge fake;
    const std::pair<const char*, const char*> all[] = {
        {"3 1 4 crash", "call failed"},   {"3 1 4 outside", "writes outside"}, {"3 1 4 input", "changes input"},
        {"3 1 4 unwritten", "unwritten"}, {"3 1 4 random", "does not repeat"}, {"3 1 4 stale", "stale"},
        {"3 1 4 late", "writes late"}};
    for (const auto& [program, property] : all) {
        const Json failure = fake.doc("axpy", program).value("failure", Json::object());
        EXPECT_EQ(failure.value("property", ""), property) << program;
        for (const char* key : {"shape", "variant", "key"}) EXPECT_TRUE(failure.contains(key)) << program << " " << key;
    }
    EXPECT_FALSE(fake.doc("axpy", "3 1 4").contains("failure"));
}

// y = s x + y, where s is passed by value and y holds y0 when a call begins.
Task update() {
    const std::string file = testing::TempDir() + "hone-update.lua";
    write_file(file, R"lua(return { name = "update", statement = "y = s x + y.", spec = "update {N}",
  inputs = { { name = "x", shape = { "N" } }, { name = "s", scalar = true, law = "uniform(0.5,1)" }, { name = "y0", shape = { "N" } } },
  outputs = { { name = "y", shape = { "N" }, starts_as = "y0" } }, shapes = { { N = 256 } }, hidden = { { N = 1 }, { N = 37 } },
  verifier = "fake", device = { op = "update", code = 3, best = { 1, 4 }, seconds = 1e-4, reference = 2e-4 },
  reference = function(x, s, y0) return array.map(function(a, b) return s * a + b end, x, y0) end })lua");
    return load_task(file);
}

TEST(Verify, AnOutputInPlaceBeginsAsItsInputAndKeepsItsDefences) {
    FakeJudge fake;
    const Task task = update();
    const auto judged = [&](const char* program) {
        fake.judge.submit(++fake.tickets, task, make_candidate("update", "fake", program));
        return fake.document();
    };
    const Json right = judged("3 1 4");
    EXPECT_EQ(right.at("verdict"), "PASSED") << right.at("reason");
    EXPECT_NEAR(right["speedup"]["estimate"], 2.0, 1e-6);
    // the poison is missing: what is not written is what the input was, and wrong
    const std::pair<const char*, const char*> all[] = {
        {"3 1 4 unwritten", "wrong elements"}, {"3 1 4 empty", "wrong elements"}, {"3 1 4 outside", "writes outside"},
        {"3 1 4 input", "changes input"},      {"3 1 4 late", "writes late"},     {"4 1 4", "wrong elements"}};
    for (const auto& [program, property] : all) {
        const Json failure = judged(program).value("failure", Json::object());
        EXPECT_EQ(failure.value("property", ""), property) << program;
    }
}

// A program could tell a hidden size by the signal that it raises or by the system call that it tries.
TEST(Verify, HowAProgramEndsACallOnSecretInputsIsNotNamed) {
    const SetName secret{1, 2, Variant::declared};
    const CandidateFailure accused{
        Verdict::REWARD_HACK, "processes: tried the system call setsid", {{"kind", "processes"}}},
        trap{Verdict::RUNTIME_ERROR, "ended by SIGTRAP (..)", {}},
        fault{Verdict::RUNTIME_ERROR, "ended by SIGSEGV (..)", {}};
    EXPECT_EQ(call_failed(accused, secret, true).reason, accused.reason);
    EXPECT_EQ(call_failed(accused, secret, true).facts.at("kind"), "processes");
    EXPECT_EQ(call_failed(accused, secret, false).reason, "tried a system call that the judge forbids");
    EXPECT_EQ(call_failed(accused, secret, false).facts.at("kind"), "system call");
    EXPECT_EQ(call_failed(trap, secret, true).reason, trap.reason);
    EXPECT_EQ(call_failed(trap, secret, false).reason, "the call failed");
    EXPECT_EQ(call_failed(fault, secret, false).reason, fault.reason) << "the commonest, which tells nothing more";
    EXPECT_EQ(call_failed(fault, secret, false).details.at("property"), "call failed");
    const CandidateFailure lingers{Verdict::REWARD_HACK, "a kernel runs on", {{"kind", "runs on"}}},
        device{Verdict::RUNTIME_ERROR, "the kernel ended itself (trap)", {{"xid", 13}}};
    EXPECT_EQ(call_failed(lingers, secret, false).reason, lingers.reason);
    EXPECT_EQ(call_failed(device, secret, false).reason, "the call failed");
    EXPECT_FALSE(call_failed(device, secret, false).facts.contains("xid"));
    for (const char* reason : {"ended by SIGILL (..); it may have 1024 MiB of address space",
                               "ended by SIGTRAP (..); it may have 1024 MiB of address space"})
        EXPECT_EQ(call_failed({Verdict::OUT_OF_MEMORY, reason, {}}, secret, false).reason,
                  "needs more memory than a call may have");
    EXPECT_EQ(call_failed({Verdict::REWARD_HACK, "system call: one of another architecture", {}}, secret, false).reason,
              "tried a system call that the judge forbids");
    EXPECT_EQ(call_failed({Verdict::TIMEOUT, "used up its processor time", {}}, secret, false).reason,
              "takes too long");
    EXPECT_EQ(call_failed({Verdict::TIMEOUT, "no answer within 0.500 s", {}}, secret, false).reason,
              "no answer within 0.500 s");
    EXPECT_EQ(
        call_failed({Verdict::LAUNCH_ERROR, "too many registers or too much shared memory for this block size", {}},
                    secret, false)
            .reason,
        "a launch was refused: its grid, block, cluster, registers or shared memory are not possible on this device");
}

}  // namespace
}  // namespace hone
