#include "torch_lm/text/byte_alphabet.hpp"
#include <array>
#include "torch_lm/text/utf8.hpp"

namespace hone::lm {
namespace {

constexpr int alphabet_end = 0x144;  // code points of the alphabet lie below

bool is_printable(int byte) { return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae; }

struct Alphabet {
    std::array<std::string, 256> spelling;
    std::array<int, alphabet_end> byte;  // by code point; -1: not in the alphabet
    Alphabet() {
        byte.fill(-1);
        char32_t next = 0x100;
        for (int value = 0; value < 256; ++value) {
            const char32_t code = is_printable(value) ? static_cast<char32_t>(value) : next++;
            spelling[value] = utf8_of(code);
            byte[code] = value;
        }
    }
};

const Alphabet& alphabet() {
    static const Alphabet made;
    return made;
}

}  // namespace

std::string spell_bytes(std::string_view bytes) {
    std::string spelled;
    for (const unsigned char byte : bytes) spelled += alphabet().spelling[byte];
    return spelled;
}

std::optional<std::string> unspell_bytes(std::string_view spelled) {
    std::string bytes;
    while (!spelled.empty()) {
        const Character c = first_character(spelled);
        if (!c.whole || c.code >= alphabet_end || alphabet().byte[c.code] < 0) return {};
        bytes += static_cast<char>(alphabet().byte[c.code]);
        spelled.remove_prefix(c.length);
    }
    return bytes;
}

}  // namespace hone::lm
