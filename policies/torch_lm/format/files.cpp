#include "torch_lm/format/files.hpp"
#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include "hone/plugin.hpp"

namespace hone::lm {

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) throw Refused(path + ": cannot be read: " + std::strerror(errno));
    return std::move(text).str();
}

nlohmann::json read_json(const std::string& path) {
    try {
        auto json = nlohmann::json::parse(read_file(path));
        if (!json.is_object()) throw Refused(path + ": holds no JSON object");
        return json;
    } catch (const nlohmann::json::exception& e) {
        throw Refused(path + ": is not JSON: " + e.what());
    }
}

void write_file(const std::string& path, std::string_view bytes) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) throw Failed(path + ": cannot be written: " + std::strerror(errno));
    while (!bytes.empty()) {
        const ssize_t n = ::write(file, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            const int error = errno;
            ::close(file);
            throw Failed(path + ": cannot be written: " + std::strerror(error) +
                         "; free some space or choose another folder");
        }
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    const bool kept = ::fsync(file) == 0;
    if (::close(file) != 0 || !kept) throw Failed(path + ": could not be brought to the disk: " + std::strerror(errno));
}

bool file_exists(const std::string& path) { return std::filesystem::exists(path); }

}  // namespace hone::lm
