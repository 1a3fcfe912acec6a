#include "torch_lm/format/checkpoint.hpp"
#include <algorithm>
#include <memory>
#include <set>
#include "hone/plugin.hpp"
#include "torch_lm/format/files.hpp"
#include "torch_lm/format/safetensors.hpp"

namespace hone::lm {
namespace {

constexpr const char* moments[] = {"exp_avg", "exp_avg_sq"};  // as PyTorch's optimizer state calls them

// One file, or the shards that model.safetensors.index.json lists.
class WeightFiles {
public:
    explicit WeightFiles(const std::string& folder) {
        const std::string index = folder + "/model.safetensors.index.json";
        if (!file_exists(index)) open(folder, "model.safetensors");
        else open_listed(folder, index);
    }
    void read(const NamedTensor& tensor, std::span<float> to) const {
        for (const auto& file : files_)
            if (file->has(tensor.name)) return file->read(tensor.name, tensor.shape, to);
        files_.front()->tensor(tensor.name);  // throws: there is none
    }

private:
    void open(const std::string& folder, const std::string& name) {
        files_.push_back(std::make_unique<SafeTensors>(folder + "/" + name));
    }
    void open_listed(const std::string& folder, const std::string& index) {
        const auto json = read_json(index);
        if (!json.contains("weight_map") || !json["weight_map"].is_object())
            throw Refused(index + ": has no \"weight_map\"");
        if (json["weight_map"].empty()) throw Refused(index + ": lists no tensors");
        std::set<std::string> names;
        for (const auto& [tensor, name] : json["weight_map"].items())
            names.insert(name.is_string() ? name.get<std::string>() : "");
        for (const std::string& name : names) {
            if (name.empty() || name.find('/') != std::string::npos)
                throw Refused(index + ": \"" + name + "\" is not the name of a file beside it");
            open(folder, name);
        }
    }
    std::vector<std::unique_ptr<SafeTensors>> files_;
};

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
    const std::string config_path = folder + "/config.json", tokenizer_path = folder + "/tokenizer.json";
    if (!file_exists(config_path))
        throw Refused(
            folder +
            ": has no config.json; give the folder of a Hugging Face model, or \"tiny\" for one with random weights");
    Config config = read_config(read_json(config_path), config_path);
    const std::string generation = folder + "/generation_config.json";
    if (file_exists(generation)) read_generation_config(read_json(generation), generation, config);
    Tokenizer tokenizer(read_file(tokenizer_path), tokenizer_path);
    check_tokens(config, tokenizer, folder);
    Parameters weights(config);
    const WeightFiles files(folder);
    for (const NamedTensor& tensor : weights.tensors) files.read(tensor, weights.of(tensor));
    return {config, std::move(tokenizer), std::move(weights)};
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
