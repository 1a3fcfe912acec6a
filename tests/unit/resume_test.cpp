// A run that is killed with SIGKILL at random points of each of its stages, and resumed each time, leaves the journal that an undisturbed
// run
// leaves: all tables but the wall clock's. HONE_RESUME_KILLS sets the number of kills a stage (default 1).
#include <gtest/gtest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdlib>
#include <algorithm>
#include <chrono>
#include <thread>
#include "base/error.hpp"
#include "base/paths.hpp"
#include "base/process.hpp"
#include "base/random.hpp"
#include "store/journal.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

class Resume : public ::testing::Test {
protected:
    fs::path folder_ = fs::temp_directory_path() / ("hone-resume-test-" + std::to_string(getpid()));
    fs::path home_ = fs::current_path();
    Random random_{7};

    void SetUp() override {
        fs::create_directories(folder_);
        fs::current_path(folder_);
    }
    void TearDown() override {
        fs::current_path(home_);
        fs::remove_all(folder_);
    }

    Child start(const std::string& name, bool resume) {
        SpawnPlan plan;
        const fs::path program = fs::path(HONE_TEST_PLUGIN_DIR).parent_path().parent_path().parent_path() / "bin/hone";
        plan.argv = {program.string(), "run", HONE_TEST_SOURCE_DIR "/tests/lua/scripts/resume.lua", "--name", name, "--quiet"};
        if (resume) plan.argv.push_back("--resume");
        for (char** one = environ; *one; ++one) plan.environment.push_back(*one);
        silence_ = Fd(open("/dev/null", O_WRONLY));
        plan.files = {{silence_.get(), 1}, {STDERR_FILENO, 2}};
        return Child(plan);
    }

    // Random operations of each stage, in the order in which a run comes to them.
    std::vector<std::int64_t> targets(const std::string& name, int kills) {
        const Journal journal = Journal::read(name);
        const char* const stages =
            "SELECT stage, min(op) AS first, max(op) AS last FROM"
            " (SELECT op, stage FROM prompt UNION SELECT op, doc ->> '$.stage' FROM event WHERE op > 0) GROUP BY stage";
        std::vector<std::int64_t> chosen;
        for (const Json& stage : journal.rows(stages)) {
            const std::int64_t first = stage["first"], last = stage["last"];
            for (int i = 0; i < kills; ++i)
                chosen.push_back(first + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(last - first + 1))));
        }
        std::sort(chosen.begin(), chosen.end());
        return chosen;
    }

    // Kills the run a random moment after it has come to an operation. False if it ended before.
    bool kill_at(const std::string& name, std::int64_t target, bool resume) {
        Child child = start(name, resume);
        int status = 0;
        while (!child.wait(0.002, &status)) {
            if (reached(name) < target) continue;
            std::this_thread::sleep_for(std::chrono::microseconds(random_.below(30'000)));
            child.kill();
            return true;
        }
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << name << " ended with status " << status;
        return false;
    }

    static std::int64_t reached(const std::string& name) {
        try {
            const Json op = Journal::read(name).rows("SELECT max(op) AS op FROM operation").at(0)["op"];
            return op.is_null() ? 0 : op.get<std::int64_t>();
        } catch (const Error&) {  // not begun yet
            return 0;
        }
    }

    // Every table as text, without what depends on the clock on the wall or on the name of the run.
    static Json contents(const std::string& name) {
        const Journal journal = Journal::read(name);
        Json all = Json::object();
        for (const Json& table : journal.rows(
                 "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('event', 'run') AND name NOT LIKE 'sqlite%'")) {
            const std::string title = table["name"];
            all[title] = journal.rows("SELECT * FROM " + title);
            for (Json& row : all[title]) row.erase("wall");
            std::sort(all[title].begin(), all[title].end());
        }
        return all;
    }

    Fd silence_;
};

TEST_F(Resume, AKilledRunsJournalEndsLikeAnUndisturbedOne) {
    const char* wanted = std::getenv("HONE_RESUME_KILLS");
    int status = 0;
    Child whole = start("whole", false);
    ASSERT_TRUE(whole.wait(300, &status) && status == 0) << "the undisturbed run failed";
    const auto points = targets("whole", wanted ? std::atoi(wanted) : 1);
    ASSERT_FALSE(points.empty());
    std::size_t kills = 0;
    bool resume = false;
    for (const std::int64_t point : points) kills += kill_at("killed", point, std::exchange(resume, true));
    Child last = start("killed", true);
    ASSERT_TRUE(last.wait(300, &status) && status == 0) << "the last resumption failed";
    EXPECT_GE(kills, points.size() - points.size() / 10) << "the run ended before it was killed";
    const Json undisturbed = contents("whole"), killed = contents("killed");
    for (const auto& [table, rows] : undisturbed.items())
        EXPECT_TRUE(killed[table] == rows) << table << ": " << Json::diff(rows, killed[table]).dump().substr(0, 600);
}

}  // namespace
}  // namespace hone
