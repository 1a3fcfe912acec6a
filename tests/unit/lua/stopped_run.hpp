// A run of a script of its own in a folder of its own, by a process that a test stops and resumes.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <string>
#include "base/error.hpp"
#include "base/paths.hpp"
#include "base/process.hpp"
#include "store/journal.hpp"

namespace hone::test {

inline const std::string judge_and_task =
    "local hone = require \"hone\"\n"
    "hone.settings(\"note\", \"\")\n"
    "local run = hone.run { name = \"stopped\", seed = 1 }\n"
    "local judge = run:judge { verifier = run:verifier(\"fake\"), timer = run:timer(\"virtual\"), reference = "
    "run:reference(\"lua\") }\n"
    "local task = run:suite(\"fake\", { only = { \"axpy\" } })[1]\n";

class StoppedRun : public ::testing::Test {
protected:
    StoppedRun() : before_(fs::current_path()) {
        char path[] = "/tmp/hone_rollout_XXXXXX";
        folder_ = mkdtemp(path);
        fs::current_path(folder_);
    }
    ~StoppedRun() override {
        fs::current_path(before_);
        fs::remove_all(folder_);
    }

    Child start(bool resume, const std::string& base_url = "") {
        SpawnPlan plan;
        plan.argv = {
            (program_path().parent_path() / "hone").string(), "run", "the script.lua", "--quiet", "--set", "note=it's"};
        if (resume) plan.argv.push_back("--resume");
        for (char** one = environ; *one; ++one) plan.environment.push_back(*one);
        plan.environment.push_back("OPENAI_API_KEY=sk-test");
        plan.environment.push_back("OPENAI_BASE_URL=" + base_url);
        said_ = Fd(open("said", O_WRONLY | O_CREAT | O_TRUNC, 0600));
        plan.files = {{said_.get(), 2}};
        return Child(plan);
    }

    static long kept(const std::string& table) {
        try {
            return Journal::read("stopped").rows("SELECT count(*) AS n FROM " + table).at(0)["n"];
        } catch (const Error&) {  // not begun yet
            return 0;
        }
    }

    // Starts the script and sends the signal once so many answers are in the journal. The exit status as waitpid gives
    // it.
    int stop_after(long answers, int signal, const std::string& base_url = "") {
        Child child = start(false, base_url);
        int status = 0;
        const double begun = monotonic_seconds();
        while (kept("answer") < answers && monotonic_seconds() - begun < 60 && !child.wait(0.01, &status)) {
        }
        if (!child.running()) return status;
        ::kill(child.pid(), signal);
        EXPECT_TRUE(child.wait(30, &status)) << "it does not end";
        return status;
    }

    int resume(const std::string& base_url = "") {
        int status = -1;
        Child child = start(true, base_url);
        EXPECT_TRUE(child.wait(120, &status)) << "the resumed run does not end";
        return status;
    }

    void expect_interrupted(int status) {
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 130) << status << "\n" << read_file("said");
        EXPECT_NE(read_file("said").find("interrupted\nthe run is saved; go on with: hone run 'the script.lua' --set "
                                         "'note=it'\\''s' --resume\n"),
                  std::string::npos)
            << read_file("said");
    }

    fs::path before_, folder_;
    Fd said_;
};

}  // namespace hone::test
