#include "torch_lm/format/checkpoint.hpp"
#include <set>
#include "hone/plugin.hpp"
#include "torch_lm/format/files.hpp"
#include "torch_lm/format/model_files.hpp"
#include "torch_lm/format/safetensors.hpp"
#include "torch_lm/model/tensors.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm {
namespace {

// As PyTorch's optimizer state calls them; `master` is ours.
template <class Optimizer> auto states_of(Optimizer& of) {
    std::vector<std::pair<const char*, decltype(&of.first)>> states = {{"exp_avg", &of.first},
                                                                       {"exp_avg_sq", &of.second}};
    if (of.master.defined()) states.emplace_back("master", &of.master);
    return states;
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

// A part of a flat tensor on the host, as a file stores it.
template <class T> std::span<const T> part(const at::Tensor& flat, const NamedTensor& of) {
    return {static_cast<const T*>(flat.const_data_ptr()) + of.offset, of.size};
}

void read_weights(const WeightSource& source, Parameters& weights) {
    const at::Tensor& values = weights.values;
    for (const NamedTensor& of : weights.tensors)
        if (values.scalar_type() == at::kFloat) source.read(of.name, of.shape, weights.of(of));
        else
            source.read(of.name, of.shape,
                        std::span(static_cast<std::uint16_t*>(values.mutable_data_ptr()) + of.offset, of.size));
}

constexpr const char* head = "lm_head.weight";

// Of a tied model some folders hold the embedding once more.
bool is_embedding(const WeightSource& source, const Parameters& weights) {
    const auto embedding = std::ranges::find(weights.tensors, "model.embed_tokens.weight", &NamedTensor::name);
    if (embedding == weights.tensors.end()) return false;
    const auto same = [&]<class T>(T) {
        std::vector<T> numbers(embedding->size);
        source.read(head, embedding->shape, std::span(numbers));
        return std::ranges::equal(numbers, part<T>(weights.values, *embedding));
    };
    return weights.values.scalar_type() == at::kFloat ? same(0.0f) : same(std::uint16_t{0});
}

void check_head(const WeightSource& source, const Parameters& weights, const std::string& path) {
    if (!is_embedding(source, weights))
        throw Refused(path + ": \"" + head +
                      "\" is another matrix than the embedding, and config.json says "
                      "\"tie_word_embeddings\": true; write false there, or leave the matrix out");
}

void check_all_used(const WeightSource& source, const Parameters& weights, const std::string& path) {
    std::set<std::string> used;
    for (const NamedTensor& of : weights.tensors) used.insert(of.name);
    if (!used.contains(head) && source.has(head)) {
        check_head(source, weights, path);
        used.insert(head);
    }
    const std::vector<std::string> more = source.beside(used);
    if (!more.empty())
        throw Refused(path + ": holds \"" + first_words(more[0]) + "\"" +
                      (more.size() > 1 ? " and " + std::to_string(more.size() - 1) + " more tensors" : "") +
                      ", which the model that config.json describes does not use: the two belong to different models");
}

Refused missing(const std::string& path) {
    return Refused(path + ": is missing; the folder was saved without what a resumed run needs");
}

}  // namespace

Checkpoint load_model(const std::string& path, bool bfloat16) {
    ModelFiles files = open_model(path);
    Tokenizer tokenizer(files.tokenizer_json, files.tokenizer_place);
    check_tokens(files.config, tokenizer, path);
    Parameters weights(files.config, {.bfloat16 = bfloat16});
    read_weights(*files.weights, weights);
    check_all_used(*files.weights, weights, path);
    return {files.config, std::move(tokenizer), std::move(files.chat_template), std::move(weights)};
}

void save_folder(const std::string& folder, const Config& config, const Tokenizer& tokenizer, const Parameters& weights,
                 const SpecialTokens* special) {
    save_weights(folder + "/model.safetensors", weights);
    auto about_model = write_config(config);
    if (weights.values.scalar_type() == at::kBFloat16) about_model["torch_dtype"] = "bfloat16";
    write_file(folder + "/config.json", about_model.dump(2) + "\n");
    write_file(folder + "/generation_config.json", write_generation_config(config).dump(2) + "\n");
    write_file(folder + "/tokenizer.json", tokenizer.file());
    nlohmann::ordered_json about = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                                    {"model_max_length", config.context},
                                    {"clean_up_tokenization_spaces", false}};
    if (special) {
        for (const auto& [name, spelling] : *special) about[name] = spelling;
    } else {
        if (!config.eos.empty()) about["eos_token"] = token_text(tokenizer, config.eos[0]);
        if (config.pad >= 0) about["pad_token"] = token_text(tokenizer, config.pad);
        if (config.bos >= 0) about["bos_token"] = token_text(tokenizer, config.bos);
    }
    write_file(folder + "/tokenizer_config.json", about.dump(2) + "\n");
}

void save_weights(const std::string& path, const Parameters& weights) {
    const at::Tensor values = weights.values.cpu();
    const bool wide = values.scalar_type() == at::kFloat;
    std::vector<TensorToStore> tensors;
    for (const NamedTensor& of : weights.tensors) {
        auto& tensor = tensors.emplace_back(TensorToStore{of.name, of.shape, part<float>(values, of)});
        if (!wide) tensor.values = part<std::uint16_t>(values, of);
    }
    write_safetensors(path, tensors, {{"format", "pt"}});
}

Parameters load_weights(const std::string& path, const Parameters& layout) {
    if (!file_exists(path)) throw missing(path);
    const SafeTensors file(path);
    Parameters weights = layout.on({.bfloat16 = layout.values.scalar_type() == at::kBFloat16});
    read_weights(file, weights);
    return weights;
}

void save_optimizer(const std::string& folder, const std::vector<NamedTensor>& layout, const AdamW& optimizer,
                    std::uint64_t version) {
    std::vector<TensorToStore> tensors;
    std::vector<at::Tensor> here;
    for (const auto& [name, state] : states_of(optimizer)) {
        const at::Tensor& values = here.emplace_back(state->cpu());
        for (const NamedTensor& of : layout)
            tensors.push_back({of.name + "." + name, of.shape, part<float>(values, of)});
    }
    write_safetensors(folder + "/optimizer.safetensors", tensors,
                      {{"steps", std::to_string(optimizer.steps)}, {"version", std::to_string(version)}});
}

std::uint64_t load_optimizer(const std::string& folder, const std::vector<NamedTensor>& layout, AdamW& optimizer) {
    const std::string path = folder + "/optimizer.safetensors";
    if (!file_exists(path)) throw missing(path);
    const SafeTensors file(path);
    for (const auto& [name, state] : states_of(optimizer)) {
        std::vector<float> values(static_cast<std::size_t>(state->numel()));
        for (const NamedTensor& of : layout)
            file.read(of.name + "." + name, of.shape, std::span(values).subspan(of.offset, of.size));
        state->copy_(view_of(values.data(), {state->numel()}));
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
