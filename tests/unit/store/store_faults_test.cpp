// What the journal refuses, and what it keeps whatever happens to the process, the disk or the file.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <fstream>
#include "sandbox/small_disk.hpp"
#include "store/sqlite.hpp"
#include "store/store_fixture.hpp"
#include "store/writer_lock.hpp"

namespace hone {
namespace {

TEST_F(StoreTest, ARunThatMayHaveSpentMoneyIsNotReplaced) {
    fresh();
    fresh().put_event(0, "lost", {{"op", 1}, {"usd", 0.0014}, {"maybe", true}});
    EXPECT_NE(error_text([&] { fresh(); }).find(": holds a run already; "), std::string::npos);
}

TEST_F(StoreTest, RefusalsSayWhatToDo) {
    EXPECT_EQ(error_text([&] { Journal::resume(folder(), info()); }),
              folder() + ": holds no run to resume; start it without --resume");
    Journal journal = fresh();
    journal.end(journal.begin("x", {}), {});
    EXPECT_EQ(error_text([&] {
                  Journal::resume(folder(), info());
              }).find(folder() + ": the run is being written by process " + std::to_string(getpid()) + " on "),
              0u);
    EXPECT_NO_THROW(Journal::read(folder()));
    { Journal gone = std::move(journal); }
    EXPECT_EQ(error_text([&] { fresh(); }),
              folder() +
                  ": holds a run already; go on with --resume, which keeps all that agrees with the script; begin "
                  "another run with --new; or remove the folder");
    RunInfo other = info();
    other.seed = 8;
    EXPECT_EQ(error_text([&] { Journal::resume(folder(), other); }),
              folder() +
                  ": the run was recorded with seed 18446744073709551615, not 8; resume with that seed, or start a run "
                  "with another name");
}

TEST_F(StoreTest, ForeignNewerAndDamagedFiles) {
    fs::create_directories(folder());
    Database(file(), Database::Mode::create).run("CREATE TABLE theirs(x)");
    const std::string foreign = file() + ": a database, but no journal of hone; name a run's folder";
    EXPECT_EQ(error_text([&] { Journal::read(folder()); }), foreign);
    EXPECT_EQ(error_text([&] { Journal::resume(folder(), info()); }), foreign);
    EXPECT_EQ(error_text([&] { fresh(); }), foreign);
    fs::remove_all(folder());

    fresh();
    for (const auto& [version, who] : {std::pair{"99", "a newer"}, {"7", "an older"}}) {
        Database(file(), Database::Mode::write).run((std::string("PRAGMA user_version = ") + version).c_str());
        const std::string refused = file() + ": written by " + who + " hone (schema " + version +
                                    ", this one reads 12); read it with that hone, or start the run anew under another "
                                    "name";
        EXPECT_EQ(error_text([&] { Journal::read(folder()); }), refused);
        EXPECT_EQ(error_text([&] { Journal::resume(folder(), info()); }), refused);
        EXPECT_EQ(error_text([&] { fresh(); }), refused);
    }
    fs::remove_all(folder());

    fresh();
    fs::resize_file(file(), fs::file_size(file()) / 2 + 100);
    const auto truncated = error_text([&] { Journal::read(folder()).rows("SELECT * FROM v_candidate"); });
    EXPECT_EQ(truncated.find(file() + ": damaged, or no journal of hone (SQLite: "), 0u) << truncated;
    std::ofstream(file(), std::ios::trunc) << std::string(5000, 'x');
    const auto garbage = error_text([&] { Journal::read(folder()); });
    EXPECT_EQ(garbage.find(file() + ": damaged, or no journal of hone (SQLite: file is not a database)"), 0u)
        << garbage;
}

TEST_F(StoreTest, ARecordThatIsNoJsonIsToldByItsFile) {
    fresh();
    Database(file(), Database::Mode::write).run("UPDATE run SET settings = '{\"a\": '");
    EXPECT_EQ(error_text([&] { Journal::read(folder()).info(); }),
              "a record of " + file() +
                  ": is no JSON: line 1, column 7: unexpected end of input; expected '[', '{', or "
                  "a literal; the file is damaged or was edited: begin another run with --new");
}

TEST_F(StoreTest, ATextThatDoesNotGiveItsHashIsNotHandedOut) {
    {
        Journal journal = fresh();
        const auto op = journal.begin("rollout", {});
        journal.put_answer({op, 0, 0}, {{"text", "an answer"}});
        journal.put_judgement({op, 0, 0}, program(), passed(1.5));
    }
    const auto damage = [&](const char* from, const char* to) {
        Statement(Database(file(), Database::Mode::write), "UPDATE text SET body = ?2 WHERE body = ?1")
            .with(from, to)
            .run();
    };
    const Journal journal = Journal::read(folder());
    ASSERT_EQ(journal.find({}).at(0).code, "code of h1");
    damage("code of h1", "other code");
    EXPECT_EQ(error_text([&] { journal.find({}); }),
              file() +
                  ": the code of program h1 of task \"softmax\" is not what was recorded: its text no longer gives its "
                  "SHA-256, b2408243195a, so the file was damaged or edited; restore it from a copy");
    damage("other code", "code of h1");
    EXPECT_EQ(journal.find({}).at(0).code, "code of h1");
    damage("an answer", "an answe");
    EXPECT_NE(error_text([&] {
                  journal.answer({1, 0, 0});
              }).find(": a text is not what was recorded"),
              std::string::npos);
}

TEST_F(StoreTest, NetworkFileSystemsAreKnown) {
    EXPECT_STREQ(network_file_system(0x6969), "NFS");
    EXPECT_STREQ(network_file_system(static_cast<int>(0xff534d42)), "SMB");
    EXPECT_EQ(network_file_system(0xef53), nullptr);  // ext4
}

const char* const full_text =
    ": the disk is full: this write was taken back, everything committed before it is safe; free some space and go on "
    "with --resume";

TEST_F(StoreTest, FullDiskLosesOnlyTheLastWrite) {
    Journal journal = fresh();
    const auto op = journal.begin("rollout", {});
    journal.rows("PRAGMA max_page_count = 60");  // 240 KB
    std::string error = "no error";
    int kept = 0;
    for (; kept < 100 && error == "no error"; kept += error == "no error")
        error = error_text([&] {
            journal.put_answer({op, 0, kept}, {{"text", std::string(5000, 'a') + std::to_string(kept)}});
        });
    EXPECT_EQ(error, file() + full_text);
    EXPECT_GT(kept, 3);
    EXPECT_EQ(journal.rows("SELECT count(*) AS n FROM answer").at(0)["n"], kept);
    journal.rows("PRAGMA max_page_count = 100000");  // space was freed
    journal.put_answer({op, 0, kept}, {{"text", "after"}});
    EXPECT_EQ(Journal::read(folder()).answer({op, 0, kept})->at("text"), "after");
}

TEST_F(StoreTest, FullFileSystem) {
    const std::string report = folder() + ".report";
    fs::create_directories(folder());
    const int status = in_child([&] {
        if (!mount_small(folder(), 400)) _exit(77);
        const std::string error = error_text([&] {
            Journal journal = fresh();
            const auto op = journal.begin("rollout", {});
            for (int i = 0; i < 1000; ++i)
                journal.put_answer({op, 0, i}, {{"text", std::string(3000, 'a') + std::to_string(i)}});
        });
        std::ofstream(report) << error;
    });
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "no user namespaces here";
    std::ifstream told(report);
    std::string error;
    std::getline(told, error);
    EXPECT_EQ(error, file() + full_text);
}

TEST_F(StoreTest, KilledInMidTransaction) {
    const int status = in_child([&] {
        Journal journal = fresh();
        const auto op = journal.begin("rollout", {});
        journal.put_answer({op, 0, 0}, {{"text", "committed"}});
        journal.rows("BEGIN IMMEDIATE");
        journal.rows("INSERT INTO event(op, kind, doc, wall) VALUES (0, 'lost', '{}', '')");
        kill(getpid(), SIGKILL);
    });
    ASSERT_TRUE(WIFSIGNALED(status));
    Journal journal = Journal::resume(folder(), info());  // the dead writer's lock is free
    EXPECT_EQ(journal.begin("rollout", {}), 1);
    EXPECT_EQ(journal.answer({1, 0, 0})->at("text"), "committed");
    EXPECT_EQ(journal.rows("SELECT kind FROM event"), (std::vector<Json>{{{"kind", "resume"}}}));
}

}  // namespace
}  // namespace hone
