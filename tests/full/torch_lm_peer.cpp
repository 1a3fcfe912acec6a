// The torch-lm side of torch_lm_peer.py: one JSON request a line on stdin, one JSON answer a line on stdout.
//     {"train": [TEXT...], "size": N}                  -> text of a tokenizer.json
//     {"tokenizer": PATH, "texts": [...], "specials": B} -> ids of each text
//     {"random": FOLDER, "seed": N}                    -> writes a small model with random weights as a Hugging Face
//     folder
//     {"model": FOLDER, "ids": [...]}                  -> log-probability of each token
#include <iostream>
#include "torch_lm/format/checkpoint.hpp"
#include "torch_lm/format/files.hpp"
#include "torch_lm/learning/learner.hpp"

namespace {

using namespace hone::lm;
using nlohmann::json;

json encode(const json& ask) {
    Tokenizer tokenizer(read_file(ask["tokenizer"]), ask["tokenizer"]);
    json ids = json::array();
    for (const auto& text : ask["texts"]) ids.push_back(tokenizer.encode(text.get<std::string>(), ask["specials"]));
    return ids;
}

json write_random(const json& ask) {
    Config config;
    config.vocabulary = 300, config.width = 48, config.layers = 3, config.heads = 6, config.kv_heads = 2,
    config.head_width = 10, config.mlp_width = 72;
    config.rope_theta = 500, config.norm_epsilon = 1e-3, config.init_deviation = 0.3, config.tied = false,
    config.eos = {2};
    Parameters weights(config);
    initialize(weights, config, ask["seed"]);
    for (const NamedTensor& tensor : weights.tensors)
        for (std::size_t i = 0; tensor.shape.size() == 1 && i < tensor.size; ++i)
            weights.of(tensor)[i] = 0.5f + static_cast<float>(i % 7) / 5;
    save_folder(ask["random"], config, Tokenizer::train({}, 276), weights);
    return true;
}

json score(const json& ask) {
    Checkpoint checkpoint = load_model(ask["model"]);
    const auto ids = ask["ids"].get<std::vector<std::int32_t>>();
    const std::int64_t begin[] = {0, static_cast<std::int64_t>(ids.size())};
    std::vector<float> logp(ids.size());
    Learner({checkpoint.config}, 1).score(checkpoint.weights, {ids.data(), begin, 1, 1.0}, logp.data(), nullptr);
    return logp;
}

json answer(const json& ask) {
    if (ask.contains("train")) return Tokenizer::train(ask["train"], ask["size"]).file();
    if (ask.contains("tokenizer")) return encode(ask);
    if (ask.contains("random")) return write_random(ask);
    return score(ask);
}

}  // namespace

int main() {
    for (std::string line; std::getline(std::cin, line);) std::cout << answer(json::parse(line)) << std::endl;
}
