// A run that is killed with SIGKILL, or refused by its disk, at many points of each of its stages and resumed each time
// leaves the journal and the weights that an undisturbed run leaves; by a real clock, nothing that is committed is done
// again.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <set>
#include <thread>
#include "base/error.hpp"
#include "base/paths.hpp"
#include "base/process.hpp"
#include "base/random.hpp"
#include "sandbox/small_disk.hpp"
#include "store/journal.hpp"
#include "store/sqlite.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

// In each stage. Sanitized, 20 kills take most of a minute a stage; ./dev test --full has them without sanitizers.
#ifdef __SANITIZE_ADDRESS__
constexpr int kills = 5;
#else
constexpr int kills = 20;
#endif

struct Range {
    std::int64_t first, last;
};  // operations

class Resume : public ::testing::Test {
protected:
    fs::path folder_ = fs::temp_directory_path() / ("hone-resume-test-" + std::to_string(getpid()));
    fs::path home_ = fs::current_path();
    Random random_{7};
    std::string script_ = "resume.lua";
    std::vector<std::string> words_;  // more of the command line

    void SetUp() override {
        fs::create_directories(folder_ / "tmp");
        fs::current_path(folder_);
    }
    void TearDown() override {
        fs::current_path(home_);
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }

    Child start(const std::string& name, bool resume) {
        SpawnPlan plan;
        const fs::path program = fs::path(HONE_TEST_PLUGIN_DIR).parent_path().parent_path().parent_path() / "bin/hone";
        plan.argv = {program.string(), "run", HONE_TEST_SOURCE_DIR "/tests/lua/scripts/" + script_,
                     "--name",         name,  "--quiet"};
        plan.argv.insert(plan.argv.end(), words_.begin(), words_.end());
        if (resume) plan.argv.push_back("--resume");
        for (char** one = environ; *one; ++one)
            if (!std::string_view(*one).starts_with("TMPDIR=")) plan.environment.push_back(*one);
        plan.environment.push_back("TMPDIR=" + (folder_ / "tmp").string());
        silence_ = Fd(open("/dev/null", O_WRONLY));
        told_ = Fd(open((folder_ / "told").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644));
        plan.files = {{silence_.get(), 1}, {told_.get(), 2}};
        return Child(plan);
    }

    // To its end: the exit code. What it told people is in told().
    int finish(const std::string& name, bool resume) {
        int status = 0;
        Child child = start(name, resume);
        return child.wait(300, &status) && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    std::string told() const { return read_file(folder_ / "told"); }

    // The first number that a query gives, 0 where the run has not begun.
    static std::int64_t number(const std::string& name, const std::string& sql, Range range) {
        try {
            const Json row = Journal::read(name).rows(sql, {range.first, range.last}).at(0);
            return row.begin()->is_null() ? 0 : row.begin()->get<std::int64_t>();
        } catch (const Error&) {
            return 0;
        }
    }
    static std::int64_t rows_in(const std::string& name, Range range) {
        std::string sql = "SELECT (SELECT count(*) + count(result) FROM operation WHERE op BETWEEN ?1 AND ?2)";
        for (const char* table : {"prompt", "answer", "judgement", "reward", "update_step"})
            sql += std::string(" + (SELECT count(*) FROM ") + table + " WHERE op BETWEEN ?1 AND ?2)";
        return number(name, sql, range);
    }
    static std::int64_t last_op(const std::string& name) {
        return number(name, "SELECT max(op) FROM operation WHERE ?1 <= ?2", {0, 0});
    }
    static Range range_of(const std::string& name, const std::string& stage) {
        const char* const sql =
            "SELECT min(op) AS first, max(op) AS last FROM (SELECT op, stage FROM prompt UNION SELECT op, doc ->> "
            "'$.stage' FROM event"
            " WHERE op > 0) WHERE stage LIKE ? || '%'";
        const Json row = Journal::read(name).rows(sql, {stage}).at(0);
        return {row["first"], row["last"]};
    }

    // Kills the run a random moment after it has committed so many rows of those operations. False if it ended before.
    bool kill_at(const std::string& name, Range range, std::int64_t rows, bool resume) {
        Child child = start(name, resume);
        int status = 0;
        while (!child.wait(0.0005, &status)) {
            look();
            if (rows_in(name, range) < rows) continue;
            std::this_thread::sleep_for(std::chrono::microseconds(random_.below(2'000)));
            child.kill();
            return true;
        }
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << name << " ended with status " << status << "\n"
                                                                   << told();
        return false;
    }
    virtual void look() {}  // between two looks at the journal

    // Kills it as often as is left to do, each time with new rows since the last; the number of kills within those
    // operations.
    int kill_within(const std::string& name, Range range, std::int64_t rows, int left) {
        int done = 0;
        for (std::int64_t at = 0; done < left; ++done) {
            const std::int64_t step = std::max<std::int64_t>(1, (rows - at) / (left - done));
            if (!kill_at(name, range,
                         at + 1 + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(step))), at > 0))
                break;
            const std::int64_t now = rows_in(name, range);
            EXPECT_GT(now, at) << "nothing was committed since the kill before";
            if (last_op(name) > range.last) break;
            at = now;
        }
        return done;
    }

    // Every table as text, without what depends on the clock on the wall or on the name of the run.
    static Json contents(const std::string& name) {
        const Journal journal = Journal::read(name);
        Json all = Json::object();
        for (const Json& table :
             journal.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('event', 'run',"
                          " 'checkpoint') AND name NOT LIKE 'sqlite%'")) {
            const std::string title = table["name"];
            all[title] = journal.rows("SELECT * FROM " + title);
            for (Json& row : all[title]) row.erase("wall");
            std::sort(all[title].begin(), all[title].end());
        }
        return all;
    }
    static std::string weights(const std::string& name) {
        const auto checkpoint = Journal::read(name).last_checkpoint("bigram");
        return checkpoint ? read_file(fs::path("runs") / name / checkpoint->folder / "bigram.json") : "none";
    }
    static void expect_equal(const std::string& name, const std::string& whole) {
        const Json undisturbed = contents(whole), disturbed = contents(name);
        constexpr auto replaced = Json::error_handler_t::replace;
        EXPECT_FALSE(undisturbed.at("sample").empty());
        for (const auto& [table, rows] : undisturbed.items())
            EXPECT_TRUE(disturbed[table] == rows)
                << table << ": " << Json::diff(rows, disturbed[table]).dump(-1, ' ', false, replaced).substr(0, 600);
        EXPECT_TRUE(weights(name) == weights(whole)) << "the last weights differ";
    }

    Fd silence_, told_;
};

class ResumeStage : public Resume, public ::testing::WithParamInterface<const char*> {};

TEST_P(ResumeStage, KilledItEndsLikeAnUndisturbedOne) {
    const std::string stage = GetParam();
    words_ = {"--set", "long=" + stage};
    ASSERT_EQ(finish("whole", false), 0) << told();
    const Range range = range_of("whole", stage);
    const std::int64_t rows = rows_in("whole", range);
    int done = 0;
    // where a kill comes so late that the stage is over
    for (int attempt = 1; attempt <= 5 && done < kills; ++attempt) {
        const std::string name = "killed-" + std::to_string(attempt);
        done += kill_within(name, range, rows, kills - done);
        ASSERT_EQ(finish(name, true), 0) << told();
        expect_equal(name, "whole");
    }
    EXPECT_EQ(done, kills) << "too many kills came after the stage had ended";
}

INSTANTIATE_TEST_SUITE_P(Each, ResumeStage,
                         ::testing::Values("collect", "sft", "self-supervised", "contrastive-rl", "evaluate"),
                         [](const auto& one) {
                             return std::to_string(one.index) + "_" + std::string(one.param).substr(0, 4);
                         });

TEST_F(Resume, AnUpdateThatWasNotCommittedIsNotSaved) {
    ASSERT_EQ(finish("whole", false), 0) << told();
    const Range sft = range_of("whole", "sft");
    ASSERT_TRUE(kill_at("refused", {1, sft.last}, rows_in("whole", {1, sft.first}) + 1, false));
    const Database journal("runs/refused/journal.sqlite", Database::Mode::write);
    journal.run(("CREATE TRIGGER refuse BEFORE INSERT ON update_step WHEN NEW.op > " +
                 std::to_string(last_op("refused") + 4) + " BEGIN SELECT RAISE(ABORT, 'refused'); END")
                    .c_str());
    EXPECT_EQ(finish("refused", true), 1) << told();
    journal.run("DROP TRIGGER refuse");
    ASSERT_EQ(finish("refused", true), 0) << told();
    expect_equal("refused", "whole");
}

const char* const full_disk =
    "the disk is full: this write was taken back, everything committed before it is safe; free some space and go on "
    "with --resume";
const char* const no_room = "No space left on device; check that its disk has room and that the folder is yours";

TEST_F(Resume, AFullDiskLosesNothing) {
    fs::create_directories("runs/small");
    const int status = in_child([&] {
        if (finish("whole", false) != 0) _exit(1);
        int kilobytes = 300, full = 0, code = 4;  // at first: room for a journal without operations
        if (!mount_small("runs/small", kilobytes)) _exit(77);
        for (; code == 4 && kilobytes < 20'000; ++full, resize_small("runs/small", kilobytes += 300)) {
            code = finish("small", fs::exists("runs/small/journal.sqlite"));
            const std::string text = told();
            std::ofstream("full", std::ios::app) << text;
            const bool clear =
                text.starts_with("hone: ") && (text.find(full_disk) != text.npos || text.find(no_room) != text.npos);
            if (code != 0 && !clear) _exit(3);
        }
        fs::copy("runs/small", "runs/copy", fs::copy_options::recursive);
        _exit(code == 0 && full > 2 ? 0 : 2);
    });
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "no user namespaces here";
    ASSERT_EQ(status, 0) << read_file("full");
    expect_equal("copy", "whole");
}

TEST_F(Resume, AnUnreadableJournalIsNamed) {
    ASSERT_EQ(finish("whole", false), 0) << told();
    fs::create_directories("runs/half");
    fs::create_directories("runs/noise");
    const std::string bytes = read_file("runs/whole/journal.sqlite");
    write_file("runs/half/journal.sqlite", bytes.substr(0, bytes.size() / 2));
    std::string noise = bytes;
    for (char& c : noise) c = static_cast<char>(random_.below(256));
    write_file("runs/noise/journal.sqlite", noise);
    const std::pair<const char*, const char*> both[] = {{"half", "database disk image is malformed"},
                                                        {"noise", "file is not a database"}};
    for (const auto& [name, words] : both) {
        EXPECT_EQ(finish(name, true), 4) << name;
        EXPECT_EQ(told(), "hone: " HONE_TEST_SOURCE_DIR "/tests/lua/scripts/resume.lua:8: runs/" + std::string(name) +
                              "/journal.sqlite: damaged, or no journal of hone (SQLite: " + words +
                              "); restore it from a copy, or rescue its rows with: sqlite3 FILE .recover\n");
    }
}

// By the clock on the wall, with a compiler. The builds that are seen under way tell what is really done again.
class ResumeWall : public Resume {
protected:
    void look() override {
        for (const auto& entry : fs::directory_iterator(folder_ / "tmp")) try {
                const std::string unit = read_file(entry.path() / "work/unit.cpp");
                if (!unit.empty()) built_.insert(unit);
            } catch (const std::exception&) {  // no builder's folder, or between two builds
            }
    }
    static std::map<std::string, Json> committed(const std::string& name) {
        std::map<std::string, Json> all;
        for (Json& row : Journal::read(name).rows(
                 "SELECT j.*, body FROM judgement j JOIN candidate USING (task, hash) JOIN text ON sha256 = code"))
            all[row["body"]] = row;
        return all;
    }
    // Of what a killed bench had under way: its compiler may write for a moment longer.
    static void clear(const fs::path& folder) {
        std::error_code ignored;
        for (int i = 0; i < 100 && fs::exists(folder, ignored); ++i) {
            fs::remove_all(folder, ignored);
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        fs::create_directories(folder);
    }
    std::set<std::string> built_;
};

TEST_F(ResumeWall, NothingCommittedIsJudgedAgain) {
    script_ = "resume_wall.lua";
    std::map<std::string, Json> before;
    std::size_t seen = 0;
    std::int64_t rows = 1 + 2 * 24;  // the operation, prompts and answers
    for (int killed = 0; killed < 4; ++killed) {
        built_.clear();
        clear(folder_ / "tmp");
        // at least one more judgement; beside other work it may end while this looks elsewhere
        if (!kill_at("wall", {1, 1}, rows + 1, killed > 0)) {
            ASSERT_GT(killed, 0) << "ended before it was killed";
            break;
        }
        rows = rows_in("wall", {1, 1});
        seen += built_.size();
        for (const auto& [code, row] : before)
            for (const std::string& unit : built_)
                EXPECT_EQ(unit.find(code), std::string::npos) << "built again: " << code;
        const auto now = committed("wall");
        EXPECT_GT(now.size(), before.size());
        for (const auto& [code, row] : before) EXPECT_EQ(now.at(code), row);
        before = now;
    }
    EXPECT_GT(seen, 0u) << "no build was seen";
    ASSERT_EQ(finish("wall", true), 0) << told();
    const auto now = committed("wall");
    EXPECT_EQ(now.size(), 24u);
    for (const auto& [code, row] : before) EXPECT_EQ(now.at(code), row);
}

}  // namespace
}  // namespace hone
