// The tokenizer of the tiny model: statements of C++ become few tokens, so answers are short and sampling is cheap.
#include <map>
#include "hone/plugin.hpp"
#include "torch_lm/text/encoding/bpe_trainer.hpp"
#include "torch_lm/text/tokenizer.hpp"

namespace hone::lm {
namespace {

using nlohmann::ordered_json;

constexpr const char* statement_regex = R"([^;{}(\n]*[;{}(\n]\n?|[^;{}(\n]+)";

std::vector<std::string> special_tokens() {
    std::vector<std::string> tokens{"<|task|>", "<|code|>", "<|end|>", "<|pad|>"};
    for (int level = 0; level < 16; ++level) tokens.push_back("<|s" + std::to_string(level) + "|>");
    return tokens;
}

ordered_json pre_tokenizer() {
    const ordered_json split = {
        {"type", "Split"}, {"pattern", {{"Regex", statement_regex}}}, {"behavior", "Isolated"}, {"invert", false}};
    const ordered_json bytes = {
        {"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", false}};
    return {{"type", "Sequence"}, {"pretokenizers", ordered_json::array({split, bytes})}};
}

ordered_json added_tokens(std::size_t count, const std::vector<std::string>& tokens) {
    ordered_json list = ordered_json::array();
    for (std::size_t id = 0; id < count; ++id)
        list.push_back({{"id", id},
                        {"content", tokens[id]},
                        {"single_word", false},
                        {"lstrip", false},
                        {"rstrip", false},
                        {"normalized", false},
                        {"special", true}});
    return list;
}

ordered_json bpe_model(const TrainedBpe& trained) {
    ordered_json vocabulary = ordered_json::object(), merges = ordered_json::array();
    for (std::size_t id = 0; id < trained.tokens.size(); ++id) vocabulary[trained.tokens[id]] = id;
    for (const auto& [left, right] : trained.merges) merges.push_back(ordered_json::array({left, right}));
    return {{"type", "BPE"},
            {"dropout", nullptr},
            {"unk_token", nullptr},
            {"continuing_subword_prefix", nullptr},
            {"end_of_word_suffix", nullptr},
            {"fuse_unk", false},
            {"byte_fallback", false},
            {"ignore_merges", false},
            {"vocab", std::move(vocabulary)},
            {"merges", std::move(merges)}};
}

}  // namespace

Tokenizer Tokenizer::train(const std::vector<std::string>& texts, std::size_t vocabulary_size) {
    const std::vector<std::string> special = special_tokens();
    if (vocabulary_size < special.size() + 256)
        throw Refused("a vocabulary of " + std::to_string(vocabulary_size) +
                      " tokens does not hold the bytes and the special tokens (" +
                      std::to_string(special.size() + 256) + ")");
    std::map<std::string, std::int64_t> pieces;
    const Splitter splitter(nlohmann::json(pre_tokenizer()), "the tiny tokenizer");
    for (const std::string& text : texts)
        splitter.split(text, [&](std::string_view piece, std::size_t) { ++pieces[std::string(piece)]; });
    const TrainedBpe trained = train_bpe(pieces, special, vocabulary_size);
    const ordered_json root = {
        {"version", "1.0"},
        {"truncation", nullptr},
        {"padding", nullptr},
        {"added_tokens", added_tokens(special.size(), trained.tokens)},
        {"normalizer", nullptr},
        {"pre_tokenizer", pre_tokenizer()},
        {"post_processor", nullptr},
        {"decoder", {{"type", "ByteLevel"}, {"add_prefix_space", true}, {"trim_offsets", true}, {"use_regex", true}}},
        {"model", bpe_model(trained)}};
    return Tokenizer(root.dump(2), "tokenizer.json");
}

}  // namespace hone::lm
