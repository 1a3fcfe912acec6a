// A GGUF file as a model: its metadata, tokenizer and tensors (policies/torch_lm/format/gguf).
#include <algorithm>
#include "hone/plugin.hpp"
#include "property.hpp"
#include "torch_lm/format/gguf/model.hpp"

namespace {

constexpr std::size_t most = 1 << 16;  // numbers of a tensor that is read

void read(const hone::lm::WeightSource& weights, const std::string& name, const hone::lm::Extents& shape) {
    std::size_t numbers = 1;
    for (const std::int64_t extent : shape) numbers *= std::min<std::size_t>(static_cast<std::size_t>(extent), most);
    if (numbers > most || !weights.has(name)) return;
    std::vector<float> to(numbers);
    std::vector<std::uint16_t> narrow(numbers);
    try {
        weights.read(name, shape, std::span(to));
        weights.read(name, shape, std::span(narrow));
    } catch (const hone::Refused&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    try {
        const auto model = hone::lm::gguf::read_model(hone::fuzz::view(bytes, size), "file", nullptr);
        const hone::lm::Config& c = model.config;
        read(*model.weights, "model.embed_tokens.weight", {c.vocabulary, c.width});
        read(*model.weights, "model.norm.weight", {c.width});
        read(*model.weights, "model.layers.0.self_attn.q_proj.weight", {c.q_width(), c.width});
        read(*model.weights, "model.layers.0.self_attn.k_proj.weight", {c.kv_width(), c.width});
        read(*model.weights, "model.layers.0.mlp.down_proj.weight", {c.width, c.mlp_width});
    } catch (const hone::Refused&) {
    }
    return 0;
}
