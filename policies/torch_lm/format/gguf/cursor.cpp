#include "torch_lm/format/gguf/cursor.hpp"
#include "hone/plugin.hpp"

namespace hone::lm::gguf {

std::string_view Cursor::take(std::uint64_t bytes, const char* what) {
    if (bytes > left())
        throw Refused(place_ + ": was cut off: " + what + " needs " + std::to_string(bytes) + " bytes at byte " +
                      std::to_string(at_) + ", where " + std::to_string(left()) + " are left");
    const std::string_view taken = bytes_.substr(at_, bytes);
    at_ += bytes;
    return taken;
}

std::string_view Cursor::text(const char* what) { return take(number<std::uint64_t>(what), what); }

std::uint64_t Cursor::count(const char* what, std::uint64_t least) {
    const auto n = number<std::uint64_t>(what);
    if (n > left() / least)
        throw Refused(place_ + ": " + what + " is " + std::to_string(n) + ", but only " + std::to_string(left()) +
                      " bytes follow");
    return n;
}

}  // namespace hone::lm::gguf
