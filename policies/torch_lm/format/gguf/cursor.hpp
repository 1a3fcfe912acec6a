// cursor.hpp: reads a GGUF file's head from its start on; no read leaves the bytes.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace hone::lm::gguf {

class Cursor {
public:
    Cursor(std::string_view bytes, std::string place) : bytes_(bytes), place_(std::move(place)) {}
    std::size_t position() const { return at_; }
    std::size_t left() const { return bytes_.size() - at_; }
    const std::string& place() const { return place_; }
    // Each throws Refused where the file ends before; what: "the number of tensors".
    template <class Number> Number number(const char* what) {
        Number value;
        std::memcpy(&value, take(sizeof value, what).data(), sizeof value);  // little-endian, as the machine
        return value;
    }
    std::string_view text(const char* what);  // 8 bytes of length, then bytes
    std::string_view take(std::uint64_t bytes, const char* what);
    // A count of things of at least `least` bytes each: more than could follow are refused before memory is asked for.
    std::uint64_t count(const char* what, std::uint64_t least);

private:
    std::string_view bytes_;
    std::string place_;
    std::size_t at_ = 0;
};

}  // namespace hone::lm::gguf
