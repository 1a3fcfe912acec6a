#include "secrets.hpp"
#include <strings.h>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace http {
namespace {

constexpr std::size_t least_secret = 8;  // bytes: a shorter key is in many words, which would be made unreadable

// How many bytes at the beginning of a text stand for one of a secret; 0: they stand for another.
std::size_t stand_for(unsigned char wanted, std::string_view text) {
    if (text.empty()) return 0;
    if (static_cast<unsigned char>(text[0]) == wanted) return 1;
    if (!std::strchr("\\&%", text[0])) return 0;  // nothing is escaped here, as in most places
    const std::size_t marks = text.find_first_not_of('\\');
    if (marks > 0 && marks < text.size() && static_cast<unsigned char>(text[marks]) == wanted) return marks + 1;
    if (wanted == '&' && text.starts_with("&amp;")) return 5;
    for (const char* form : {"\\u%04x", "&#x%x;", "&#%u;", "%%%02x"}) {
        char escaped[16];
        const auto length = static_cast<std::size_t>(std::snprintf(escaped, sizeof escaped, form, wanted));
        if (length <= text.size() && strncasecmp(text.data(), escaped, length) == 0) return length;
    }
    return 0;
}

// How many bytes at the beginning of a text are the secret; 0: they are not.
std::size_t length_of(const std::string& secret, std::string_view text) {
    std::size_t at = 0;
    for (const char c : secret) {
        const std::size_t step = stand_for(static_cast<unsigned char>(c), text.substr(at));
        if (step == 0) return 0;
        at += step;
    }
    return at;
}

}  // namespace

std::string without(const std::vector<std::string>& secrets, std::string text) {
    const std::string shown = "[key]";
    for (const std::string& secret : secrets) {
        if (secret.size() < least_secret) continue;
        std::string kept;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t length = length_of(secret, std::string_view(text).substr(at));
            if (length > 0) kept += shown;
            else kept += text[at];
            at += std::max<std::size_t>(length, 1);
        }
        text = std::move(kept);
    }
    return text;
}

std::size_t may_begin(const std::vector<std::string>& secrets, const std::string& text) {
    std::size_t most = 0;
    for (const std::string& secret : secrets) {
        if (secret.size() < least_secret) continue;
        for (std::size_t n = std::min(secret.size() - 1, text.size()); n > most; --n)
            if (std::string_view(text).ends_with(std::string_view(secret).substr(0, n))) most = n;
    }
    return most;
}

}  // namespace http
