// Worker and benches: order, cache, loss, deadlines, refusals.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include "base/paths.hpp"
#include "base/process.hpp"
#include "error_text.hpp"
#include "judge/call/settings.hpp"
#include "judge/service/lease.hpp"
#include "judge_fixture.hpp"

namespace hone {
namespace {

TEST(JudgeWorker, EveryTicketGetsItsOwnAnswer) {
    FakeJudge fake(Json{{"benches", 2}});
    std::map<std::uint64_t, int> expected;
    for (int i = 0; i < 40; ++i) expected[fake.submit("axpy", "3 1 " + std::to_string(i % 10))] = i % 10;
    const auto results = fake.collect_all();
    ASSERT_EQ(results.size(), expected.size());
    for (const auto& [ticket, judgement] : results)
        EXPECT_NEAR(judgement.seconds->candidate, 1e-4 * (1 + 0.25 * std::abs(expected.at(ticket) - 4)), 1e-9);
}

TEST(JudgeWorker, EqualProgramsAreJudgedOnceAndTimingsAreRefreshed) {
    FakeJudge fake(Json{{"refresh", 3}});
    std::set<std::string> ids;
    for (int i = 0; i < 7; ++i) ids.insert(fake.doc("axpy", "3 1 4").at("id"));
    EXPECT_EQ(ids.size(), 3u);  // 3 uses each, then judged again
    std::set<std::string> rejected;
    for (int i = 0; i < 7; ++i) rejected.insert(fake.doc("axpy", "2 1 4").at("id"));
    EXPECT_EQ(rejected.size(), 1u);  // what is wrong stays wrong
}

TEST(JudgeWorker, TicketsForOneProgramInFlightShareItsJudging) {
    FakeJudge fake;
    for (int i = 0; i < 5; ++i) fake.submit("axpy", "3 1 4");
    std::set<std::string> ids;
    for (const auto& [ticket, judgement] : fake.collect_all()) ids.insert(judgement.id);
    EXPECT_EQ(fake.tickets, 5u);
    EXPECT_EQ(ids.size(), 1u);
}

TEST(JudgeWorker, ALostBenchIsInfrastructureNotAVerdict) {
    FakeJudge fake;
    fake.submit("axpy", "3 1 4 die");
    fake.submit("axpy", "3 1 4");
    const auto results = fake.collect_all();
    EXPECT_EQ(results.at(1).verdict, Verdict::INFRASTRUCTURE);
    EXPECT_EQ(results.at(1).reason, "lost 3 times: the bench died of signal 6 (Aborted) in verifier \"fake\" (launch)");
    EXPECT_FALSE(results.at(1).scorable());
    EXPECT_TRUE(results.at(2).passed());
}

TEST(JudgeWorker, ABenchThatACandidateLeftUnfitJudgesNoOther) {
    FakeJudge fake(Json{{"benches", 1}});
    EXPECT_EQ(fake.says("axpy", "3 1 4 wedge"), "RUNTIME_ERROR: the device is wedged");
    EXPECT_EQ(fake.says("axpy", "3 1 4"), "PASSED");
    EXPECT_EQ(fake.says("axpy", "3 1 4 crash"), "RUNTIME_ERROR: the program ended with signal 11 (segmentation fault)");
    EXPECT_EQ(fake.says("axpy", "3 2 4"), "PASSED");
}

TEST(JudgeWorker, AWorkerThatIsKilledLosesNoJob) {
    FakeJudge fake;
    ASSERT_TRUE(fake.ask("axpy", "3 1 4").passed());
    for (int i = 0; i < 20; ++i) fake.submit("axpy", "3 2 " + std::to_string(i));
    std::istringstream children(read_file("/proc/thread-self/children"));
    for (pid_t child = 0; children >> child;) kill(child, SIGKILL);
    const auto results = fake.collect_all();
    EXPECT_EQ(results.size(), 20u);
    for (const auto& [ticket, judgement] : results) EXPECT_TRUE(judgement.passed()) << judgement.reason;
}

// The children of a process and theirs, with their environments.
std::string environments_below(const std::string& process) {
    std::string all;
    std::istringstream children(read_file("/proc/" + process + "/task/" + process + "/children"));
    for (std::string child; children >> child;)
        all += read_file("/proc/" + child + "/environ") + environments_below(child);
    return all;
}

TEST(JudgeWorker, WorkerAndBenchGetNoKeys) {
    setenv("HONE_TEST_API_KEY", "sk-of-a-provider", 1);
    setenv("HONE_TEST_PLAIN", "harmless", 1);
    FakeJudge fake;
    ASSERT_TRUE(fake.ask("axpy", "3 1 4").passed());
    const std::string seen = environments_below(std::to_string(getpid()));
    unsetenv("HONE_TEST_API_KEY");
    unsetenv("HONE_TEST_PLAIN");
    const std::size_t first = seen.find("HONE_TEST_PLAIN=harmless");
    ASSERT_NE(first, std::string::npos);
    EXPECT_NE(seen.find("HONE_TEST_PLAIN=harmless", first + 1), std::string::npos) << "of the worker and of its bench";
    EXPECT_EQ(seen.find("sk-of-a-provider"), std::string::npos);
}

TEST(JudgeWorker, AHangingBenchIsKilledAtItsDeadline) {
    FakeJudge fake(Json{{"deadline", 0.3}});
    const double begun = monotonic_seconds();
    EXPECT_EQ(fake.says("axpy", "3 1 4 stall"),
              "INFRASTRUCTURE: lost 3 times: the bench did not end its phase \"verify\" in 0.45 s (a larger "
              "judge.deadline gives it more) in verifier \"fake\" "
              "(launch)");
    EXPECT_LT(monotonic_seconds() - begun, 20);
    EXPECT_TRUE(fake.ask("axpy", "3 1 4").passed());
}

// Somebody who asks for one judgement sees nothing for minutes else.
TEST(JudgeWorker, AJudgementThatWaitsForTheMachineSaysSo) {
    Lease held;
    held.take();
    FakeJudge fake;
    fake.submit("axpy", "3 1 4");
    const double until = monotonic_seconds() + 60;
    while (fake.judge.phase() != "wait" && monotonic_seconds() < until)
        EXPECT_FALSE(fake.judge.collect(0.05)) << "it did not wait";
    EXPECT_EQ(fake.judge.phase(), "wait");
    EXPECT_FALSE(fake.judge.waits()) << "for a moment only";
    EXPECT_FALSE(fake.judge.collect(1.5));
    EXPECT_TRUE(fake.judge.waits()) << "so that a rollout can tell why nothing happens";
    held.release();
    EXPECT_TRUE(fake.collect_all().begin()->second.passed());
    EXPECT_FALSE(fake.judge.waits());
    EXPECT_EQ(fake.judge.phase(), "time");
}

TEST(JudgeWorker, CancelForgetsAllThatIsPending) {
    FakeJudge fake;
    fake.submit("axpy", "3 1 4 stall");
    fake.submit("axpy", "3 1 4");
    fake.judge.cancel();
    EXPECT_EQ(fake.judge.pending(), 0u);
    EXPECT_FALSE(fake.judge.collect(0.1));
    EXPECT_TRUE(fake.ask("axpy", "3 1 4").passed());
}

TEST(JudgeWorker, PartsThatDoNotFitAreRefusedWithTheReason) {
    JudgePlan plan = FakeJudge::plan(Json::object(), Json::object(), Json::object());
    plan.timer = make_recipe("timer", "wall", Json::object(), "test");
    Judge judge(plan);
    for (int time = 0; time < 2; ++time) {  // a judge that has refused is not spent
        judge.submit(1, load_task("fake/axpy"), make_candidate("axpy", "fake", "3 1 4"));
        EXPECT_EQ(error_text([&] { judge.collect(30); }),
                  "timer.wall: cannot time a device of kind \"fake\"; it knows: cpu; choose another "
                  "timer, or a verifier for such a device");
        EXPECT_EQ(judge.pending(), 0u);
    }
}

TEST(JudgeWorker, AReferenceThatFailsBlamesTheTask) {
    Task task = load_task("fake/axpy");
    task.source = "return { reference = function(a) error('no such thing') end }";
    task.index = 1;
    FakeJudge fake;
    for (int time = 0; time < 2; ++time) {  // the same program is refused again, not waited for
        fake.judge.submit(1, task, make_candidate("axpy", "fake", "3 1 4"));
        const std::string text = error_text([&] { fake.judge.collect(30); });
        EXPECT_NE(text.find("task \"axpy\""), std::string::npos) << text;
        EXPECT_NE(text.find("no such thing"), std::string::npos) << text;
    }
    EXPECT_TRUE(fake.ask("square", "7 2 2").passed());
}

TEST(JudgeWorker, MisspeltOptionsAreRefused) {
    EXPECT_EQ(error_text([] {
                  FakeJudge fake(Json{{"without", "red-zone"}});
              }),
              "judge: no defence \"red-zone\"; did you mean \"red-zones\"?");
    EXPECT_EQ(error_text([] {
                  FakeJudge fake(Json{{"seed", "seven"}});
              }),
              "judge: seed \"seven\" is no whole number; take the one that a judgement's `keys` shows");
}

TEST(JudgeWorker, AJudgeThatEndsLeavesNothingInTheTemporaryFolder) {
    std::string folder = testing::TempDir() + "hone-judge-temporary-XXXXXX";
    ASSERT_TRUE(mkdtemp(folder.data()));
    const char* const before = std::getenv("TMPDIR");
    const std::string restored = before ? before : "/tmp";
    setenv("TMPDIR", folder.c_str(), 1);
    {
        Judge judge({make_recipe("verifier", "cpp", Json::object(), "test"),
                     make_recipe("timer", "wall", Json::object(), "test"),
                     make_recipe("reference", "lua", Json::object(), "test"),
                     check_options(judge_options(), {{"benches", 2}}, "test")});
        for (const char* code : {"wrong", "too"})
            judge.submit(1, load_task("fake/axpy"), make_candidate("axpy", "cpp", code));
        while (judge.pending()) ASSERT_TRUE(judge.collect(30));
        EXPECT_FALSE(std::filesystem::is_empty(folder));
    }
    setenv("TMPDIR", restored.c_str(), 1);
    EXPECT_TRUE(std::filesystem::is_empty(folder));
    std::filesystem::remove_all(folder);
}

TEST(JudgeLease, ExclusiveUseWaitsForSharersAndGoesBeforeLaterOnes) {
    const std::string file = testing::TempDir() + "/hone-lease-" + std::to_string(getpid());
    Lease one(file), two(file);
    one.share();
    two.share();  // does not block
    two.release();
    auto [from, to] = make_pipe();
    const pid_t child = fork();
    if (child == 0) {
        Lease third(file);
        third.take();
        _exit(write(to.get(), "x", 1) == 1 ? 0 : 1);
    }
    usleep(50000);
    one.release();
    char byte = 0;
    EXPECT_EQ(read(from.get(), &byte, 1), 1);
    int status = 0;
    waitpid(child, &status, 0);
    one.share();  // the holder is gone: nothing blocks
    unlink(file.c_str());
}

}  // namespace
}  // namespace hone
