#include "parts/checked.hpp"
#include <gtest/gtest.h>
#include "base/paths.hpp"
#include "base/progress.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

Recipe timer_in(const std::string& folder, const std::string& id) {
    const PartFile file = find_part("timer", id, {folder});
    return {"timer", id, file.path, Library::open(file).file_hash(), Json::object()};
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
        "hone: timer \"odd\" was not checked on this machine: a meter that saturates or smooths would be believed; "
        "`hone plugins --check timer.odd` asks it\n");
    EXPECT_EQ(told_of(odd), "") << "once";
    const std::string good = HONE_TEST_FIXTURE_DIR "/good";
    note_checked(find_part("timer", "moody", {good}));
    EXPECT_EQ(told_of(timer_in(good, "moody")), "");
}

TEST(Checked, TheTimersOfThisInstallationAreNotDoubted) {
    EXPECT_EQ(told_of(timer_in(plugin_folders().back().string(), "wall")), "");
}

}  // namespace
}  // namespace hone
