#include "torch_lm/format/gguf/weights.hpp"
#include <charconv>
#include "hone/plugin.hpp"

namespace hone::lm::gguf {
namespace {

enum class Use { always, biased, normed };  // by Config's qkv_bias, qk_norm

struct Name {
    const char *gguf, *hugging_face;
    Use use = Use::always;
};
constexpr Name model_names[] = {{"token_embd.weight", "model.embed_tokens.weight"},
                                {"output_norm.weight", "model.norm.weight"},
                                {"output.weight", "lm_head.weight"}};
constexpr Name layer_names[] = {{"attn_norm.weight", "input_layernorm.weight"},
                                {"attn_q.weight", "self_attn.q_proj.weight"},
                                {"attn_k.weight", "self_attn.k_proj.weight"},
                                {"attn_v.weight", "self_attn.v_proj.weight"},
                                {"attn_q.bias", "self_attn.q_proj.bias", Use::biased},
                                {"attn_k.bias", "self_attn.k_proj.bias", Use::biased},
                                {"attn_v.bias", "self_attn.v_proj.bias", Use::biased},
                                {"attn_q_norm.weight", "self_attn.q_norm.weight", Use::normed},
                                {"attn_k_norm.weight", "self_attn.k_norm.weight", Use::normed},
                                {"attn_output.weight", "self_attn.o_proj.weight"},
                                {"ffn_norm.weight", "post_attention_layernorm.weight"},
                                {"ffn_gate.weight", "mlp.gate_proj.weight"},
                                {"ffn_up.weight", "mlp.up_proj.weight"},
                                {"ffn_down.weight", "mlp.down_proj.weight"}};

bool is_used(const Name& name, const Config& c) {
    return name.use == Use::always || (name.use == Use::biased ? c.qkv_bias : c.qk_norm);
}

// "blk.12.attn_q.weight" in Hugging Face's words; empty: the architecture has no such tensor.
std::string translated(std::string_view gguf, const Config& config) {
    for (const Name& name : model_names)
        if (gguf == name.gguf) return name.hugging_face;
    if (!gguf.starts_with("blk.")) return "";
    gguf.remove_prefix(4);
    std::int64_t layer = -1;
    const auto [end, error] = std::from_chars(gguf.data(), gguf.data() + gguf.size(), layer);
    const std::string number(gguf.data(), end);
    if (error != std::errc() || layer < 0 || layer >= config.layers || number != std::to_string(layer)) return "";
    for (const Name& name : layer_names)
        if (gguf == number + "." + name.gguf && is_used(name, config))
            return "model.layers." + number + "." + name.hugging_face;
    return "";
}

// Files of these architectures hold the rows of q and k with the two numbers of a rotary pair side by side; Hugging
// Face's have half a head between them.
bool is_interleaved(const Config& config, const std::string& name) {
    return (config.family == "llama" || config.family == "mistral") &&
           (name.ends_with("q_proj.weight") || name.ends_with("k_proj.weight"));
}

std::size_t interleaved_row(std::size_t row, std::size_t head_width) {
    const std::size_t half = head_width / 2, head = row / head_width * head_width, in_head = row % head_width;
    return head + in_head % half * 2 + in_head / half;
}

}  // namespace

Weights::Weights(File file, const Config& config, std::shared_ptr<const MappedFile> keep)
    : keep_(std::move(keep)), place_(file.metadata.place()) {
    for (auto& [gguf_name, tensor] : file.tensors) {
        if (gguf_name == "rope_freqs.weight") continue;  // of the Config
        const std::string name = translated(gguf_name, config);
        if (name.empty())
            throw Refused(place_ + ": tensor \"" + gguf_name + "\" has no place in a model of " +
                          std::to_string(config.layers) + " layers of the architecture " + config.family);
        if (is_interleaved(config, name)) {
            if (tensor.shape.size() != 2 || tensor.shape[0] % config.head_width != 0)
                throw Refused(place_ + ": tensor \"" + gguf_name + "\" has the shape " + text_of(tensor.shape) +
                              ", which is not of whole heads of width " + std::to_string(config.head_width));
            tensor.permutation = [width = static_cast<std::size_t>(config.head_width)](std::size_t row) {
                return interleaved_row(row, width);
            };
        }
        tensors_.emplace(name, std::move(tensor));
    }
}

template <class To> void Weights::read_into(const std::string& name, const Extents& shape, std::span<To> to) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) throw Refused(place_ + ": has no tensor \"" + name + "\"");
    decode(found->second, shape, to, place_ + ": tensor \"" + name + "\"");
}

void Weights::read(const std::string& name, const Extents& shape, std::span<float> to) const {
    read_into(name, shape, to);
}

void Weights::read(const std::string& name, const Extents& shape, std::span<std::uint16_t> bf16_bits) const {
    read_into(name, shape, bf16_bits);
}

}  // namespace hone::lm::gguf
