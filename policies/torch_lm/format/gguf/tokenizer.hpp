// tokenizer.hpp: the tokenizer.json that a GGUF file's vocabulary came from, so that one Tokenizer reads both.
#pragma once
#include <string>
#include "torch_lm/format/config.hpp"
#include "torch_lm/format/gguf/metadata.hpp"

namespace hone::lm::gguf {

// tokenizer.ggml.model "gpt2": byte-level BPE with the pre-tokenizer that tokenizer.ggml.pre names. "llama":
// SentencePiece's BPE with byte fallback, its merges derived from the scores. Throws Refused for other kinds.
std::string tokenizer_json(const Metadata& metadata, const Config& config);

}  // namespace hone::lm::gguf
