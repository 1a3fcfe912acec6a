#include "domain/extent.hpp"
#include <algorithm>
#include <charconv>
#include <string_view>
#include "base/json.hpp"

namespace hone {

namespace {

std::optional<std::int64_t> whole(std::string_view digits) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool fine =
        error == std::errc() && end == digits.data() + digits.size() && value >= 0 && value < (std::int64_t{1} << 31);
    return fine ? std::optional(value) : std::nullopt;
}

// Of C and C++: no parameter of a program can be called so.
constexpr std::string_view keywords =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t "
    "char32_t class compl concept const consteval constexpr constinit const_cast continue co_await "
    "co_return co_yield decltype default delete do double dynamic_cast else enum explicit export extern "
    "false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr "
    "operator or or_eq private protected public register reinterpret_cast requires restrict return short "
    "signed sizeof static static_assert static_cast struct switch template this thread_local throw true "
    "try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq ";

bool is_keyword(const std::string& name) { return keywords.find(" " + name + " ") != keywords.npos; }

std::string without_blanks(std::string text) {
    std::erase(text, ' ');
    return text;
}

}  // namespace

std::string Extent::text() const {
    if (size.empty()) return std::to_string(summand);
    const std::string sign = summand > 0 ? "+" : "";
    return (factor == 1 ? "" : std::to_string(factor) + "*") + size + (summand ? sign + std::to_string(summand) : "");
}

Json Extent::to_json() const { return size.empty() ? Json(summand) : Json(text()); }

std::optional<Extent> Extent::from_json(const Json& entry) {
    if (entry.is_number_integer() && entry.get<std::int64_t>() > 0) return Extent{0, "", entry.get<std::int64_t>()};
    if (!entry.is_string()) return std::nullopt;
    const std::string text = without_blanks(entry.get<std::string>());
    const std::size_t star = text.find('*'), sign = text.find_first_of("+-"),
                      begin = star == std::string::npos ? 0 : star + 1;
    const auto factor = star == std::string::npos ? 1 : whole(text.substr(0, star));
    const auto summand = sign == std::string::npos ? 0 : whole(text.substr(sign + 1));
    if (!factor || !summand || *factor == 0 || (sign != std::string::npos && sign < begin)) return std::nullopt;
    const std::string size = text.substr(begin, sign == std::string::npos ? sign : sign - begin);
    if (!is_identifier(size)) return std::nullopt;
    return Extent{*factor, size, sign != std::string::npos && text[sign] == '-' ? -*summand : *summand};
}

bool is_identifier(const std::string& name) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !name.empty() && letter(name[0]) && !is_keyword(name) &&
           std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace hone
