#include "torch_lm/format/files.hpp"
#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include "hone/plugin.hpp"
#include "torch_lm/text/json_text.hpp"

namespace hone::lm {
namespace {

// False: errno says why.
bool write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(file, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

}  // namespace

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) throw Refused(path + ": cannot be read: " + std::strerror(errno));
    return std::move(text).str();
}

nlohmann::json read_json(const std::string& path) {
    auto json = parse_json(read_file(path), path);
    if (!json.is_object()) throw Refused(path + ": holds no JSON object");
    return json;
}

void write_file(const std::string& path, std::string_view bytes) { write_file(path, {&bytes, 1}); }

void write_file(const std::string& path, std::span<const std::string_view> parts) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) throw Failed(path + ": cannot be written: " + std::strerror(errno));
    for (const std::string_view part : parts) {
        if (write_all(file, part)) continue;
        const int error = errno;
        ::close(file);
        throw Failed(path + ": cannot be written: " + std::strerror(error) +
                     "; free some space or choose another folder");
    }
    const bool kept = ::fsync(file) == 0;
    if (::close(file) != 0 || !kept) throw Failed(path + ": could not be brought to the disk: " + std::strerror(errno));
}

bool file_exists(const std::string& path) { return std::filesystem::exists(path); }

}  // namespace hone::lm
