// bpe_symbols.hpp: what byte pair encoding starts from: the tokens of a piece's bytes or characters.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hone::lm {

using Vocabulary = std::unordered_map<std::string, std::int32_t>;  // token, as the file spells it -> id

struct BpeOptions {
    bool byte_level = true;      // tokens are spelled in the byte alphabet; otherwise as they are
    bool ignore_merges = false;  // a piece that is itself a token is taken whole (Llama 3)
    bool byte_fallback = false;  // a character without a token becomes the tokens <0x00> to <0xFF> of its bytes
    bool fuse_unknown = false;   // one unknown token for a run of unknown characters
    std::int32_t unknown = -1;   // id for a character without a token; -1: it is left out
};

struct BpeToken {
    std::int32_t id;
    std::uint32_t end;  // in the piece, in bytes
};

class BpeSymbols {
public:
    BpeSymbols() = default;
    BpeSymbols(const Vocabulary& vocabulary, const BpeOptions& options);
    std::vector<BpeToken> of(std::string_view piece) const;

private:
    void read_bytes(const Vocabulary& vocabulary);
    void read_characters(const Vocabulary& vocabulary);
    std::int32_t id_of(char32_t character) const;
    bool fall_back(std::string_view character, std::uint32_t begin, std::vector<BpeToken>& symbols) const;
    BpeOptions options_;
    std::vector<std::int32_t> byte_ids_ = std::vector<std::int32_t>(256, -1);  // of the byte, or of its fallback token
    std::vector<std::int32_t> ascii_ids_ = std::vector<std::int32_t>(128, -1);
    std::unordered_map<char32_t, std::int32_t> character_ids_;
};

}  // namespace hone::lm
