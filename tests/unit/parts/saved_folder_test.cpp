// Saving a policy replaces what saving wrote, or an empty folder, and nothing else.
#include "parts/saved_folder.hpp"
#include <gtest/gtest.h>
#include <unistd.h>
#include "base/paths.hpp"
#include "error_text.hpp"

namespace hone {
namespace {

class SavedFolder : public ::testing::Test {
protected:
    fs::path folder_ = fs::temp_directory_path() / ("hone-saved-test-" + std::to_string(getpid()));
    const fs::path run_ = folder_ / "work/runs/one";

    void SetUp() override {
        fs::create_directories(run_ / "checkpoints/bigram-7");
        folder_ = fs::canonical(folder_);
        fs::create_directories(folder_ / "work/empty");
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string checked(const std::string& name) {
        return check_saved_folder((folder_ / name).string(), {(folder_ / "work").string(), run_.string()},
                                  {(run_ / "checkpoints").string()});
    }
    std::string refusal(const std::string& name) {
        const std::string text = error_text([&] { checked(name); });
        return text.substr(0, text.find(';'));
    }
    void save(const std::string& folder, const std::string& bytes) {
        replace_saved_folder(folder, [&](const std::string& fresh) { write_file(fs::path(fresh) / "weights", bytes); });
    }
};

TEST_F(SavedFolder, IsReplacedAsAWhole) {
    const std::string target = checked("work/ck//");
    EXPECT_EQ(target, (folder_ / "work/ck").string()) << "slashes at the end are none of its name";
    save(target, "first");
    save(checked("work/ck/"), "second");
    EXPECT_EQ(read_file(fs::path(target) / "weights"), "second");
    save(checked("work/empty"), "third");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "work"), {}), 3) << "nothing is left beside";
}

TEST_F(SavedFolder, ADamagedFileIsNamed) {
    const std::string target = checked("work/ck");
    save(target, "weights of a policy");
    EXPECT_EQ(error_text([&] { check_saved_files(target); }), "(no error)");
    replace_saved_folder(target, [](const std::string& fresh) {
        fs::create_directory(fs::path(fresh) / "adapter");
        write_file(fs::path(fresh) / "adapter/weights", "of an adapter");
    });
    EXPECT_EQ(error_text([&] { check_saved_files(target); }), "(no error)");
    write_file(fs::path(target) / "adapter/weights", "of another one");
    EXPECT_TRUE(error_text([&] { check_saved_files(target); }).starts_with(target + "/adapter/weights: holds other"));
    save(target, "weights of a policy");
    write_file(fs::path(target) / "weights", "weights of a polity");
    EXPECT_EQ(error_text([&] { check_saved_files(target); }),
              target +
                  "/weights: holds other bytes than were saved there: the checkpoint is damaged; bring back a copy of "
                  "its folder, or begin another run with --new");
}

TEST_F(SavedFolder, ACheckpointThatIsGoneIsNamed) {
    const std::string target = checked("work/ck");
    EXPECT_EQ(error_text([&] { check_saved_files(target); }),
              target +
                  ": is gone: a resumed run goes on from the checkpoint in this folder; bring back a copy of it, or "
                  "begin another run with --new");
}

TEST_F(SavedFolder, OfAnotherKindIsRefused) {
    const std::string place = "policy:save: " + folder_.string(), lost = ", and saving would replace it";
    EXPECT_EQ(refusal("work"), place + "/work is or contains " + (folder_ / "work").string() + lost);
    EXPECT_EQ(refusal(""), place + " is or contains " + (folder_ / "work").string() + lost);
    EXPECT_EQ(refusal("work/runs"), place + "/work/runs is or contains " + run_.string() + lost);
    EXPECT_EQ(refusal("work/runs/one/../one"), place + "/work/runs/one is or contains " + run_.string() + lost);
    EXPECT_EQ(refusal("work/runs/one/checkpoints/bigram-7"), place + "/work/runs/one/checkpoints/bigram-7 belongs to " +
                                                                 (run_ / "checkpoints").string() +
                                                                 ", which the run itself writes");
    write_file(folder_ / "work/file", "mine");
    EXPECT_EQ(refusal("work/file"), place + "/work/file is a file");
    fs::create_directories(folder_ / "data");
    write_file(folder_ / "data/notes", "mine");
    EXPECT_EQ(refusal("data"), place + "/data holds notes and no saved policy" + lost);
    save(checked("ck"), "first");
    write_file(folder_ / "ck/notes", "mine");
    EXPECT_EQ(refusal("ck"), place + "/ck holds notes beside a saved policy, and saving would replace both");
    EXPECT_EQ(error_text([] { check_saved_folder("", {}, {}); }).substr(0, 40),
              "policy:save: the folder is an empty text");
}

TEST_F(SavedFolder, StaysWhereSavingFails) {
    save(checked("ck"), "first");
    EXPECT_ANY_THROW(replace_saved_folder((folder_ / "ck").string(), [](const std::string& fresh) {
        write_file(fs::path(fresh) / "weights", "half");
        throw std::runtime_error("no room");
    }));
    EXPECT_EQ(error_text([&] { replace_saved_folder((folder_ / "ck").string(), [](const std::string&) {}); }),
              (folder_ / "ck").string() + ": save: the policy wrote no file there; mend its save");
    EXPECT_EQ(read_file(folder_ / "ck/weights"), "first");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2) << "nothing is left beside";
}

}  // namespace
}  // namespace hone
