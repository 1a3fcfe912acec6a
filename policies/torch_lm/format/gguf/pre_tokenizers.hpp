// pre_tokenizers.hpp: what llama.cpp's names of pre-tokenizers mean in a tokenizer.json.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace hone::lm::gguf {

struct PreTokenizer {
    nlohmann::json normalizer, pre_tokenizer;
    bool ignore_merges;  // a word that is a token is taken whole
    bool begins;         // texts begin with the begin token, where the file does not say
};

// name: tokenizer.ggml.pre. Throws Refused (place: the file) for one that is not known.
PreTokenizer pre_tokenizer_of(const std::string& name, const std::string& place);

}  // namespace hone::lm::gguf
