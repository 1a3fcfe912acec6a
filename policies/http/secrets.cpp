#include "secrets.hpp"
#include <strings.h>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

namespace http {
namespace {

constexpr std::size_t least_secret = 8;  // bytes: a shorter key is in many words, which would be made unreadable

bool begins_with(std::string_view text, std::string_view with) {
    return with.size() <= text.size() && strncasecmp(text.data(), with.data(), with.size()) == 0;
}

constexpr std::pair<char, const char*> entities[] = {
    {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}};

// How many bytes at the beginning of a text may stand for one of a secret: one, or as many as an escape has.
std::vector<std::size_t> stand_for(unsigned char wanted, std::string_view text) {
    std::vector<std::size_t> lengths;
    if (text.empty()) return lengths;
    if (static_cast<unsigned char>(text[0]) == wanted) lengths.push_back(1);
    if (!std::strchr("\\&%", text[0])) return lengths;  // nothing is escaped here, as in most places
    const std::size_t marks = text.find_first_not_of('\\');
    if (marks > 0 && marks < text.size() && static_cast<unsigned char>(text[marks]) == wanted)
        lengths.push_back(marks + 1);
    for (std::size_t n = 2; wanted == '\\' && n <= std::min(marks, text.size()); ++n) lengths.push_back(n);
    for (const auto& [plain, entity] : entities)
        if (wanted == static_cast<unsigned char>(plain) && begins_with(text, entity))
            lengths.push_back(std::strlen(entity));
    for (const char* form : {"\\u%04x", "&#x%x;", "&#%u;", "%%%02x"}) {
        char escaped[16];
        std::snprintf(escaped, sizeof escaped, form, wanted);
        if (begins_with(text, escaped)) lengths.push_back(std::strlen(escaped));
    }
    return lengths;
}

// How many bytes at the beginning of a text are the secret; 0: they are not. Where a byte may stand for itself or begin
// an escape ("&amp;" for '&'), both are tried.
std::size_t length_of(std::string_view secret, std::string_view text) {
    if (stand_for(static_cast<unsigned char>(secret[0]), text).empty()) return 0;  // nearly everywhere
    std::set<std::size_t> ends = {0};                                              // of what may be the secret so far
    for (const char c : secret) {
        std::set<std::size_t> next;
        for (const std::size_t end : ends)
            for (const std::size_t step : stand_for(static_cast<unsigned char>(c), text.substr(end)))
                next.insert(end + step);
        if (next.empty()) return 0;
        ends = std::move(next);
    }
    return *ends.rbegin();
}

// An escape that may not be whole yet.
bool is_open_escape(std::string_view text) {
    if (text.empty() || !std::strchr("\\&%", text[0])) return false;
    constexpr std::size_t longest = 8;  // of what is escaped here, without the marks in front
    if (text[0] == '\\') return text.size() - std::min(text.find_first_not_of('\\'), text.size()) < longest - 2;
    return text.size() < (text[0] == '%' ? 3 : longest) && text.find(';') == std::string_view::npos;
}

// Whether a text that ends here may go on to be the secret, in any of its forms.
bool may_go_on(std::string_view secret, std::string_view text) {
    const auto first = static_cast<unsigned char>(secret[0]);
    if (!text.empty() && !is_open_escape(text) && stand_for(first, text).empty()) return false;  // nearly everywhere
    std::set<std::size_t> ends = {0};
    for (const char c : secret) {
        std::set<std::size_t> next;
        for (const std::size_t end : ends) {
            const std::string_view rest = text.substr(end);
            if (rest.empty() || is_open_escape(rest)) return true;
            for (const std::size_t step : stand_for(static_cast<unsigned char>(c), rest)) next.insert(end + step);
        }
        if (next.empty()) return false;
        ends = std::move(next);
    }
    return false;
}

}  // namespace

std::string without(const std::vector<std::string>& secrets, std::string text) {
    for (const std::string& secret : secrets) {
        if (secret.size() < least_secret) continue;
        std::string kept;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t length = length_of(secret, std::string_view(text).substr(at));
            if (length > 0) kept += hidden;
            else kept += text[at];
            at += std::max<std::size_t>(length, 1);
        }
        text = std::move(kept);
    }
    return text;
}

std::size_t secret_at(const std::vector<std::string>& secrets, std::string_view text) {
    for (const std::string& secret : secrets)
        if (secret.size() >= least_secret)
            if (const std::size_t length = length_of(secret, text); length > 0) return length;
    return 0;
}

bool may_be_secret(const std::vector<std::string>& secrets, std::string_view text) {
    return std::any_of(secrets.begin(), secrets.end(), [text](const std::string& secret) {
        return secret.size() >= least_secret && may_go_on(secret, text);
    });
}

}  // namespace http
