#include "parts/saved_folder.hpp"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/paths.hpp"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr const char *manifest = "hone-policy.json", *schema = "hone.policy/1";
constexpr const char* cure = "name a folder of its own, such as policy:save(\"saved/NAME\")";

fs::path whole(const fs::path& path) {
    const fs::path clean = fs::weakly_canonical(fs::absolute(path));
    return clean.has_filename() || !clean.has_relative_path() ? clean : clean.parent_path();  // "ck/" is "ck"
}

bool is_or_contains(const fs::path& folder, const fs::path& other) {
    return std::mismatch(folder.begin(), folder.end(), other.begin(), other.end()).first == folder.end();
}

[[noreturn]] void refuse(const fs::path& folder, const std::string& cause) {
    throw Error(Blame::input, "policy:save", folder.string() + " " + cause, cure);
}

// Of each file in the folder and below, by its path from there.
std::map<std::string, std::string> file_hashes(const fs::path& folder) {
    std::map<std::string, std::string> hashes;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file())
            hashes[fs::relative(entry.path(), folder).string()] = sha256_file(entry.path().string());
    return hashes;
}

std::vector<std::string> entries(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

Json read_manifest(const fs::path& folder) {
    std::ifstream file(folder / manifest, std::ios::binary);
    const Json json = Json::parse(file, nullptr, false);
    return json.is_object() && json.value("schema", Json()) == schema ? json : Json::object();
}

// The files that a save left in the folder; none where no policy was saved there.
std::vector<std::string> saved_files(const fs::path& folder) {
    const Json json = read_manifest(folder);
    if (!json.value("files", Json()).is_array()) return {};
    std::vector<std::string> names = {manifest};
    for (const Json& name : json["files"])
        if (name.is_string()) names.push_back(name);
    return names;
}

void check_content(const fs::path& folder) {
    const std::vector<std::string> there = entries(folder), saved = saved_files(folder);
    if (there.empty()) return;
    if (saved.empty()) refuse(folder, "holds " + there.front() + " and no saved policy, and saving would replace it");
    for (const std::string& name : there)
        if (std::find(saved.begin(), saved.end(), name) == saved.end())
            refuse(folder, "holds " + name + " beside a saved policy, and saving would replace both");
}

}  // namespace

std::string check_saved_folder(const std::string& folder, const std::vector<std::string>& around,
                               const std::vector<std::string>& own) {
    if (folder.empty()) throw Error(Blame::input, "policy:save", "the folder is an empty text", cure);
    try {
        const fs::path target = whole(folder);
        for (const std::string& one : around)
            if (is_or_contains(target, whole(one)))
                refuse(target, "is or contains " + one + ", and saving would replace it");
        for (const std::string& one : own)
            if (is_or_contains(whole(one), target))
                refuse(target, "belongs to " + one + ", which the run itself writes");
        if (fs::is_directory(target)) check_content(target);
        else if (fs::exists(target)) refuse(target, "is a file");
        return target.string();
    } catch (const fs::filesystem_error& error) {
        throw Error(Blame::environment, folder, std::string("cannot be read: ") + error.code().message());
    }
}

void replace_saved_folder(const std::string& folder, const std::function<void(const std::string&)>& write) {
    const fs::path target(folder), beside = target.parent_path() / ("." + target.filename().string());
    const fs::path fresh = beside.string() + ".hone-new", old = beside.string() + ".hone-old";
    if (fs::exists(old) && !fs::exists(target))
        fs::rename(old, target);  // an interruption came between the two renames
    fs::remove_all(fresh);
    fs::remove_all(old);
    fs::create_directories(fresh);
    try {
        write(fresh.string());
        if (fs::is_empty(fresh))
            throw Error(Blame::environment, folder, "save: the policy wrote no file there", "mend its save");
    } catch (const std::exception&) {
        std::error_code ignored;
        fs::remove_all(fresh, ignored);
        throw;
    }
    const std::vector<std::string> names = entries(fresh);
    write_file(fresh / manifest,
               Json{{"schema", schema}, {"files", names}, {"sha256", file_hashes(fresh)}}.dump() + "\n");
    if (fs::exists(target)) fs::rename(target, old);
    std::error_code code;
    fs::rename(fresh, target, code);
    if (code && fs::exists(old)) fs::rename(old, target);
    if (code) throw Error(Blame::environment, folder, "cannot be written: " + code.message());
    fs::remove_all(old);
}

void check_saved_files(const std::string& folder) {
    if (!fs::is_directory(folder))
        throw Error(Blame::environment, folder, "is gone: a resumed run goes on from the checkpoint in this folder",
                    "bring back a copy of it, or begin another run with --new");
    const Json hashes = read_manifest(folder).value("sha256", Json::object());
    for (const auto& [name, hash] : hashes.items()) {
        const std::string file = (fs::path(folder) / name).string();
        if (sha256_file(file) != hash)
            throw Error(Blame::environment, file, "holds other bytes than were saved there: the checkpoint is damaged",
                        "bring back a copy of its folder, or begin another run with --new");
    }
}

std::string hash_of_folder(const std::string& folder) {
    if (!fs::is_directory(folder)) return sha256_file(folder);
    return sha256(Json(file_hashes(folder)).dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace hone
