#include "base/json_text.hpp"
#include "base/error.hpp"

namespace hone {

std::string plain_words(const std::exception& error) {
    std::string text = error.what();
    if (!text.starts_with("[json.exception.")) return text;
    text.erase(0, text.find("] ") + 2);
    constexpr std::string_view head = "parse error at ", stage = "syntax error while parsing ";
    if (text.starts_with(head)) text.erase(0, head.size());
    if (const std::size_t at = text.find(stage); at != std::string::npos) text.erase(at, text.find(" - ", at) + 3 - at);
    return text;
}

Json parse_json(std::string_view text, const std::string& place, const std::string& cure) {
    try {
        return Json::parse(text);
    } catch (const Json::exception& error) {
        throw Error(Blame::input, place, "is no JSON: " + plain_words(error), cure);
    }
}

TooDeep::TooDeep()
    : std::runtime_error("more than " + std::to_string(deepest_json) + " lists and objects stand within each other") {}

Json parse_strange_json(std::string_view text) {
    return Json::parse(text, [](int depth, Json::parse_event_t event, const Json&) {
        const bool opens = event == Json::parse_event_t::array_start || event == Json::parse_event_t::object_start;
        if (opens && depth >= deepest_json) throw TooDeep();
        return true;
    });
}

}  // namespace hone
