// A crash of a part in the engine's own process has last words: which part, and how to go on.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/paths.hpp"
#include "base/process.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

// What `hone run` of a script says before it ends, and of which signal it died.
std::string last_words(const fs::path& folder, const std::string& script, int& signal) {
    write_file(folder / "mutant.lua", script);
    SpawnPlan plan;
    const fs::path program = fs::path(HONE_TEST_PLUGIN_DIR).parent_path().parent_path().parent_path() / "bin/hone";
    plan.argv = {program.string(), "run", "mutant.lua", "--name", "m", "--quiet"};
    plan.environment = {"HONE_PLUGIN_PATH=" HONE_TEST_FIXTURE_DIR "/faulty", "PATH=/usr/bin:/bin",
                        "XDG_STATE_HOME=" + folder.string(), "XDG_CACHE_HOME=" + folder.string()};
    plan.in_child = [&] { return chdir(folder.c_str()) == 0; };
    const Fd told(open((folder / "told").c_str(), O_WRONLY | O_CREAT, 0644));
    plan.files = {{told.get(), 2}};
    int status = 0;
    EXPECT_TRUE(Child(plan).wait(60, &status));
    signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return read_file(folder / "told");
}

TEST(Crash, ACrashOfAPolicyNamesItAndTheWayOn) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the sanitizer tells of a crash in its own words";
#endif
    char name[] = "/tmp/hone_crash_XXXXXX";
    const fs::path folder = mkdtemp(name);
    int signal = 0;
    const std::string words = last_words(folder, R"(
        local hone = require "hone"
        local run = hone.run { name = "m", seed = 1 }
        local judge = run:judge { verifier = run:verifier("fake"), timer = run:timer("virtual"), reference = run:reference("lua") }
        run:evaluate { policy = run:policy("mutant"), prompt = run:prompt("compact"), judge = judge,
            suite = run:suite("fake", { only = { "axpy" } }), row = "mutant", group = 2, max_tokens = 8 })",
                                         signal);
    EXPECT_EQ(signal, SIGSEGV);
    EXPECT_EQ(words,
              "hone: signal 11 (Segmentation fault): crashed in policy \"mutant\" (sample); the run is saved; go on "
              "with: hone run mutant.lua --name m --resume\n");
    fs::remove_all(folder);
}

}  // namespace
}  // namespace hone
