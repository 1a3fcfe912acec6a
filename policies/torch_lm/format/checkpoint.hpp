// checkpoint.hpp: a model as a Hugging Face folder, which transformers and vLLM load, and what a run needs beside it to
// go on.
#pragma once
#include <cstdint>
#include <string>
#include "torch_lm/format/config.hpp"
#include "torch_lm/learning/adamw.hpp"
#include "torch_lm/model/parameters.hpp"
#include "torch_lm/text/chat_template.hpp"
#include "torch_lm/text/tokenizer.hpp"

namespace hone::lm {

struct Checkpoint {
    Config config;
    Tokenizer tokenizer;
    TemplateSource chat_template;  // its text is empty where the files have none
    Parameters weights;
};

// path: as open_model takes it. The weights come to the host, as float32 or bfloat16. Throws Refused, naming the file,
// the cause and the cure.
Checkpoint load_model(const std::string& path, bool bfloat16 = false);
// config.json, generation_config.json, model.safetensors, tokenizer.json, tokenizer_config.json into an existing
// folder. special: as the chat template has them, whatever config.json says of their ids; null: by these ids.
using SpecialTokens = std::vector<std::pair<std::string, std::string>>;  // "bos_token", "<s>"
void save_folder(const std::string& folder, const Config& config, const Tokenizer& tokenizer, const Parameters& weights,
                 const SpecialTokens* special = nullptr);

// One safetensors file, and back to the host in the layout and type of others.
void save_weights(const std::string& path, const Parameters& weights);
Parameters load_weights(const std::string& path, const Parameters& layout);

// optimizer.safetensors: the moments under the names of what is learnt, and the counters.
void save_optimizer(const std::string& folder, const std::vector<NamedTensor>& layout, const AdamW& optimizer,
                    std::uint64_t version);
// Returns the version.
std::uint64_t load_optimizer(const std::string& folder, const std::vector<NamedTensor>& layout, AdamW& optimizer);

}  // namespace hone::lm
