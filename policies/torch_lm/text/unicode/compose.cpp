#include "torch_lm/text/unicode/compose.hpp"
#include <utf8proc.h>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include "torch_lm/text/unicode/tables.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm {
namespace {

// U+0300 is the first character that form NFC may change; its first byte is 0xcc.
bool is_composed(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xcc; });
}

void compose_stretch(std::string_view text, std::string& to) {
    if (is_composed(text)) {
        to += text;
        return;
    }
    utf8proc_uint8_t* out = nullptr;
    const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    const utf8proc_ssize_t length = utf8proc_map(bytes, static_cast<utf8proc_ssize_t>(text.size()), &out, options);
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(out, &std::free);
    if (length < 0) to += text;
    else to.append(reinterpret_cast<char*>(out), length);
}

}  // namespace

std::string compose_utf8(std::string_view text) {
    if (is_composed(text)) return std::string(text);
    std::string composed;
    std::size_t done = 0, at = 0;
    // A late mark is a plain character to the library: nothing moves across it.
    while (at < text.size()) {
        const Character c = first_character(text.substr(at));
        if (!c.whole || is_late_mark(c.code)) {
            compose_stretch(text.substr(done, at - done), composed);
            composed += text.substr(at, c.length);
            done = at + c.length;
        }
        at += c.length;
    }
    compose_stretch(text.substr(done), composed);
    return composed;
}

}  // namespace hone::lm
