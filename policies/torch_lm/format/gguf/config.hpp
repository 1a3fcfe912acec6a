// config.hpp: a GGUF file's metadata as a Config.
#pragma once
#include "torch_lm/format/config.hpp"
#include "torch_lm/format/gguf/file.hpp"

namespace hone::lm::gguf {

// Architectures llama (Mistral's older files say llama, too), mistral, qwen2 and qwen3. Throws Refused for others, for
// what would change the computation and is not implemented, and for impossible numbers.
Config config_of(const File& file);

}  // namespace hone::lm::gguf
