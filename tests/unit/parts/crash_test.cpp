// A part that crashes, ends the program or is silent is named, with its function and how to go on.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <map>
#include <thread>
#include "base/paths.hpp"
#include "base/process.hpp"
#include "base/progress.hpp"
#include "parts/in_part.hpp"
#include "store/journal.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

class Crash : public ::testing::Test {
protected:
    Crash() {
        char name[] = "/tmp/hone_crash_XXXXXX";
        folder_ = mkdtemp(name);
    }
    ~Crash() override { fs::remove_all(folder_); }
    void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
        GTEST_SKIP() << "the sanitizer tells of a crash in its own words";
#endif
    }

    // What hone says on standard error, and how it ends.
    std::string hone(const std::vector<std::string>& words, int& status, const std::string& parts = "faulty") {
        SpawnPlan plan;
        const fs::path program = fs::path(HONE_TEST_PLUGIN_DIR).parent_path().parent_path().parent_path() / "bin/hone";
        plan.argv = {program.string()};
        plan.argv.insert(plan.argv.end(), words.begin(), words.end());
        plan.environment = {"HONE_PLUGIN_PATH=" HONE_TEST_FIXTURE_DIR "/" + parts, "PATH=/usr/bin:/bin",
                            "XDG_STATE_HOME=" + folder_.string(), "XDG_CACHE_HOME=" + folder_.string()};
        plan.in_child = [&] { return chdir(folder_.c_str()) == 0; };
        const Fd told(open((folder_ / "told").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644));
        const Fd nowhere(open("/dev/null", O_WRONLY));
        plan.files = {{nowhere.get(), 1}, {told.get(), 2}};
        EXPECT_TRUE(Child(plan).wait(60, &status));
        return read_file(folder_ / "told");
    }
    // One group of answers to one task, shaped; `parts` says which of its parts are others than hone's own.
    std::string run(const std::map<std::string, std::string>& parts, int& status) {
        std::map<std::string, std::string> all = {{"policy", "run:policy(function() return '1 2 3' end)"},
                                                  {"prompt", "run:prompt('compact')"},
                                                  {"shaper", "run:shaper('log-speedup')"},
                                                  {"reference", "run:reference('lua')"}};
        for (const auto& [name, part] : parts) all[name] = part;
        write_file(folder_ / "mutant.lua",
                   "local run = require('hone').run { name = 'm', seed = 1 }\n"
                   "local judge = run:judge { verifier = run:verifier('fake'), timer = "
                   "run:timer('virtual'), reference = " +
                       all["reference"] +
                       " }\n"
                       "local task = run:suite('fake', { only = 'axpy' })[1]\n"
                       "local messages = run:write(" +
                       all["prompt"] +
                       ", task)\n"
                       "local groups = run:rollout { policy = " +
                       all["policy"] +
                       ", judge = judge, prompts = { { task = task, messages = messages } }, "
                       "group = 2, max_tokens = 8 }\nrun:shape(" +
                       all["shaper"] + ", groups[1])\n");
        return hone({"run", "mutant.lua", "--name", "m", "--quiet"}, status);
    }

    fs::path folder_;
};

const std::string way_on = "; the run is saved; go on with: hone run mutant.lua --name m --resume\n";

TEST_F(Crash, ACrashOfAPartOfTheEngineNamesItAndTheWayOn) {
    for (const auto& [interface, function] :
         {std::pair{"policy", "sample"}, {"prompt", "write"}, {"shaper", "shape"}}) {
        int status = 0;
        fs::remove_all(folder_ / "runs");
        const std::string part = std::string("run:") + interface + "('mutant')";
        EXPECT_EQ(run({{interface, part}}, status), "hone: signal 11 (Segmentation fault): crashed in " +
                                                        std::string(interface) + " \"mutant\" (" + function + ")" +
                                                        way_on);
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    }
}

TEST_F(Crash, APartThatEndsTheProgramIsNamed) {
    for (const std::string how : {"exit", "_exit"}) {
        int status = 0;
        fs::remove_all(folder_ / "runs");
        EXPECT_EQ(run({{"policy", "run:policy('mutant', { how = '" + how + "' })"}}, status),
                  "hone: policy \"mutant\" (sample) ended the program with status 0" + way_on);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << "not as if the run had succeeded";
    }
}

TEST_F(Crash, ACrashOfAReferenceIsToldByItsWorker) {
    int status = 0;
    run({{"reference", "run:reference('mutant')"}}, status);
    EXPECT_EQ(Journal::read((folder_ / "runs/m").string())
                  .rows("SELECT doc ->> '$.reason' AS reason FROM judgement")
                  .at(0)["reason"],
              "lost 3 times: the bench died of signal 11 (Segmentation fault) in reference \"mutant\" (open)");
}

TEST_F(Crash, TheContractTestOfABrokenPartNamesTheFunction) {
    int status = 0;
    EXPECT_EQ(hone({"plugins", "--check", "policy.mutant"}, status), "broken: sample: Segmentation fault\n");
    EXPECT_EQ(WEXITSTATUS(status), 1);
    EXPECT_NE(
        hone({"plugins", "--check", "shaper.misreader"}, status)
            .find("broken: shape: hone.Judgement has no \"log_speedup.lowr\"; did you mean \"log_speedup.lower\"?"),
        std::string::npos);
    EXPECT_EQ(WEXITSTATUS(status), 1);
}

TEST_F(Crash, APartThatEndsItsContractTestHasNotPassed) {
    for (const std::string how : {"exit", "_exit"}) {
        int status = 0;
        EXPECT_EQ(hone({"plugins", "--check", "timer.odd", "fault=" + how}, status),
                  "hone: timer \"odd\" (time) ended the program with status 0\n");
        EXPECT_EQ(WEXITSTATUS(status), 1);
    }
}

TEST_F(Crash, ATimerThatHasNoDeviceHereIsNotTested) {
    int status = 0;
    EXPECT_EQ(hone({"plugins", "--check", "timer.odd", "fault=attach-refuses"}, status), "");
    EXPECT_EQ(WEXITSTATUS(status), 4);
}

TEST_F(Crash, ALibraryThatCrashesWhileItIsLoadedIsNamed) {
    int status = 0;
    const std::string file = HONE_TEST_FIXTURE_DIR "/stillborn/timer.stillborn.so";
    EXPECT_EQ(hone({"plugins"}, status, "stillborn"),
              "hone: signal 6 (Aborted): crashed in " + file + " (being loaded)\n");
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

TEST_F(Crash, ASilentPartIsNamed) {
    const std::string part = "policy \"slow\"";
    Progress::set_quiet(false);
    const auto pause = [](double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); };
    ::testing::internal::CaptureStderr();
    {
        const PartWatch watch(0.3);
        const InPart here(part, "sample");
        for (int i = 0; i < 20; ++i) pause(0.02), InPart::answers();
    }
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    ::testing::internal::CaptureStderr();
    {
        const PartWatch watch(0.3);
        const InPart here(part, "sample");
        pause(0.5);
    }
    const PartWatch idle(0.01);
    pause(0.1);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(),
              part + " (sample) has not answered for 0.3 s (Ctrl-C twice ends hone)\n");
}

// A timer of seconds and one of joules judge in one run: its programs are in no common order.
TEST_F(Crash, TwoUnitsOfOneTaskAreRankedApart) {
    write_file(folder_ / "two.lua", R"lua(
local run = require("hone").run { name = "m", seed = 1 }
local task = run:suite("fake", { only = "axpy" })[1]
local function judged(timer)
    local judge = run:judge { verifier = run:verifier("fake"), timer = timer, reference = run:reference("lua") }
    run:rollout { policy = run:policy(function() return "3 1 4" end), judge = judge, prompts = { { task = task, messages = { "q", fenced = false } } }, group = 1,
        max_tokens = 8 }
end
judged(run:timer("faulty"))
judged(run:timer("faulty", { unit = "J" }))
for _, unit in ipairs { "J", "s" } do
    local found = run.archive:find { task = task, unit = unit }
    assert(#found == 1 and found[1].unit == unit)
end
run.archive:find { task = task }
)lua");
    int status = 0;
    const std::string told = hone({"run", "two.lua", "--name", "m", "--quiet"}, status);
    EXPECT_NE(told.find("two.lua:15: archive:find: programs were measured in \"J\" and in \"s\", which "
                        "have no common order; say which: unit = \"J\"; a stage takes an archive of its own: archive = "
                        "run.archive:branch(), made before programs are measured in another unit"),
              std::string::npos)
        << told;
}

TEST_F(Crash, EachThreadIsInAPartOfItsOwn) {
    const std::string first = "policy \"first\"", second = "policy \"second\"";
    const auto told = [] {
        char text[64];
        InPart::tell(text, sizeof text);
        return std::string(text);
    };
    std::string place;
    {
        const InPart here(first, "sample");
        std::thread([&] {
            EXPECT_EQ(told(), first + " (sample)") << "it may be a thread of that part";
            { const InPart there(second, "load"); }
            EXPECT_EQ(told(), "");
            const InPart there(second, "facts");
            EXPECT_EQ(told(), second + " (facts)");
            InPart::answers();
            EXPECT_GE(InPart::silence(place), 0);
            EXPECT_EQ(place, first + " (sample)") << "the one that is silent for longest";
        }).join();
        EXPECT_EQ(told(), first + " (sample)");
    }
    EXPECT_LT(InPart::silence(place), 0);
}

}  // namespace
}  // namespace hone
