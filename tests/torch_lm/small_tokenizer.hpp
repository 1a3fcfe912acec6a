// Tokenizers small enough to work out their ids by hand.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>
#include "torch_lm/text/byte_alphabet.hpp"
#include "torch_lm/text/tokenizer.hpp"

namespace hone::lm {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// A vocabulary of all bytes, then the merges' tokens; ids in that order.
inline nlohmann::json byte_tokenizer(const Pairs& merges) {
    nlohmann::json vocabulary = nlohmann::json::object(), list = nlohmann::json::array();
    for (int byte = 0; byte < 256; ++byte) vocabulary[spell_bytes(std::string(1, static_cast<char>(byte)))] = byte;
    for (const auto& [left, right] : merges) {
        vocabulary[left + right] = vocabulary.size();
        list.push_back(left + " " + right);
    }
    return {{"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", list}}},
            {"added_tokens", nlohmann::json::array()},
            {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", true}}}};
}

inline nlohmann::json replace(const std::string& from, const std::string& to) {
    return {{"type", "Replace"}, {"pattern", {{"String", from}}}, {"content", to}};
}

// Llama 2's kind: <unk> 0, <s> 1, </s> 2, the bytes from 3, then the characters and the merges' tokens from 259.
inline nlohmann::json llama2_tokenizer(const std::vector<std::string>& characters, const Pairs& merges) {
    nlohmann::json vocabulary = {{"<unk>", 0}, {"<s>", 1}, {"</s>", 2}}, list = nlohmann::json::array();
    for (int byte = 0; byte < 256; ++byte) {
        char name[8];
        std::snprintf(name, sizeof name, "<0x%02X>", byte);
        vocabulary[name] = 3 + byte;
    }
    for (const std::string& character : characters) vocabulary[character] = vocabulary.size();
    for (const auto& [left, right] : merges) {
        vocabulary[left + right] = vocabulary.size();
        list.push_back({left, right});
    }
    const nlohmann::json strip = {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}};
    return {{"normalizer",
             {{"type", "Sequence"}, {"normalizers", {{{"type", "Prepend"}, {"prepend", "▁"}}, replace(" ", "▁")}}}},
            {"decoder",
             {{"type", "Sequence"},
              {"decoders", {replace("▁", " "), {{"type", "ByteFallback"}}, {{"type", "Fuse"}}, strip}}}},
            {"added_tokens", nlohmann::json::array()},
            {"model",
             {{"type", "BPE"},
              {"unk_token", "<unk>"},
              {"fuse_unk", true},
              {"byte_fallback", true},
              {"vocab", vocabulary},
              {"merges", list}}}};
}

inline nlohmann::json added(int id, const std::string& content, bool special) {
    return {{"id", id}, {"content", content}, {"special", special}};
}

inline Tokenizer made(const nlohmann::json& root) { return Tokenizer(root.dump(), "tokenizer.json"); }

inline std::string decoded(const Tokenizer& tokenizer, const Ids& ids) {
    return tokenizer.decode(ids.data(), ids.size());
}

}  // namespace hone::lm
