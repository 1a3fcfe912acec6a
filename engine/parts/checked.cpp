#include "parts/checked.hpp"
#include <fstream>
#include <set>
#include <string>
#include "base/hash.hpp"
#include "base/paths.hpp"
#include "base/progress.hpp"

namespace hone {
namespace {

namespace fs = std::filesystem;

fs::path mark_of(const Recipe& timer) {
    return state_folder() / "checked" / sha256(timer.file_hash + timer.options.dump());
}

// By name too: anybody may put a timer into hone's folder.
bool is_ours(const Recipe& timer) {
    std::error_code error;
    return std::string(HONE_OWN_PARTS).find(" timer." + timer.id + " ") != std::string::npos &&
           fs::equivalent(fs::path(timer.file).parent_path(), plugin_folders().back(), error);
}

}  // namespace

void note_checked(const Recipe& timer, bool is_right) {
    const fs::path mark = mark_of(timer);
    std::error_code error;
    if (!is_right) return (void)fs::remove(mark, error);
    fs::create_directories(mark.parent_path(), error);
    std::ofstream(mark) << timer.file << '\n';
}

void tell_unchecked(const Recipe& timer) {
    static std::set<fs::path> told;
    const fs::path mark = mark_of(timer);
    std::error_code error;
    if (is_ours(timer) || fs::exists(mark, error) || !told.insert(mark).second) return;
    Progress::say(
        "hone: timer \"" + timer.id +
        "\" has passed no check with these options on this machine: a meter that saturates or smooths would be "
        "believed; `hone plugins --check timer." +
        timer.id + "` asks it");
}

}  // namespace hone
