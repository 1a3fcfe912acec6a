// bpe_file.hpp: the member "model" of a tokenizer.json.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include "torch_lm/text/encoding/bpe.hpp"

namespace hone::lm {

struct BpeFile {
    Vocabulary vocabulary;
    Merges merges;
    BpeOptions options;
};

// byte_level: as the pre-tokenizer says. Throws Refused (place: the file) or a JSON exception.
BpeFile read_bpe(const nlohmann::json& model, bool byte_level, const std::string& place);
// An id that a table of tokens can have. Throws Refused.
std::int32_t read_id(const nlohmann::json& id, const std::string& token, const std::string& place);

}  // namespace hone::lm
