// checkpoint.hpp: a model as a Hugging Face folder, which transformers and vLLM load, and what a run needs beside it to
// go on.
#pragma once
#include <cstdint>
#include <string>
#include "torch_lm/format/config.hpp"
#include "torch_lm/format/parameters.hpp"
#include "torch_lm/learning/adamw.hpp"
#include "torch_lm/text/tokenizer.hpp"

namespace hone::lm {

struct Checkpoint {
    Config config;
    Tokenizer tokenizer;
    Parameters weights;
};

// Throws Refused, naming the file, the cause and the cure.
Checkpoint load_folder(const std::string& folder);
// config.json, generation_config.json, model.safetensors, tokenizer.json, tokenizer_config.json into an existing
// folder.
void save_folder(const std::string& folder, const Config& config, const Tokenizer& tokenizer,
                 const Parameters& weights);

// frozen.safetensors: the weights as first loaded, in the layout of the present ones.
void save_frozen(const std::string& folder, const Parameters& weights);
Parameters load_frozen(const std::string& folder, const Parameters& layout);

// optimizer.safetensors: the moments under the weights' names, and the counters.
void save_optimizer(const std::string& folder, const Parameters& layout, const AdamW& optimizer, std::uint64_t version);
// Returns the version.
std::uint64_t load_optimizer(const std::string& folder, const Parameters& layout, AdamW& optimizer);

}  // namespace hone::lm
