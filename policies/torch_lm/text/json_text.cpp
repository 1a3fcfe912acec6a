#include "torch_lm/text/json_text.hpp"
#include "hone/plugin.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm {
namespace {

constexpr int most_nesting = 64;

}  // namespace

nlohmann::json parse_json(std::string_view text, const std::string& place) {
    using nlohmann::json;
    const auto keep = [&](int depth, json::parse_event_t, const json&) {
        if (depth > most_nesting)
            throw Refused(place + ": nests more than " + std::to_string(most_nesting) + " levels of JSON");
        return true;
    };
    try {
        return json::parse(text, keep);
    } catch (const json::exception& e) {
        throw Refused(place + ": is not JSON: " + first_words(repair_utf8(e.what())));
    }
}

}  // namespace hone::lm
