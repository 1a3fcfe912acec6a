#include "base/paths.hpp"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include "base/error.hpp"
#include "base/process.hpp"

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

// Of an installation, else of the tree that the program was built in.
fs::path shared_folder(const char* name) {
    const fs::path installed = installation() / "share/hone" / name;
    return fs::is_directory(installed) ? installed : fs::path(HONE_SOURCE_DIR) / name;
}

fs::path user_folder(const char* variable, const char* below_home) {
    const std::string named = environment(variable), home = environment("HOME");
    if (!named.empty()) return fs::path(named) / "hone";
    return home.empty() ? temporary_folder() / ("hone-" + std::to_string(getuid()))
                        : fs::path(home) / below_home / "hone";
}

[[noreturn]] void fail(const fs::path& path, const char* what) {
    throw Error(Blame::environment, path.string(), std::string(what) + ": " + std::strerror(errno));
}

// What never ends, or waits for a writer, is not begun with; opening a device may do something.
void require_regular(const fs::path& path) {
    struct stat found {};
    if (stat(path.c_str(), &found) != 0) fail(path, "cannot be read");
    if (S_ISREG(found.st_mode)) return;
    if (S_ISDIR(found.st_mode)) errno = EISDIR, fail(path, "cannot be read");
    const char* what = S_ISFIFO(found.st_mode) ? "pipe" : S_ISSOCK(found.st_mode) ? "socket" : "device";
    throw Error(Blame::input, path.string(), std::string("is a ") + what + ", not a regular file",
                "write what it gives into a file, and name that");
}

}  // namespace

fs::path installation() { return program_path().parent_path().parent_path(); }

fs::path program_path() {
    static const fs::path path = fs::read_symlink("/proc/self/exe");
    return path;
}

fs::path runner_path() { return program_path().parent_path() / "hone-jail"; }

std::vector<fs::path> plugin_folders() {
    std::vector<fs::path> folders;
    add_search_path(folders, "HONE_PLUGIN_PATH");
    folders.push_back(installation() / "lib/hone/plugins");
    return folders;
}

std::vector<fs::path> script_folders() {
    std::vector<fs::path> folders;
    add_search_path(folders, "HONE_SCRIPT_PATH");
    folders.push_back(shared_folder("scripts"));
    return folders;
}

fs::path examples_folder() { return shared_folder("examples"); }

fs::path cache_folder() {
    const fs::path folder = user_folder("XDG_CACHE_HOME", ".cache");
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        throw Error(Blame::environment, folder.string(), "cannot be made: " + error.message(),
                    "set XDG_CACHE_HOME to a writable folder");
    return folder;
}

fs::path temporary_folder() {
    std::error_code error;
    const fs::path folder = fs::temp_directory_path(error);
    if (!error) return folder;
    throw Error(Blame::environment, "TMPDIR=" + environment("TMPDIR"),
                "no folder for temporary files: " + error.message(), "set TMPDIR to a writable folder");
}

fs::path state_folder() { return user_folder("XDG_STATE_HOME", ".local/state"); }

fs::path config_file() {
    const std::string named = environment("HONE_CONFIG");
    if (!named.empty()) return named;
    for (const fs::path& path : {fs::path("hone.toml"), user_folder("XDG_CONFIG_HOME", ".config") / "hone.toml"})
        if (fs::exists(path)) return path;
    return {};
}

std::string read_file(const fs::path& path, std::size_t most) {
    require_regular(path);
    // were it exchanged for a pipe meanwhile, no writer is waited for
    const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file) fail(path, "cannot be read");
    std::string bytes;
    for (std::array<char, 1 << 16> part;;) {
        const ssize_t got = read(file.get(), part.data(), part.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail(path, "cannot be read");
        if (got == 0) return bytes;
        bytes.append(part.data(), static_cast<std::size_t>(got));
        if (bytes.size() > most)
            throw Error(
                Blame::input, path.string(),
                "is longer than " + std::to_string(most >> 20) + " MiB, and no more is read of a file of its kind",
                "name the file that was meant");
    }
}

namespace {

bool write_bytes(const fs::path& path, std::string_view bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    return !file.fail();
}

}  // namespace

void write_file(const fs::path& path, std::string_view bytes) {
    std::error_code ignored;
    const bool there = fs::exists(path, ignored), link = fs::is_symlink(path, ignored);
    if (there ? !fs::is_regular_file(path, ignored) && !fs::is_directory(path, ignored) : link) {
        if (!write_bytes(path, bytes)) fail(path, "cannot be written");
        return;
    }
    const fs::path real = link ? fs::canonical(path) : path;
    const fs::path temporary = real.string() + "." + std::to_string(getpid()) + ".part";
    if (!write_bytes(temporary, bytes) || std::rename(temporary.c_str(), real.c_str()) != 0) {
        const int cause = errno;
        std::remove(temporary.c_str());
        errno = cause;
        fail(path, "cannot be written");
    }
}

}  // namespace hone
