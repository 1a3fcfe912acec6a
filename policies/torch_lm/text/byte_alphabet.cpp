#include "torch_lm/text/byte_alphabet.hpp"
#include <array>
#include <unordered_map>

namespace hone::lm {
namespace {

bool is_printable(int byte) { return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae; }

std::string utf8_of(int code_point) {  // below 0x800: the alphabet ends at 0x143
    if (code_point < 0x80) return {static_cast<char>(code_point)};
    return {static_cast<char>(0xc0 | code_point >> 6), static_cast<char>(0x80 | (code_point & 0x3f))};
}

const std::array<std::string, 256>& alphabet() {
    static const std::array<std::string, 256> table = [] {
        std::array<std::string, 256> made;
        int next = 0x100;
        for (int byte = 0; byte < 256; ++byte) made[byte] = utf8_of(is_printable(byte) ? byte : next++);
        return made;
    }();
    return table;
}

const std::unordered_map<std::string_view, char>& bytes_by_spelling() {
    static const std::unordered_map<std::string_view, char> table = [] {
        std::unordered_map<std::string_view, char> made;
        for (int byte = 0; byte < 256; ++byte) made.emplace(alphabet()[byte], static_cast<char>(byte));
        return made;
    }();
    return table;
}

std::size_t character_length(unsigned char lead) { return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4; }

}  // namespace

std::string spell_bytes(std::string_view bytes) {
    std::string spelled;
    for (const unsigned char byte : bytes) spelled += alphabet()[byte];
    return spelled;
}

std::string unspell_bytes(std::string_view spelled) {
    std::string bytes;
    for (std::size_t at = 0; at < spelled.size();) {
        const std::string_view character = spelled.substr(at, character_length(spelled[at]));
        const auto found = bytes_by_spelling().find(character);
        if (found != bytes_by_spelling().end()) bytes += found->second;
        else bytes += character;
        at += character.size();
    }
    return bytes;
}

}  // namespace hone::lm
