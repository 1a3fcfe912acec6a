#include "torch_lm/text/encoding/normalizer.hpp"
#include "hone/plugin.hpp"
#include "torch_lm/text/encoding/replace.hpp"
#include "torch_lm/text/unicode/compose.hpp"

namespace hone::lm {
namespace {

using nlohmann::json;

constexpr int most_nesting = 16;  // of sequences; real files have one
constexpr std::size_t most_growth = 64;

std::size_t common_characters(std::string_view a, std::string_view b) {
    std::size_t n = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
    while (n > 0 && n < b.size() && (b[n] & 0xc0) == 0x80) --n;
    return n;
}

}  // namespace

Normalizer Normalizer::of_normalizer(const json& node, const std::string& place) {
    Normalizer made(place);
    made.add(node, place, 0);
    return made;
}

void Normalizer::add(const json& node, const std::string& place, int depth) {
    if (node.is_null()) return;
    const std::string type = node.value("type", "");
    if (type == "Sequence" && depth < most_nesting)
        for (const auto& child : node.at("normalizers")) add(child, place, depth + 1);
    else if (type == "NFC") steps_.push_back({Kind::compose, {}, {}});
    else if (type == "Prepend") steps_.push_back({Kind::prepend, {}, inserted_text(node.at("prepend"), place)});
    else if (type == "Replace")
        steps_.push_back(
            {Kind::replace, literal_of(node, "normalizer", place), inserted_text(node.at("content"), place)});
    else
        throw Refused(place + ": the normalizer \"" + type +
                      "\" is not supported (supported: none, NFC, Prepend, Replace, and a Sequence of these)");
}

Normalizer Normalizer::of_metaspace(const json& node, const std::string& place) {
    const std::string space = inserted_text(node.value("replacement", json("\u2581")), place);
    const std::string scheme = node.value("prepend_scheme", "always");
    if (space.empty() || (scheme != "always" && scheme != "first" && scheme != "never"))
        throw Refused(place + ": the Metaspace pre-tokenizer has the replacement \"" + space +
                      "\" and the prepend_scheme \"" + scheme + "\" (known: always, first, never)");
    Normalizer made(place);
    made.steps_.push_back({Kind::replace, " ", space});
    if (scheme != "never" && node.value("add_prefix_space", true))
        made.steps_.push_back({scheme == "first" ? Kind::prepend_at_start : Kind::prepend_once, {}, space});
    return made;
}

std::string Normalizer::rewritten(std::string_view text, bool at_start) const {
    std::string now(text);
    for (const Step& step : steps_) {
        const bool stays = now.empty() || (step.kind == Kind::prepend_at_start && !at_start) ||
                           (step.kind != Kind::prepend && now.starts_with(step.to));
        if (step.kind == Kind::compose) now = compose_utf8(now);
        else if (step.kind == Kind::replace) now = replaced(now, step.from, step.to);
        else if (!stays) now.insert(0, step.to);
        if (now.size() > most_growth * (text.size() + 1))
            throw Failed(place_ + ": the normalizer makes " + std::to_string(now.size()) + " bytes of a text of " +
                         std::to_string(text.size()));
    }
    return now;
}

Marked Normalizer::apply(const Marked& text, std::string& hold) const {
    if (steps_.empty()) return text;
    hold = rewritten(text.bytes, text.at_start);
    if (hold == text.bytes) return text;
    // What comes before a mark's end is what it becomes by itself, as far as what follows does not change it (an accent
    // that joins its letter belongs to who wrote the accent).
    const auto length_until = [&](std::size_t byte) {
        if (byte == text.bytes.size()) return hold.size();
        return common_characters(rewritten(text.bytes.substr(0, byte), text.at_start), hold);
    };
    return {hold, text.marks.slice(0, text.bytes.size(), length_until), text.at_start};
}

}  // namespace hone::lm
