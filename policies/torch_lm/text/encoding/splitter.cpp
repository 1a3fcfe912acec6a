#include "torch_lm/text/encoding/splitter.hpp"
#include "hone/plugin.hpp"
#include "torch_lm/text/unicode/pattern.hpp"

namespace hone::lm {
namespace {

using nlohmann::json;

constexpr const char* gpt2_regex = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
// The library's Digits step knows the numbers of Unicode 17, its regular expressions those of 16.
constexpr const char* digit = R"([\p{N}\x{11de0}-\x{11de9}\x{16ff4}-\x{16ff6}])";
constexpr int most_nested_splits = 16;  // of sequences; real files have one

std::string quoted(const std::string& literal) {
    std::string regex;
    for (const char c : literal) {
        if (static_cast<unsigned char>(c) < 0x80 && !isalnum(static_cast<unsigned char>(c))) regex += '\\';
        regex += c;
    }
    return regex;
}

}  // namespace

Splitter::Splitter(const json& pre_tokenizer, const std::string& place) {
    if (!pre_tokenizer.is_null()) add(pre_tokenizer, place, 0);
}

void Splitter::add(const json& node, const std::string& place, int depth) {
    const std::string type = node.value("type", "");
    if (byte_level_)
        throw Refused(place + ": the pre-tokenizer \"" + type + "\" stands behind ByteLevel, which must be the last");
    if (type == "Sequence" && depth < most_nested_splits) {
        for (const auto& child : node.at("pretokenizers")) add(child, place, depth + 1);
    } else if (type == "Split") {
        add_split(node, place);
    } else if (type == "ByteLevel") {
        add_byte_level(node, place);
    } else if (type == "Digits") {
        const std::string regex = node.value("individual_digits", false) ? digit : std::string(digit) + "+";
        steps_.push_back({std::make_shared<Pattern>(regex, place)});
    } else if (type == "Metaspace" && depth == 0) {
        add_metaspace(node, place);
    } else {
        throw Refused(place + ": the pre-tokenizer \"" + type +
                      "\" is not supported (supported: Split, Digits, ByteLevel, a Sequence of these, Metaspace)");
    }
}

void Splitter::add_split(const json& node, const std::string& place) {
    const auto& pattern = node.at("pattern");
    const std::string regex = pattern.contains("Regex") ? pattern.at("Regex").get<std::string>()
                                                        : quoted(pattern.at("String").get<std::string>());
    const std::string behavior = node.value("behavior", "");
    if (behavior != "Isolated" && behavior != "Removed")
        throw Refused(place + ": the split behavior \"" + behavior +
                      "\" is not supported (supported: Isolated, Removed)");
    steps_.push_back({std::make_shared<Pattern>(regex, place),
                      behavior == "Isolated" ? Cut::at_matches : Cut::between_matches, node.value("invert", false)});
}

void Splitter::add_byte_level(const json& node, const std::string& place) {
    byte_level_ = true;
    Step step{nullptr, Cut::at_matches, false, node.value("add_prefix_space", false)};
    if (node.value("use_regex", true)) step.pattern = std::make_shared<Pattern>(gpt2_regex, place);
    steps_.push_back(std::move(step));
}

void Splitter::add_metaspace(const json& node, const std::string& place) {
    if (!node.value("split", true)) return;
    const std::string space = node.value("replacement", "\u2581");
    steps_.push_back({std::make_shared<Pattern>(quoted(space), place), Cut::before_matches});
}

void Splitter::split(std::string_view text, const Emit& emit) const { run(0, text, text.size(), emit); }

void Splitter::run(std::size_t step, std::string_view text, std::size_t end, const Emit& emit) const {
    if (step == steps_.size()) return emit(text, end);
    const Step& s = steps_[step];
    std::string spaced;
    if (s.adds_space && !text.starts_with(' ')) text = spaced = " " + std::string(text);
    const auto next = [&](std::string_view piece, std::size_t rest) { run(step + 1, piece, end - rest, emit); };
    if (!s.pattern) return next(text, 0);
    if (s.cut == Cut::before_matches) return cut_before(s, text, next);
    std::size_t rest = text.size();
    s.pattern->cut(text, [&](std::string_view piece, bool matched) {
        rest -= piece.size();
        if (s.cut == Cut::at_matches || matched == s.invert) next(piece, rest);
    });
}

// A match begins a piece that lasts until the next match. emit: the piece, and how much of the text is left behind it.
void Splitter::cut_before(const Step& step, std::string_view text, const Emit& emit) const {
    std::size_t begin = 0, at = 0;
    step.pattern->cut(text, [&](std::string_view piece, bool matched) {
        if (matched && at > begin) {
            emit(text.substr(begin, at - begin), text.size() - at);
            begin = at;
        }
        at += piece.size();
    });
    emit(text.substr(begin), 0);
}

}  // namespace hone::lm
