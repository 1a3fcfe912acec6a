#include "parts/checked.hpp"
#include <gtest/gtest.h>
#include "base/paths.hpp"
#include "base/progress.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

Recipe timer_in(const std::string& folder, const std::string& id) {
    const PartFile file = find_part("timer", id, {folder});
    return {"timer", id, file.path, Library::open(file).file_hash(), {{"register", 1}}};
}

std::string told_of(const Recipe& timer) {
    Progress::set_quiet(false);
    ::testing::internal::CaptureStderr();
    tell_unchecked(timer);
    return ::testing::internal::GetCapturedStderr();
}

TEST(Checked, AForeignTimerIsToldOnceUntilItWasChecked) {
    const Recipe odd = timer_in(HONE_TEST_FIXTURE_DIR "/faulty", "odd");
    EXPECT_EQ(
        told_of(odd),
        "hone: timer \"odd\" has passed no check with these options on this machine: a meter that saturates or smooths "
        "would be believed; `hone plugins --check timer.odd` asks it\n");
    EXPECT_EQ(told_of(odd), "") << "once";
    Recipe moody = timer_in(HONE_TEST_FIXTURE_DIR "/good", "moody");
    note_checked(moody, true);
    EXPECT_EQ(told_of(moody), "");
    moody.options["register"] = 2;
    EXPECT_NE(told_of(moody), "") << "another meter";
    moody.options["register"] = 3;
    note_checked(moody, true), note_checked(moody, false);
    EXPECT_NE(told_of(moody), "") << "it passed once, and no longer";
}

TEST(Checked, TheTimersOfThisInstallationAreNotDoubted) {
    const auto folder = plugin_folders().back();
    const auto of = [&](const std::string& id) {
        return Recipe{"timer", id, folder / ("timer." + id + ".so"), "", Json::object()};
    };
    for (const PartFile& file : list_parts({folder}))
        if (file.interface_name == "timer") EXPECT_EQ(told_of(of(file.id)), "") << file.id;
    EXPECT_NE(told_of(of("beside")), "") << "somebody else's, installed beside them";
}

}  // namespace
}  // namespace hone
