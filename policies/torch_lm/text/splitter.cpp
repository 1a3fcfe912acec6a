#include "torch_lm/text/splitter.hpp"
#include "hone/plugin.hpp"
#include "torch_lm/text/pattern.hpp"

namespace hone::lm {
namespace {

constexpr const char* gpt2_regex = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

std::string quoted(const std::string& literal) {
    std::string regex;
    for (const char c : literal) {
        if (static_cast<unsigned char>(c) < 0x80 && !isalnum(static_cast<unsigned char>(c))) regex += '\\';
        regex += c;
    }
    return regex;
}

}  // namespace

Splitter::Splitter(const nlohmann::json& pre_tokenizer, const std::string& place) {
    if (!pre_tokenizer.is_null()) add(pre_tokenizer, place);
}

void Splitter::add(const nlohmann::json& node, const std::string& place) {
    const std::string type = node.value("type", "");
    if (type == "Sequence") {
        for (const auto& child : node.at("pretokenizers")) add(child, place);
    } else if (type == "Split") {
        add_split(node, place);
    } else if (type == "ByteLevel") {
        add_byte_level(node, place);
    } else if (type == "Digits") {
        steps_.push_back(
            {std::make_shared<Pattern>(node.value("individual_digits", false) ? R"(\p{N})" : R"(\p{N}+)", place)});
    } else {
        throw Refused(place + ": the pre-tokenizer \"" + type +
                      "\" is not supported (supported: Sequence, Split, Digits, ByteLevel)");
    }
}

void Splitter::add_split(const nlohmann::json& node, const std::string& place) {
    const auto& pattern = node.at("pattern");
    const std::string regex = pattern.contains("Regex") ? pattern.at("Regex").get<std::string>()
                                                        : quoted(pattern.at("String").get<std::string>());
    const std::string behavior = node.value("behavior", "");
    if (behavior != "Isolated" && behavior != "Removed")
        throw Refused(place + ": the split behavior \"" + behavior +
                      "\" is not supported (supported: Isolated, Removed)");
    steps_.push_back({std::make_shared<Pattern>(regex, place), behavior == "Isolated", node.value("invert", false)});
}

void Splitter::add_byte_level(const nlohmann::json& node, const std::string& place) {
    prefix_space_ = prefix_space_ || node.value("add_prefix_space", false);
    if (node.value("use_regex", true)) steps_.push_back({std::make_shared<Pattern>(gpt2_regex, place)});
}

void Splitter::split(std::string_view text, const std::function<void(std::string_view)>& emit) const {
    run(0, text, emit);
}

void Splitter::run(std::size_t step, std::string_view text, const std::function<void(std::string_view)>& emit) const {
    if (step == steps_.size()) return emit(text);
    const Step& s = steps_[step];
    s.pattern->cut(text, [&](std::string_view piece, bool matched) {
        if (s.keep_matches || matched == s.invert) run(step + 1, piece, emit);
    });
}

}  // namespace hone::lm
