#include "torch_lm/text/unicode/matchable.hpp"
#include <cstdint>
#include <cstring>
#include "torch_lm/text/unicode/tables.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm {
namespace {

constexpr char invalid_byte = '\x01';

std::size_t ascii_length(std::string_view text) {
    std::size_t at = 0;
    for (std::uint64_t word; at + sizeof word <= text.size(); at += sizeof word) {
        std::memcpy(&word, text.data() + at, sizeof word);
        if (word & 0x8080808080808080) break;
    }
    while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
    return at;
}

}  // namespace

std::string_view matchable(std::string_view text, std::string& hold) {
    bool differs = false;
    const auto put = [&](std::size_t at, std::string_view bytes) {
        if (!differs) hold = text;
        differs = true;
        hold.replace(at, bytes.size(), bytes);
    };
    for (std::size_t at = ascii_length(text); at < text.size(); at += ascii_length(text.substr(at))) {
        const Character c = first_character(text.substr(at));
        if (!c.whole) put(at, std::string(c.length, invalid_byte));
        else if (const char32_t by = stand_in(c.code); by != c.code) put(at, utf8_of(by));
        at += c.length;
    }
    return differs ? hold : text;
}

}  // namespace hone::lm
