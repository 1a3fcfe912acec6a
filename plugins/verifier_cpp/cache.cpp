#include "cache.hpp"
#include <unistd.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace hone::cpp {
namespace {

namespace fs = std::filesystem;

fs::path folder() {
    const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
    if (cache && *cache) return fs::path(cache) / "hone";
    return home && *home ? fs::path(home) / ".cache/hone" : fs::path();
}

}  // namespace

// The file begins with its key, so that two keys of one name cannot be mixed up.
std::string recall(const std::string& name, const std::string& key) {
    std::ifstream file(folder() / name, std::ios::binary);
    std::string found(key.size(), '\0');
    if (!file.read(found.data(), static_cast<std::streamsize>(found.size())) || found != key) return {};
    const auto begin = file.tellg();
    file.seekg(0, std::ios::end);
    std::string bytes(static_cast<std::size_t>(file.tellg() - begin), '\0');
    file.seekg(begin);
    return file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())) ? bytes : std::string();
}

void remember(const std::string& name, const std::string& key, const std::string& bytes) {
    if (folder().empty()) return;
    const fs::path path = folder() / name, part = path.string() + "." + std::to_string(getpid());
    std::error_code ignored;
    fs::create_directories(path.parent_path(), ignored);
    std::ofstream file(part, std::ios::binary);
    file << key << bytes;
    file.close();
    if (file) fs::rename(part, path, ignored);
    fs::remove(part, ignored);
}

std::string processor() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name") || line.starts_with("flags")) return line;
    return {};
}

}  // namespace hone::cpp
