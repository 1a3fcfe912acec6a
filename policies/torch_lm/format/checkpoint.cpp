#include "torch_lm/format/checkpoint.hpp"
#include "hone/plugin.hpp"
#include "torch_lm/format/files.hpp"
#include "torch_lm/format/model_files.hpp"
#include "torch_lm/format/safetensors.hpp"

namespace hone::lm {
namespace {

constexpr const char* moments[] = {"exp_avg", "exp_avg_sq"};  // as PyTorch's optimizer state calls them

// Until the model does.
void refuse_what_is_not_computed(const Config& c, const std::string& place) {
    if (c.qkv_bias || c.qk_norm || c.rope_scaling.factor != 1)
        throw Refused(place + ": biases of q, k and v, norms of q and k, and RoPE scaling are not computed yet");
}

void check_tokens(const Config& c, const Tokenizer& tokenizer, const std::string& folder) {
    if (tokenizer.size() > static_cast<std::size_t>(c.vocabulary))
        throw Refused(folder + ": tokenizer.json has " + std::to_string(tokenizer.size()) + " tokens, config.json " +
                      std::to_string(c.vocabulary) + "; the two files do not belong together");
    for (const std::int64_t id : c.eos)
        if (id < 0 || id >= c.vocabulary)
            throw Refused(folder + ": the end token " + std::to_string(id) + " is outside the vocabulary");
}

std::string token_text(const Tokenizer& tokenizer, std::int64_t id) {
    const auto narrow = static_cast<std::int32_t>(id);
    return tokenizer.decode_bytes(&narrow, 1, true);
}

void save_weights(const std::string& path, const Parameters& weights) {
    std::vector<TensorToStore> tensors;
    const std::vector<float> values = weights.values.host();
    for (const NamedTensor& tensor : weights.tensors)
        tensors.push_back({tensor.name, tensor.shape, std::span(values).subspan(tensor.offset, tensor.size)});
    write_safetensors(path, tensors, {{"format", "pt"}});
}

Refused missing(const std::string& path) {
    return Refused(path + ": is missing; the folder was saved without what a resumed run needs");
}

}  // namespace

Checkpoint load_folder(const std::string& folder) {
    const ModelFiles files = open_model(folder);
    refuse_what_is_not_computed(files.config, folder);
    Tokenizer tokenizer(files.tokenizer_json, files.tokenizer_place);
    check_tokens(files.config, tokenizer, folder);
    Parameters weights(files.config);
    for (const NamedTensor& tensor : weights.tensors)
        files.weights->read(tensor.name, tensor.shape, weights.of(tensor));
    return {files.config, std::move(tokenizer), std::move(weights)};
}

void save_folder(const std::string& folder, const Config& config, const Tokenizer& tokenizer,
                 const Parameters& weights) {
    save_weights(folder + "/model.safetensors", weights);
    write_file(folder + "/config.json", write_config(config).dump(2) + "\n");
    write_file(folder + "/generation_config.json", write_generation_config(config).dump(2) + "\n");
    write_file(folder + "/tokenizer.json", tokenizer.file());
    nlohmann::ordered_json about = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                                    {"model_max_length", config.context},
                                    {"clean_up_tokenization_spaces", false}};
    if (!config.eos.empty()) about["eos_token"] = token_text(tokenizer, config.eos[0]);
    if (config.pad >= 0) about["pad_token"] = token_text(tokenizer, config.pad);
    if (config.bos >= 0) about["bos_token"] = token_text(tokenizer, config.bos);
    write_file(folder + "/tokenizer_config.json", about.dump(2) + "\n");
}

void save_frozen(const std::string& folder, const Parameters& weights) {
    save_weights(folder + "/frozen.safetensors", weights);
}

Parameters load_frozen(const std::string& folder, const Parameters& layout) {
    const std::string path = folder + "/frozen.safetensors";
    if (!file_exists(path)) throw missing(path);
    const SafeTensors file(path);
    Parameters weights = layout.on(on_host);
    for (const NamedTensor& tensor : layout.tensors) file.read(tensor.name, tensor.shape, weights.of(tensor));
    return weights;
}

void save_optimizer(const std::string& folder, const Parameters& layout, const AdamW& optimizer,
                    std::uint64_t version) {
    std::vector<TensorToStore> tensors;
    const std::vector<float> values[] = {optimizer.first.host(), optimizer.second.host()};
    for (const NamedTensor& tensor : layout.tensors)
        for (int m = 0; m < 2; ++m)
            tensors.push_back({tensor.name + "." + moments[m], tensor.shape,
                               std::span(values[m]).subspan(tensor.offset, tensor.size)});
    write_safetensors(folder + "/optimizer.safetensors", tensors,
                      {{"steps", std::to_string(optimizer.steps)}, {"version", std::to_string(version)}});
}

std::uint64_t load_optimizer(const std::string& folder, const Parameters& layout, AdamW& optimizer) {
    const std::string path = folder + "/optimizer.safetensors";
    if (!file_exists(path)) throw missing(path);
    const SafeTensors file(path);
    std::vector<float> values(layout.values.size());
    for (int m = 0; m < 2; ++m) {
        for (const NamedTensor& tensor : layout.tensors)
            file.read(tensor.name + "." + moments[m], tensor.shape,
                      std::span(values).subspan(tensor.offset, tensor.size));
        (m ? optimizer.second : optimizer.first).set(values);
    }
    const auto counter = [&](const char* key) {
        const auto found = file.metadata().find(key);
        if (found == file.metadata().end() || found->second.find_first_not_of("0123456789") != std::string::npos ||
            found->second.size() > 18 || found->second.empty())
            throw Refused(path + ": has no counter \"" + key + "\"");
        return std::stoull(found->second);
    };
    optimizer.steps = static_cast<std::int64_t>(counter("steps"));
    return counter("version");
}

}  // namespace hone::lm
