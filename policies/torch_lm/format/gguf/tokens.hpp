// tokens.hpp: the vocabulary in a GGUF file's metadata.
#pragma once
#include <string>
#include <utility>
#include <vector>
#include "torch_lm/format/gguf/metadata.hpp"

namespace hone::lm::gguf {

enum class TokenType : std::int64_t { normal = 1, unknown, control, user_defined, unused, byte };

struct Token {
    std::string text;
    TokenType type;
    double score;
};

// By their ids. Throws Refused for lists of different lengths, unknown types, and two used tokens of one text.
std::vector<Token> tokens_of(const Metadata& metadata);

// The merges by which SentencePiece's BPE finds the tokens: every way to put a token together of two others, the
// highest score first (transformers' generate_merges, whose order among equals is kept).
std::vector<std::pair<std::string, std::string>> merges_of_scores(const std::vector<Token>& tokens,
                                                                  const std::string& place);

}  // namespace hone::lm::gguf
