#include "torch_lm/format/gguf/pre_tokenizers.hpp"
#include "hone/plugin.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm::gguf {
namespace {

using nlohmann::json;

// of the published tokenizer.json of each family
constexpr const char* qwen_regex =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* llama3_regex =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* tekken_regex = R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
                                     R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
                                     R"(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

json byte_level(bool cuts) {  // by GPT-2's regular expression, or not at all
    return {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", cuts}};
}

json sequence(json first, json second) {
    return {{"type", "Sequence"}, {"pretokenizers", {std::move(first), std::move(second)}}};
}

json cut_by(const char* regex) {
    return sequence({{"type", "Split"}, {"pattern", {{"Regex", regex}}}, {"behavior", "Isolated"}, {"invert", false}},
                    byte_level(false));
}

}  // namespace

PreTokenizer pre_tokenizer_of(const std::string& name, const std::string& place) {
    const auto is = [&](auto... names) { return ((name == names) || ...); };
    if (is("gpt-2", "gpt2")) return {nullptr, byte_level(true), false, false};
    if (is("smollm"))
        return {nullptr, sequence({{"type", "Digits"}, {"individual_digits", true}}, byte_level(true)), false, false};
    if (is("llama-bpe", "llama3", "llama-v3")) return {nullptr, cut_by(llama3_regex), true, true};
    if (is("qwen2")) return {{{"type", "NFC"}}, cut_by(qwen_regex), false, false};
    if (is("deepseek-r1-qwen")) return {nullptr, cut_by(qwen_regex), false, false};
    if (is("tekken")) return {nullptr, cut_by(tekken_regex), true, true};
    throw Refused(place + ": the pre-tokenizer (metadata \"tokenizer.ggml.pre\") is \"" + first_words(name) +
                  "\", which is not supported (supported: gpt-2, smollm, llama-bpe, qwen2, deepseek-r1-qwen, tekken)");
}

}  // namespace hone::lm::gguf
