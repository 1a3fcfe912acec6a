#include "torch_lm/text/decoding.hpp"
#include "hone/plugin.hpp"
#include "torch_lm/text/byte_alphabet.hpp"
#include "torch_lm/text/encoding/replace.hpp"

namespace hone::lm {
namespace {

using nlohmann::json;

constexpr int most_nesting = 16;  // of sequences; real files have one

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

Decoding::Decoding(const json& decoder, bool byte_level, const std::string& place) {
    if (decoder.is_null()) byte_level_ = byte_level;
    else add(decoder, place, 0);
}

// Replace and ByteFallback look at tokens, Strip at the whole text that Fuse makes of them: another order is another
// decoder.
void Decoding::take_turn(int step, const std::string& type, const std::string& place) {
    if (step < last_step_ || (type == "Strip" && last_step_ < 3) || (type == "ByteLevel" && last_step_ > 0))
        throw Refused(place + ": the decoder has " + type +
                      " out of turn (supported: ByteLevel, or Replace, ByteFallback, Fuse, Strip in this order)");
    last_step_ = step;
}

void Decoding::add(const json& node, const std::string& place, int depth) {
    const std::string type = node.value("type", "");
    if (type == "Sequence" && depth < most_nesting) {
        for (const auto& child : node.at("decoders")) add(child, place, depth + 1);
    } else if (type == "ByteLevel") {
        take_turn(5, type, place);
        byte_level_ = true;
    } else if (type == "Replace") {
        take_turn(1, type, place);
        replaced_.emplace_back(literal_of(node, "decoder", place), inserted_text(node.at("content"), place));
    } else if (type == "ByteFallback") {
        take_turn(2, type, place);
        names_bytes_ = true;
    } else if (type == "Fuse") {
        take_turn(3, type, place);
    } else if (type == "Strip" && node.value("stop", 0) == 0) {
        take_turn(4, type, place);
        stripped_ = node.at("content").get<std::string>();
        if (stripped_.empty()) throw Refused(place + ": the decoder Strip takes away nothing");
        most_stripped_ = node.at("start").get<std::size_t>();
    } else {
        throw Refused(place + ": the decoder \"" + type +
                      "\" is not supported (supported: ByteLevel, Replace, ByteFallback, Fuse, Strip at the start, and "
                      "a Sequence of these)");
    }
}

std::string Decoding::text_of(const std::string& token) const {
    if (byte_level_) return unspell_bytes(token).value_or(token);
    std::string text = token;
    for (const auto& [from, to] : replaced_) text = replaced(text, from, to);
    return text;
}

std::optional<char> Decoding::byte_of(const std::string& token) const {
    if (!names_bytes_ || token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return {};
    const int high = hex_digit(token[3]), low = hex_digit(token[4]);
    if (high < 0 || low < 0) return {};
    return static_cast<char>(high << 4 | low);
}

}  // namespace hone::lm
