#include "torch_lm/engine.hpp"
#include <algorithm>
#include <filesystem>
#include <sstream>
#include "hone/plugin.hpp"
#include "torch_lm/format/adapter_files.hpp"
#include "torch_lm/format/files.hpp"
#include "torch_lm/learning/memory_plan.hpp"

namespace hone::lm {
namespace {

// A small model of the plain kind is faster by the kernels of host/ (docs/local-models.md).
Place place_for(const Checkpoint& of, const EngineOptions& options) {
    constexpr std::size_t small = 20'000'000;
    Place place = options.place;
    place.bfloat16 = of.weights.values.scalar_type() == at::kBFloat16;
    place.torch = place.gpu != on_host || place.bfloat16 || options.rank > 0 || !known_to_host(of.config) ||
                  of.weights.size() > small;
    return place;
}

// With the token that ends a turn among those at which sampling stops.
Config config_with_turns(Config config, Tokenizer& tokenizer, const ChosenTemplate& chosen) {
    const std::int32_t end = chosen.chat ? turn_end(tokenizer, *chosen.chat) : -1;
    if (end >= 0 && std::find(config.eos.begin(), config.eos.end(), end) == config.eos.end()) config.eos.push_back(end);
    return config;
}

std::optional<Adapter> fresh_adapter(const Model& model, const EngineOptions& options) {
    if (!options.rank) return {};
    Adapter adapter(model.config, options.rank, options.alpha, model.place);
    adapter.initialize(options.seed);
    return adapter;
}

std::string adapter_folder(const std::string& folder) { return folder + "/adapter"; }

std::string lora_words(std::int64_t rank, double alpha) {
    std::ostringstream text;
    text << "lora = " << rank;
    if (rank > 0) text << ", lora_alpha = " << alpha;
    return text.str();
}

// What was learnt counts alpha / rank: by other options the model would be another.
void check_adapter(const std::optional<Adapter>& stored, const EngineOptions& options, const std::string& folder) {
    const std::int64_t rank = stored ? stored->rank() : 0;
    const double alpha = stored ? stored->alpha() : options.alpha;
    if (rank == options.rank && alpha == options.alpha) return;
    throw Refused(folder + ": was learnt with " + lora_words(rank, alpha) + ", and the policy's options are " +
                  lora_words(options.rank, options.alpha) + "; give those of the folder, or begin another run");
}

}  // namespace

Engine::Engine(Checkpoint from, const EngineOptions& options)
    : options_(options),
      tokenizer_(std::move(from.tokenizer)),
      chosen_(choose_template(options.template_name, std::move(from.chat_template), tokenizer_)),
      model_{config_with_turns(from.config, tokenizer_, chosen_), place_for(from, options)},
      weights_(model_.place.gpu == on_host ? std::move(from.weights) : from.weights.on(model_.place)),
      base_(options.rank ? std::make_shared<const Parameters>(weights_) : nullptr),
      base_name_(options.source),
      frozen_(base_),
      adapter_(fresh_adapter(model_, options)),
      learner_(model_, options.threads),
      sampler_(model_, options.threads, options.batch) {}

Rendered Engine::render(std::span<const hone_message> messages, bool open) {
    const std::int32_t end = config().eos.empty() ? -1 : static_cast<std::int32_t>(config().eos[0]);
    return lm::render(tokenizer_, chosen_.chat ? &*chosen_.chat : nullptr, messages, open, end);
}

void Engine::score(const hone_batch& batch, bool frozen, float* logp, float* entropy) {
    learner_.score(frozen && frozen_ ? *frozen_ : weights_, batch, logp, entropy);
}

hone_stepped Engine::learn(const hone_batch& batch, const hone_step& step) {
    if (!learns_)
        check_memory(learning_memory(model_, options_.rank, learner_.threads()), free_memory(place()), model_,
                     options_.rank);
    learns_ = true;
    if (!frozen_) frozen_ = std::make_shared<const Parameters>(weights_);
    hone_stepped result = learner_.learn(trained(), batch, step);
    version_ += result.applied;
    result.version = version_;
    return result;
}

void Engine::save(const std::string& folder, bool resume) {
    save_folder(folder, config(), tokenizer_, weights_, chosen_.chat ? &chosen_.chat->special_tokens() : nullptr);
    if (chosen_.chat) write_file(folder + "/chat_template.jinja", chosen_.chat->text());
    if (adapter_) {
        std::filesystem::create_directories(adapter_folder(folder));
        save_adapter(adapter_folder(folder), *adapter_, base_name_);
    }
    if (!resume) return;
    save_optimizer(folder, learnt(), learner_.optimizer(trained()), version_);
    save_weights(folder + "/frozen.safetensors", frozen_ ? *frozen_ : weights_);
    if (adapter_ && base_ != frozen_) save_weights(folder + "/base.safetensors", *base_);
}

void Engine::resume(const std::string& folder) {
    const auto stored = [&](const char* name) {
        return std::make_shared<const Parameters>(load_weights(folder + name, weights_).on(place()));
    };
    auto adapter = load_adapter(adapter_folder(folder), config(), place());
    check_adapter(adapter, options_, folder);
    version_ = load_optimizer(folder, learnt(), learner_.optimizer(trained()));
    frozen_ = stored("/frozen.safetensors");
    if (!adapter_) return;
    base_ = file_exists(folder + "/base.safetensors") ? stored("/base.safetensors") : frozen_;
    adapter_ = std::move(adapter);
    base_name_ = base_of_adapter(adapter_folder(folder));
}

void Engine::follow(Engine& before, const std::string& folder) {
    base_name_ = std::filesystem::absolute(folder).string();
    if (weights_.size() != before.weights_.size() || tokenizer_.file() != before.tokenizer_.file()) return;
    frozen_ = before.frozen_ ? before.frozen_ : std::make_shared<const Parameters>(std::move(before.weights_));
}

}  // namespace hone::lm
