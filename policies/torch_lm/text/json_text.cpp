#include "torch_lm/text/json_text.hpp"
#include <cstring>
#include "hone/plugin.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm {
namespace {

constexpr int most_depth = 64;

// "line 2, column 1: unexpected end of input; ...": without the library's own name of the error.
std::string plain_words(const nlohmann::json::exception& error) {
    std::string text = error.what();
    for (const char* mark : {"] ", "parse error at "})
        if (const std::size_t at = text.find(mark); at < text.find('\'')) text.erase(0, at + std::strlen(mark));
    const std::size_t stage = text.find("syntax error while parsing "), end = text.find(" - ", stage);
    if (stage != std::string::npos && end != std::string::npos) text.erase(stage, end + 3 - stage);
    return text;
}

}  // namespace

nlohmann::json parse_json(std::string_view text, const std::string& place) {
    using nlohmann::json;
    const auto keep = [&](int depth, json::parse_event_t, const json&) {
        if (depth > most_depth)
            throw Refused(place + ": nests more than " + std::to_string(most_depth) + " levels of JSON");
        return true;
    };
    try {
        return json::parse(text, keep);
    } catch (const json::exception& e) {
        throw Refused(place + ": is not JSON: " + first_words(repair_utf8(plain_words(e))));
    }
}

}  // namespace hone::lm
