#include "parts/checked.hpp"
#include <fstream>
#include <set>
#include "base/paths.hpp"
#include "base/progress.hpp"

namespace hone {
namespace {

namespace fs = std::filesystem;

fs::path mark_of(const std::string& file_hash) { return state_folder() / "checked" / file_hash; }

bool is_ours(const fs::path& file) {
    std::error_code error;
    return fs::equivalent(file.parent_path(), plugin_folders().back(), error);
}

}  // namespace

void note_checked(const PartFile& file) {
    const fs::path mark = mark_of(Library::open(file).file_hash());
    std::error_code error;
    fs::create_directories(mark.parent_path(), error);
    std::ofstream(mark) << file.path.string() << '\n';
}

void tell_unchecked(const Recipe& timer) {
    static std::set<std::string> told;
    std::error_code error;
    if (is_ours(timer.file) || fs::exists(mark_of(timer.file_hash), error) || !told.insert(timer.file_hash).second)
        return;
    Progress::say("hone: timer \"" + timer.id +
                  "\" was not checked on this machine: a meter that saturates or smooths "
                  "would be believed; `hone plugins --check timer." +
                  timer.id + "` asks it");
}

}  // namespace hone
