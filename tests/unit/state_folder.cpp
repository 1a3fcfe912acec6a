// What `hone judge` keeps goes to a folder of the tests' own, not to the user's.
#include <gtest/gtest.h>
#include <unistd.h>
#include <cstdlib>
#include <filesystem>

namespace {

class StateFolder : public testing::Environment {
    void SetUp() override { setenv("XDG_STATE_HOME", mkdtemp(path_), 1); }
    void TearDown() override { std::filesystem::remove_all(path_); }
    char path_[32] = "/tmp/hone_state_XXXXXX";
};

[[maybe_unused]] const auto* const state_folder = testing::AddGlobalTestEnvironment(new StateFolder);

}  // namespace
