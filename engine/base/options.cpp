#include "base/options.hpp"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include "base/error.hpp"
#include "base/printable.hpp"

namespace hone {

namespace {

std::string joined(const std::vector<std::string>& names, const char* between) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : between) + name;
    return text;
}

std::vector<std::string> split(std::string_view text, char at) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(at, begin), text.size());
        parts.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

template <class Number> std::optional<Number> parse(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

struct Range {  // "least..most"; an end that is left out bounds nothing
    std::optional<double> least, most;
};

std::optional<double> end_of(std::string_view text) {
    const auto number = parse<double>(text);
    return number && !std::isnan(*number) ? number : std::nullopt;
}

// Nothing where it is none: with an end that is no number, or with no end at all.
std::optional<Range> range_of(std::string_view allowed) {
    const std::size_t dots = allowed.find("..");
    if (dots == std::string_view::npos) return std::nullopt;
    const std::string_view first = allowed.substr(0, dots), last = allowed.substr(dots + 2);
    const Range range{end_of(first), end_of(last)};
    const bool readable = (first.empty() || range.least) && (last.empty() || range.most) && (range.least || range.most);
    return readable ? std::optional(range) : std::nullopt;
}

// why a value is not in the range of its option; empty: it is
std::string outside(const Option& option, double value) {
    const auto range = range_of(option.allowed);
    if (!range) return {};
    const bool fits =
        !std::isnan(value) && !(range->least && value < *range->least) && !(range->most && value > *range->most);
    return fits ? std::string() : "is outside " + option.allowed;
}

struct Checked {
    Json value;
    std::string fault;  // why the value will not do
};

Checked check_number(const Option& option, const Json& given) {
    if (!given.is_number()) return {{}, option.kind == "int" ? "is no whole number" : "is no number"};
    const double value = given.get<double>();
    if (option.kind == "num") return {value, outside(option, value)};
    if (given.is_number_float() && (value != std::floor(value) || std::abs(value) > 0x1p53))
        return {{}, "is no whole number"};
    const Json whole = given.is_number_float() ? Json(static_cast<std::int64_t>(value)) : given;
    return {whole, outside(option, value)};
}

Checked check_choice(const Option& option, const Json& given) {
    const std::vector<std::string> allowed = split(option.allowed, '|');
    const std::string& word = given.get_ref<const std::string&>();
    if (std::find(allowed.begin(), allowed.end(), word) != allowed.end()) return {given, {}};
    return {{}, "is none of " + joined(allowed, ", ") + suggestion(word, allowed)};
}

Checked check_value(const Option& option, const Json& given) {
    if (option.kind == "bool") return {given, given.is_boolean() ? "" : "is neither true nor false"};
    if (option.kind == "int" || option.kind == "num") return check_number(option, given);
    if (!given.is_string()) return {{}, "is no text"};
    if (!is_utf8(given.get_ref<const std::string&>())) return {{}, "is no UTF-8"};
    return option.kind == "choice" ? check_choice(option, given) : Checked{given, {}};
}

[[noreturn]] void refuse_name(const std::vector<Option>& table, const std::string& name, const std::string& place) {
    std::vector<std::string> names;
    for (const Option& option : table) names.push_back(option.name);
    const std::string nearest = nearest_name(name, names), list = "options: " + joined(names, ", ");
    std::string cure = nearest.empty() ? list : "did you mean \"" + nearest + "\"? (" + list + ")";
    if (names.empty()) cure = "it takes no options";
    throw Error(Blame::input, place, "no option \"" + name + "\"", cure);
}

}  // namespace

Json value_of_text(const Option& option, const std::string& text) {
    if (option.kind == "bool" && (text == "true" || text == "1")) return true;
    if (option.kind == "bool" && (text == "false" || text == "0")) return false;
    if (option.kind != "int" && option.kind != "num") return text;
    if (option.kind == "int")
        if (const auto whole = parse<std::int64_t>(text)) return *whole;
    const auto number = parse<double>(text);
    const bool fits = number && std::isfinite(*number) && (option.kind == "num" || *number == std::floor(*number));
    return fits ? Json(*number) : Json(text);
}

namespace {

// An empty preset of a number means: unset, the part finds its own value.
std::optional<Json> preset_value(const Option& option) {
    if (option.kind == "bool") return value_of_text(option, option.preset) == Json(true);
    const Json value = value_of_text(option, option.preset);
    const bool unset = (option.kind == "int" || option.kind == "num") && !value.is_number();
    return unset ? std::nullopt : std::optional(value);
}

std::string shown(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string preset_fault(const Option& option) {
    if (option.preset.empty() && option.kind != "choice") return "";
    const std::string fault = check_value(option, value_of_text(option, option.preset)).fault;
    return fault.empty() ? fault : "\"" + option.preset + "\" " + fault;
}

std::string range_fault(const Option& option) {
    if (option.allowed.empty() || (option.kind != "int" && option.kind != "num")) return "";
    const auto range = range_of(option.allowed);
    if (!range) return "is no range";
    return range->least && range->most && *range->least > *range->most ? "allows no number" : "";
}

Json check_options(const std::vector<Option>& table, const Json& given, const std::string& place) {
    // an empty Lua table cannot say whether it is a list
    const bool none = given.is_null() || (given.is_array() && given.empty());
    if (!none && !given.is_object()) throw Error(Blame::input, place, "options are no table of names and values");
    Json result = Json::object();
    for (const Option& option : table)
        if (const auto preset = preset_value(option)) result[option.name] = *preset;
    if (none) return result;
    for (const auto& [name, value] : given.items()) {
        const auto option =
            std::find_if(table.begin(), table.end(), [&wanted = name](const Option& o) { return o.name == wanted; });
        if (option == table.end()) refuse_name(table, name, place);
        if (value.is_null()) continue;
        Checked checked = check_value(*option, value);
        if (!checked.fault.empty())
            throw Error(Blame::input, place, "option \"" + name + "\": " + shown(value) + " " + checked.fault,
                        option->doc);
        result[name] = std::move(checked.value);
    }
    return result;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1), above, above_that;
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        above_that = std::exchange(above, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({above[j - 1] + (a[i - 1] != b[j - 1]), above[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], above_that[j - 2] + 1);
        }
    }
    return row.back();
}

std::string nearest_name(std::string_view misspelt, const std::vector<std::string>& names) {
    std::string best;
    std::size_t least = std::max<std::size_t>(1, misspelt.size() / 3) + 1;
    for (const std::string& name : names) {
        const std::size_t distance = edit_distance(misspelt, name);
        if (distance < least && distance < std::max(misspelt.size(), name.size())) {
            least = distance;
            best = name;
        }
    }
    return best;
}

std::string suggestion(std::string_view misspelt, const std::vector<std::string>& names) {
    const std::string nearest = nearest_name(misspelt, names);
    return nearest.empty() ? nearest : "; did you mean \"" + nearest + "\"?";
}

std::string choose(const std::string& misspelt, const std::vector<std::string>& names, const char* what) {
    std::string list = std::string(what) + ": ";
    for (const std::string& name : names) list += (name == names.front() ? "" : ", ") + name;
    const std::string nearest = nearest_name(misspelt, names);
    return nearest.empty() ? list + (names.empty() ? "none" : "") : "did you mean \"" + nearest + "\"? (" + list + ")";
}

}  // namespace hone
