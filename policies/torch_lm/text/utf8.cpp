#include "torch_lm/text/utf8.hpp"

namespace hone::lm {
namespace {

struct Sequence {
    std::size_t length;  // 0: no sequence starts with this byte
    // of the second byte: excludes overlong forms, surrogates and what lies above U+10FFFF
    unsigned char least, most;
};

Sequence sequence_of(unsigned char lead) {
    if (lead < 0x80) return {1, 0, 0};
    if (lead < 0xc2 || lead > 0xf4) return {0, 0, 0};
    if (lead < 0xe0) return {2, 0x80, 0xbf};
    if (lead < 0xf0)
        return {3, static_cast<unsigned char>(lead == 0xe0 ? 0xa0 : 0x80),
                static_cast<unsigned char>(lead == 0xed ? 0x9f : 0xbf)};
    return {4, static_cast<unsigned char>(lead == 0xf0 ? 0x90 : 0x80),
            static_cast<unsigned char>(lead == 0xf4 ? 0x8f : 0xbf)};
}

constexpr std::size_t most_words = 200;  // bytes

constexpr unsigned char payload_of_lead[] = {0, 0x7f, 0x1f, 0x0f, 0x07};  // by the length of the sequence

}  // namespace

Character first_character(std::string_view bytes) {
    const unsigned char lead = bytes[0];
    const Sequence sequence = sequence_of(lead);
    char32_t code = lead & payload_of_lead[sequence.length];
    std::size_t good = 1;
    for (; good < sequence.length && good < bytes.size(); ++good) {
        const unsigned char next = bytes[good];
        if (good == 1 ? next < sequence.least || next > sequence.most : (next & 0xc0) != 0x80) break;
        code = code << 6 | (next & 0x3f);
    }
    return {good, good == sequence.length, good < sequence.length && good == bytes.size(), code};
}

std::string repair_utf8(std::string_view bytes) {
    std::string text;
    while (!bytes.empty()) {
        const Character c = first_character(bytes);
        text += c.whole ? bytes.substr(0, c.length) : std::string_view("\xef\xbf\xbd");
        bytes.remove_prefix(c.length);
    }
    return text;
}

std::size_t complete_length(std::string_view bytes) {
    // a character has four bytes at most, so the begun one starts in the last three
    for (std::size_t tail = 1; tail <= 3 && tail <= bytes.size(); ++tail)
        if (first_character(bytes.substr(bytes.size() - tail)).cut) return bytes.size() - tail;
    return bytes.size();
}

std::string utf8_of(char32_t code) {
    const auto trail = [code](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
    if (code < 0x80) return {static_cast<char>(code)};
    if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), trail(0)};
    if (code < 0x10000) return {static_cast<char>(0xe0 | code >> 12), trail(6), trail(0)};
    return {static_cast<char>(0xf0 | code >> 18), trail(12), trail(6), trail(0)};
}

bool is_white_space(char32_t code) {
    return code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 || code == 0xa0 || code == 0x1680 ||
           (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f ||
           code == 0x3000;
}

std::string first_words(const std::string& text) {
    if (text.size() <= most_words) return text;
    return text.substr(0, complete_length(std::string_view(text).substr(0, most_words))) + "...";
}

}  // namespace hone::lm
