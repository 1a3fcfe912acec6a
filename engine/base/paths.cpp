#include "base/paths.hpp"
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include "base/error.hpp"

namespace hone {

namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

void add_search_path(std::vector<fs::path>& folders, const char* variable) {
    std::istringstream list(environment(variable));
    for (std::string folder; std::getline(list, folder, ':');)
        if (!folder.empty()) folders.push_back(fs::absolute(folder));
}

fs::path prefix() { return program_path().parent_path().parent_path(); }

fs::path user_folder(const char* variable, const char* below_home) {
    const std::string named = environment(variable), home = environment("HOME");
    if (!named.empty()) return fs::path(named) / "hone";
    return home.empty() ? fs::temp_directory_path() / ("hone-" + std::to_string(getuid())) : fs::path(home) / below_home / "hone";
}

[[noreturn]] void fail(const fs::path& path, const char* what) {
    throw Error(Blame::environment, path.string(), std::string(what) + ": " + std::strerror(errno));
}

}  // namespace

fs::path program_path() {
    static const fs::path path = fs::read_symlink("/proc/self/exe");
    return path;
}

fs::path runner_path() { return program_path().parent_path() / "hone-jail"; }

std::vector<fs::path> plugin_folders() {
    std::vector<fs::path> folders;
    add_search_path(folders, "HONE_PLUGIN_PATH");
    folders.push_back(prefix() / "lib/hone/plugins");
    return folders;
}

std::vector<fs::path> script_folders() {
    std::vector<fs::path> folders;
    add_search_path(folders, "HONE_SCRIPT_PATH");
    const fs::path installed = prefix() / "share/hone/scripts";
    folders.push_back(fs::is_directory(installed) ? installed : fs::path(HONE_SOURCE_DIR) / "scripts");
    return folders;
}

fs::path cache_folder() {
    const fs::path folder = user_folder("XDG_CACHE_HOME", ".cache");
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        throw Error(Blame::environment, folder.string(), "cannot be made: " + error.message(), "set XDG_CACHE_HOME to a writable folder");
    return folder;
}

fs::path state_folder() { return user_folder("XDG_STATE_HOME", ".local/state"); }

fs::path config_file() {
    const std::string named = environment("HONE_CONFIG");
    if (!named.empty()) return named;
    for (const fs::path& path : {fs::path("hone.toml"), user_folder("XDG_CONFIG_HOME", ".config") / "hone.toml"})
        if (fs::exists(path)) return path;
    return {};
}

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (file && fs::is_directory(path)) {  // opens, and then fails within the library
        errno = EISDIR;
        file.setstate(std::ios::badbit);
    }
    if (!file) fail(path, "cannot be read");
    return std::string(std::istreambuf_iterator<char>(file), {});
}

void write_file(const fs::path& path, std::string_view bytes) {
    const fs::path temporary = path.string() + "." + std::to_string(getpid()) + ".part";
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file || std::rename(temporary.c_str(), path.c_str()) != 0) {
        const int cause = errno;
        std::remove(temporary.c_str());
        errno = cause;
        fail(path, "cannot be written");
    }
}

}  // namespace hone
