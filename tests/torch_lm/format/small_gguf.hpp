// small_gguf.hpp: a whole GGUF model of each architecture, of numbers that say where they are.
#pragma once
#include "format/gguf_writer.hpp"
#include "torch_lm/text/byte_alphabet.hpp"

namespace hone::lm::test {

constexpr std::uint64_t width = 8, heads = 2, kv_heads = 1, head_width = 4, mlp_width = 6, layers = 2;

// 256 bytes, then "he", "llo", <|im_end|> (control), <tool> (user defined), a place that is not used.
inline void put_byte_level(GgufWriter& writer, const std::string& pre) {
    std::vector<std::string> tokens;
    for (int byte = 0; byte < 256; ++byte) tokens.push_back(spell_bytes(std::string(1, static_cast<char>(byte))));
    std::vector<std::int32_t> types(256, 1);
    for (const char* token : {"he", "ll", "llo", "<|im_end|>", "<tool>", "[PAD261]"}) tokens.push_back(token);
    for (const int type : {1, 1, 1, 3, 4, 5}) types.push_back(type);
    writer.text("tokenizer.ggml.model", "gpt2");
    writer.text("tokenizer.ggml.pre", pre);
    writer.texts("tokenizer.ggml.tokens", tokens);
    writer.wholes("tokenizer.ggml.token_type", types);
    writer.texts("tokenizer.ggml.merges", {"h e", "l l", "ll o"});
    writer.whole("tokenizer.ggml.eos_token_id", 259);
}

inline std::vector<float> count_from(float first, std::size_t n) {
    std::vector<float> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(first + static_cast<float>(i));
    return values;
}

inline void put_layer(GgufWriter& writer, const std::string& architecture, std::uint64_t layer) {
    const std::string of = "blk." + std::to_string(layer) + ".";
    const auto put = [&](const std::string& name, std::vector<std::uint64_t> shape) {
        std::size_t size = 1;
        for (const std::uint64_t extent : shape) size *= extent;
        writer.floats(of + name, std::move(shape), count_from(static_cast<float>(layer * 1000), size));
    };
    put("attn_norm.weight", {width});
    put("attn_q.weight", {heads * head_width, width});
    put("attn_k.weight", {kv_heads * head_width, width});
    put("attn_v.weight", {kv_heads * head_width, width});
    put("attn_output.weight", {width, heads * head_width});
    put("ffn_norm.weight", {width});
    put("ffn_gate.weight", {mlp_width, width});
    put("ffn_up.weight", {mlp_width, width});
    put("ffn_down.weight", {width, mlp_width});
    if (architecture == "qwen2") {
        put("attn_q.bias", {heads * head_width});
        put("attn_k.bias", {kv_heads * head_width});
        put("attn_v.bias", {kv_heads * head_width});
    }
    if (architecture == "qwen3") {
        put("attn_q_norm.weight", {head_width});
        put("attn_k_norm.weight", {head_width});
    }
}

inline GgufWriter small_gguf(const std::string& architecture) {
    GgufWriter writer;
    const auto key = [&](const char* name) { return architecture + "." + name; };
    writer.text("general.architecture", architecture);
    writer.whole(key("block_count"), layers);
    writer.whole(key("context_length"), 64);
    writer.whole(key("embedding_length"), width);
    writer.whole(key("feed_forward_length"), mlp_width);
    writer.whole(key("attention.head_count"), heads);
    writer.whole(key("attention.head_count_kv"), kv_heads);
    writer.number(key("attention.layer_norm_rms_epsilon"), 1e-5f);
    writer.number(key("rope.freq_base"), 5e5f);
    put_byte_level(writer, "gpt-2");
    writer.floats("token_embd.weight", {262, width}, count_from(0, 262 * width));
    for (std::uint64_t layer = 0; layer < layers; ++layer) put_layer(writer, architecture, layer);
    writer.floats("output_norm.weight", {width}, count_from(1, width));
    return writer;
}

}  // namespace hone::lm::test
