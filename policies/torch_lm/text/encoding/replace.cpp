#include "torch_lm/text/encoding/replace.hpp"
#include "hone/plugin.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm {
namespace {

constexpr std::size_t most_inserted = 64;  // bytes

}  // namespace

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
    std::string result;
    for (std::size_t at = 0;;) {
        const std::size_t found = text.find(from, at);
        result += text.substr(at, found - at);
        if (found == std::string_view::npos) return result;
        result += to;
        at = found + from.size();
    }
}

std::string literal_of(const nlohmann::json& replace, const std::string& whose, const std::string& place) {
    const auto& pattern = replace.at("pattern");
    if (!pattern.contains("String") || pattern["String"].get<std::string>().empty())
        throw Refused(place + ": the " + whose + " Replace is supported for a non-empty String only, not for " +
                      first_words(pattern.dump()));
    return pattern["String"].get<std::string>();
}

std::string inserted_text(const nlohmann::json& text, const std::string& place) {
    const std::string inserted = text.get<std::string>();
    if (inserted.size() > most_inserted)
        throw Refused(place + ": a normalizer or decoder inserts a text of " + std::to_string(inserted.size()) +
                      " bytes; at most " + std::to_string(most_inserted) + " are supported");
    return inserted;
}

}  // namespace hone::lm
