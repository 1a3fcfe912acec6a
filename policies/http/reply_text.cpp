#include "reply_text.hpp"
#include <cstdlib>
#include <optional>

namespace http {
namespace {

using nlohmann::json;

// The number of an escape \uXXXX that stands at a place.
std::optional<unsigned> escape_at(const std::string& text, std::size_t at) {
    if (text.compare(at, 2, "\\u") != 0 || at + 6 > text.size()) return std::nullopt;
    const std::string digits = text.substr(at + 2, 4);
    if (digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) return std::nullopt;
    return static_cast<unsigned>(std::strtoul(digits.c_str(), nullptr, 16));
}

bool is_first_half(std::optional<unsigned> code) { return code && *code >= 0xd800 && *code < 0xdc00; }
bool is_second_half(std::optional<unsigned> code) { return code && *code >= 0xdc00 && *code < 0xe000; }

std::string without_halves(std::string text) {
    for (std::size_t at = 0; (at = text.find('\\', at)) != std::string::npos;) {
        const auto code = escape_at(text, at);
        const bool pair = is_first_half(code) && is_second_half(escape_at(text, at + 6));
        if (!pair && (is_first_half(code) || is_second_half(code))) text.replace(at, 6, "\\ufffd");
        at += pair ? 12 : code ? 6 : 2;  // 2: another escape
    }
    return text;
}

std::string valid_bytes(const std::string& text) {
    return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ... - invalid literal; last
// read: '...'" without the library's marks and without what was read.
std::string words_of(const json::parse_error& error) {
    std::string words = error.what();
    words.erase(std::min(words.find("; last read"), words.size()));
    const std::size_t place = words.find("column "), from = words.find(": ", place == std::string::npos ? 0 : place);
    return "at byte " + std::to_string(error.byte) + ": " +
           (from == std::string::npos ? words : words.substr(from + 2));
}

// Deeper than any reply, and not so deep that a walk through it needs more stack than there is.
constexpr int deepest = 256;

bool nests_too_deep(std::string_view text) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size() && depth <= deepest; ++i) {
        const char c = text[i];
        if (quoted && c == '\\') ++i;
        else if (c == '"') quoted = !quoted;
        else if (!quoted) depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    }
    return depth > deepest;
}

}  // namespace

std::size_t begin_of_answer(std::string_view text) {
    constexpr std::string_view opens = "<think>", ends = "</think>";
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || !text.substr(first).starts_with(opens)) return 0;
    const std::size_t end = text.find(ends, first);
    return end == std::string_view::npos ? text.size() : end + ends.size();
}

const json& member(const json& object, const char* key) {
    static const json none;
    return object.is_object() && object.contains(key) ? object[key] : none;
}

std::string text_at(const json& object, const char* key) {
    const json& value = member(object, key);
    return value.is_string() ? value.get<std::string>() : std::string();
}

ReadText read_text(const std::string& body) {
    if (nests_too_deep(body))
        return {json(json::value_t::discarded), "it nests more than " + std::to_string(deepest) + " levels deep"};
    if (json as_it_is = json::parse(body, nullptr, false); !as_it_is.is_discarded()) return {std::move(as_it_is), ""};
    try {
        return {json::parse(without_halves(valid_bytes(body))), ""};
    } catch (const json::parse_error& error) {
        return {json(json::value_t::discarded), words_of(error)};
    } catch (const json::out_of_range&) {
        return {json(json::value_t::discarded), "a number is too large"};
    }
}

}  // namespace http
