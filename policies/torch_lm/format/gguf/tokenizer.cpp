#include "torch_lm/format/gguf/tokenizer.hpp"
#include <nlohmann/json.hpp>
#include "hone/plugin.hpp"
#include "torch_lm/format/gguf/pre_tokenizers.hpp"
#include "torch_lm/format/gguf/tokens.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm::gguf {
namespace {

using nlohmann::json;

constexpr const char* word_start = "\u2581";  // SentencePiece's space

// Tokens that are looked for in the text before it is cut. Those of the control kind are special.
json added_tokens(const std::vector<Token>& tokens) {
    json added = json::array();
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const TokenType type = tokens[i].type;
        const bool special = type == TokenType::control || type == TokenType::unknown;
        if (special || type == TokenType::user_defined)
            added.push_back({{"id", i},
                             {"content", tokens[i].text},
                             {"single_word", false},
                             {"lstrip", false},
                             {"rstrip", false},
                             {"normalized", false},
                             {"special", special}});
    }
    return added;
}

json vocabulary(const std::vector<Token>& tokens) {
    json vocabulary = json::object();
    for (std::size_t i = 0; i < tokens.size(); ++i)
        if (tokens[i].type != TokenType::unused) vocabulary[tokens[i].text] = i;
    return vocabulary;
}

json replace(const char* from, const char* to) {
    return {{"type", "Replace"}, {"pattern", {{"String", from}}}, {"content", to}};
}

json begin_with(const Token& token, std::int64_t id) {
    const json name = token.text;
    return {
        {"type", "TemplateProcessing"},
        {"single", {{{"SpecialToken", {{"id", name}, {"type_id", 0}}}}, {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
        {"pair", json::array()},
        {"special_tokens", {{token.text, {{"id", name}, {"ids", {id}}, {"tokens", {name}}}}}}};
}

// What only depends on the vocabulary; begins: texts begin with the begin token.
json common_parts(const Metadata& metadata, const std::vector<Token>& tokens, const Config& config, bool begins) {
    json root = {{"version", "1.0"}, {"truncation", nullptr}, {"padding", nullptr}};
    root["added_tokens"] = added_tokens(tokens);
    const auto bos = static_cast<std::size_t>(config.bos);
    begins = metadata.flag("tokenizer.ggml.add_bos_token", begins) && config.bos >= 0 && bos < tokens.size() &&
             tokens[bos].type != TokenType::unused;
    root["post_processor"] = begins ? begin_with(tokens[bos], config.bos) : json();
    return root;
}

std::string byte_level_json(const Metadata& metadata, const Config& config) {
    const PreTokenizer how = pre_tokenizer_of(metadata.text("tokenizer.ggml.pre", ""), metadata.place());
    const std::vector<Token> tokens = tokens_of(metadata);
    json root = common_parts(metadata, tokens, config, how.begins);
    root["normalizer"] = how.normalizer;
    root["pre_tokenizer"] = how.pre_tokenizer;
    root["decoder"] = {{"type", "ByteLevel"}};
    root["model"] = {{"type", "BPE"},
                     {"ignore_merges", how.ignore_merges},
                     {"vocab", vocabulary(tokens)},
                     {"merges", metadata.texts("tokenizer.ggml.merges")}};
    return root.dump();
}

std::string sentence_piece_json(const Metadata& metadata, const Config& config) {
    const std::vector<Token> tokens = tokens_of(metadata);
    const bool spaced = metadata.flag("tokenizer.ggml.add_space_prefix", true);
    json root = common_parts(metadata, tokens, config, true), steps = json::array();
    if (spaced) steps.push_back({{"type", "Prepend"}, {"prepend", word_start}});
    steps.push_back(replace(" ", word_start));
    root["normalizer"] = {{"type", "Sequence"}, {"normalizers", steps}};
    root["pre_tokenizer"] = nullptr;
    steps = {replace(word_start, " "), {{"type", "ByteFallback"}}, {{"type", "Fuse"}}};
    if (spaced) steps.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
    root["decoder"] = {{"type", "Sequence"}, {"decoders", steps}};
    const auto unknown = static_cast<std::size_t>(
        metadata.whole("tokenizer.ggml.unknown_token_id", 0, 0, static_cast<std::int64_t>(tokens.size()) - 1));
    root["model"] = {{"type", "BPE"},
                     {"unk_token", tokens[unknown].text},
                     {"fuse_unk", true},
                     {"byte_fallback", true},
                     {"vocab", vocabulary(tokens)},
                     {"merges", merges_of_scores(tokens, metadata.place())}};
    return root.dump();
}

}  // namespace

std::string tokenizer_json(const Metadata& metadata, const Config& config) {
    const std::string kind = metadata.text("tokenizer.ggml.model");
    if (kind == "gpt2") return byte_level_json(metadata, config);
    if (kind == "llama") return sentence_piece_json(metadata, config);
    throw Refused(metadata.place() + ": the tokenizer (metadata \"tokenizer.ggml.model\") is \"" + first_words(kind) +
                  "\", which is not supported (supported: gpt2, llama)");
}

}  // namespace hone::lm::gguf
