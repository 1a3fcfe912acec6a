// The torch-lm side of transformers_models.py: one JSON request a line on stdin, one JSON answer a line on stdout.
//     {"open": PATH, "torch": B, "bfloat16": B}  loads a model; the requests below are about the last one
//     {"encode": TEXT}                           -> ids
//     {"logits": [ids], "to": FILE}              writes float32 [ids][vocabulary]
//     {"greedy": [[ids]...], "tokens": N}        -> the most likely continuation of each
//     {"learn": [[ids]...], "steps": N, "lr": X, "rank": N} -> the objective of each update, a mean log-probability of
//     the tokens; rank: of a new adapter that learns instead of the weights
//     {"save": FOLDER}                           {"save_adapter": FOLDER, "base": PATH}
#include <iostream>
#include <memory>
#include <optional>
#include "torch_lm/format/adapter_files.hpp"
#include "torch_lm/format/checkpoint.hpp"
#include "torch_lm/format/files.hpp"
#include "torch_lm/learning/learner.hpp"
#include "torch_lm/model/parallel.hpp"
#include "torch_lm/sampling/sampler.hpp"

namespace {

using namespace hone::lm;
using nlohmann::json;
using Ids = std::vector<std::int32_t>;

struct Opened {
    Checkpoint checkpoint;
    Model model;
    std::optional<Parameters> base = {};
    std::optional<Adapter> adapter = {};
};
std::unique_ptr<Opened> opened;

json open(const json& ask) {
    const bool narrow = ask.value("bfloat16", false);
    Checkpoint checkpoint = load_model(ask["open"], narrow);
    const Model model{checkpoint.config, {.torch = ask.value("torch", true), .bfloat16 = narrow}};
    opened = std::make_unique<Opened>(Opened{std::move(checkpoint), model});
    return model.config.vocabulary;
}

json logits(const json& ask) {
    const auto ids = ask["logits"].get<Ids>();
    Packed packed;
    packed.add(ids.data(), static_cast<std::int64_t>(ids.size()));
    std::vector<std::int64_t> rows(ids.size());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i);
    std::vector<float> values(ids.size() * static_cast<std::size_t>(opened->model.config.vocabulary));
    on_threads(1, [&](int) {
        const auto network = make_network(opened->model);
        network->forward(opened->checkpoint.weights, packed, rows);
        network->logits(values.data());
    });
    write_file(ask["to"],
               std::string_view(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)));
    return true;
}

json greedy(const json& ask) {
    Model endless = opened->model;
    endless.config.eos.clear();
    Sampler sampler(endless, 1, 256);
    const auto prompts = ask["greedy"].get<std::vector<Ids>>();
    std::vector<Ids> answers(prompts.size());
    std::size_t next = 0;
    const auto take = [&](bool) -> std::unique_ptr<SampleRequest> {
        if (next == prompts.size()) return nullptr;
        const std::size_t i = next++;
        return std::make_unique<SampleRequest>(
            SampleRequest{i, 0, prompts[i], 1, {.temperature = 0}, ask["tokens"].get<std::int32_t>()});
    };
    sampler.run(opened->checkpoint.weights,
                {take,
                 [&] { return next == prompts.size(); },
                 [&](const SampledAnswer& answer) { answers[answer.request.tag] = answer.ids; },
                 {}});
    return answers;
}

Trained trained(std::int64_t rank) {
    Parameters& weights = opened->checkpoint.weights;
    if (!rank) return weights;
    opened->base.emplace(weights);
    opened->adapter.emplace(opened->model.config, rank, 2.0 * static_cast<double>(rank), opened->model.place);
    opened->adapter->initialize(1);
    return {weights, *opened->base, *opened->adapter};
}

json learn(const json& ask) {
    const Trained what = trained(ask.value("rank", 0));
    Learner learner(opened->model, 1);
    Ids ids;
    std::vector<std::int64_t> begin{0};
    for (const auto& sequence : ask["learn"].get<std::vector<Ids>>()) {
        ids.insert(ids.end(), sequence.begin(), sequence.end());
        begin.push_back(static_cast<std::int64_t>(ids.size()));
    }
    const std::size_t sequences = begin.size() - 1;
    const std::vector<float> weight(ids.size(), 1.0f / static_cast<float>(ids.size() - sequences));
    const hone_batch batch{ids.data(), begin.data(), static_cast<std::uint32_t>(sequences), 1.0};
    const hone_step step{.lr = ask["lr"], .max_grad_norm = 1, .weight = weight.data()};
    json objectives = json::array();
    for (int i = 0; i < ask["steps"]; ++i) objectives.push_back(learner.learn(what, batch, step).objective);
    return objectives;
}

json answer(const json& ask) {
    Checkpoint* c = opened ? &opened->checkpoint : nullptr;
    if (ask.contains("open")) return open(ask);
    if (ask.contains("encode")) return c->tokenizer.encode(ask["encode"].get<std::string>(), true);
    if (ask.contains("logits")) return logits(ask);
    if (ask.contains("greedy")) return greedy(ask);
    if (ask.contains("learn")) return learn(ask);
    if (ask.contains("save_adapter"))
        return save_adapter(ask["save_adapter"], *opened->adapter, ask["base"]), json(true);
    return save_folder(ask["save"], c->config, c->tokenizer, c->weights), json(true);
}

}  // namespace

int main() {
    use_threads(0);
    for (std::string line; std::getline(std::cin, line);) std::cout << answer(json::parse(line)) << std::endl;
}
