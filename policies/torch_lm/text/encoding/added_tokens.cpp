#include "torch_lm/text/encoding/added_tokens.hpp"
#include <utf8proc.h>
#include <algorithm>
#include "torch_lm/text/unicode/tables.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm {
namespace {

// \w of the library's regular expressions: Alphabetic, marks, decimal digits, connectors, joiners.
bool is_word(char32_t c) {
    if (c == 0x200c || c == 0x200d) return true;
    if ((c >= 0x24b6 && c <= 0x24e9) || (c >= 0x1f130 && c <= 0x1f149) || (c >= 0x1f150 && c <= 0x1f169) ||
        (c >= 0x1f170 && c <= 0x1f189))
        return true;  // symbols that are alphabetic
    const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(stand_in(c)));
    return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NL) || category == UTF8PROC_CATEGORY_PC;
}

// The last character of non-empty text; a byte alone where it is not UTF-8.
Character last_character(std::string_view text) {
    for (std::size_t n = 1; n <= 4 && n <= text.size(); ++n)
        if (const Character c = first_character(text.substr(text.size() - n)); c.whole && c.length == n) return c;
    return {1, false, false};
}

std::size_t without_space_at_end(std::string_view text, std::size_t end, std::size_t least) {
    while (end > least) {
        const Character c = last_character(text.substr(least, end - least));
        if (!c.whole || !is_white_space(c.code)) break;
        end -= c.length;
    }
    return end;
}

std::size_t behind_space(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        const Character c = first_character(text.substr(at));
        if (!c.whole || !is_white_space(c.code)) break;
        at += c.length;
    }
    return at;
}

bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
    if (begin > 0)
        if (const Character c = last_character(text.substr(0, begin)); c.whole && is_word(c.code)) return false;
    if (end == text.size()) return true;
    const Character c = first_character(text.substr(end));
    return !c.whole || !is_word(c.code);
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) {
    std::stable_sort(tokens.begin(), tokens.end(),
                     [](const AddedToken& a, const AddedToken& b) { return a.spelling < b.spelling; });
    for (AddedToken& token : tokens) {
        starts_[static_cast<unsigned char>(token.spelling[0])] = true;
        if (!tokens_.empty() && tokens_.back().spelling == token.spelling) tokens_.pop_back();
        tokens_.push_back(std::move(token));
    }
}

std::vector<const AddedToken*> AddedTokens::spelled_at(std::string_view text) const {
    std::vector<const AddedToken*> spelled;
    auto first = tokens_.begin(), last = tokens_.end();  // those that share the first `i` bytes with text
    for (std::size_t i = 0; i < text.size() && first != last; ++i) {
        const auto byte = [i](const AddedToken& token) { return static_cast<unsigned char>(token.spelling[i]); };
        const auto wanted = static_cast<unsigned char>(text[i]);
        first = std::partition_point(first, last, [&](const AddedToken& token) { return byte(token) < wanted; });
        last = std::partition_point(first, last, [&](const AddedToken& token) { return byte(token) <= wanted; });
        if (first != last && first->spelling.size() == i + 1) spelled.insert(spelled.begin(), &*first++);
    }
    return spelled;
}

AddedTokens::Match AddedTokens::match_at(const Marked& text, std::size_t at) const {
    for (const AddedToken* token : spelled_at(text.bytes.substr(at))) {
        const std::size_t end = at + token->spelling.size();
        if (token->special && !text.marks.all_special(at, end)) {
            // Text of users must not hide a special token that begins inside.
            if (text.marks.any_special(at, end)) continue;
            return {nullptr, token->spelling.size()};
        }
        const bool counts = !token->single_word || stands_alone(text.bytes, at, end);
        return {counts ? token : nullptr, token->spelling.size()};
    }
    return {nullptr, 1};
}

void AddedTokens::cut(const Marked& text, const std::function<void(std::size_t, std::size_t)>& plain,
                      const std::function<void(const AddedToken&, std::size_t)>& found) const {
    const std::string_view bytes = text.bytes;
    std::size_t done = 0;
    for (std::size_t at = 0; at < bytes.size();) {
        if (!starts_[static_cast<unsigned char>(bytes[at])]) {
            ++at;
            continue;
        }
        const auto [token, length] = match_at(text, at);
        const std::size_t end = at + length;
        if (token) {
            const std::size_t begin = token->takes_left ? without_space_at_end(bytes, at, done) : at;
            if (begin > done) plain(done, begin);
            found(*token, end);
            done = token->takes_right ? behind_space(bytes, end) : end;
        }
        at = end;
    }
    if (done < bytes.size()) plain(done, bytes.size());
}

}  // namespace hone::lm
