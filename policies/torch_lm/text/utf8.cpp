#include "torch_lm/text/utf8.hpp"
#include <utf8proc.h>
#include <cstdlib>
#include <memory>

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

}  // namespace

std::string repair_utf8(std::string_view bytes) {
    std::string text;
    for (std::size_t at = 0; at < bytes.size();) {
        const Sequence sequence = sequence_of(bytes[at]);
        std::size_t good = 1;
        while (good < sequence.length && at + good < bytes.size()) {
            const unsigned char next = bytes[at + good];
            if (good == 1 ? next < sequence.least || next > sequence.most : (next & 0xc0) != 0x80) break;
            ++good;
        }
        if (good == sequence.length) text += bytes.substr(at, good);
        else text += "\xef\xbf\xbd";
        at += good;
    }
    return text;
}

std::string compose_utf8(std::string_view text) {
    utf8proc_uint8_t* out = nullptr;
    const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    const utf8proc_ssize_t length = utf8proc_map(bytes, static_cast<utf8proc_ssize_t>(text.size()), &out, options);
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(out, &std::free);
    return length < 0 ? std::string(text) : std::string(reinterpret_cast<char*>(out), length);
}

}  // namespace hone::lm
