// policy.torch-lm: a Llama-architecture language model that samples, scores and learns in this process, by LibTorch on
// the CPU or a GPU.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include "hone/plugin.hpp"
#include "hone/task_line.hpp"
#include "torch_lm/engine.hpp"
#include "torch_lm/format/model_files.hpp"
#include "torch_lm/model/parallel.hpp"
#include "torch_lm/model/place.hpp"
#include "torch_lm/text/answer_streams.hpp"

namespace hone::lm {
namespace {

Checkpoint tiny_model(const std::vector<std::string>& texts, std::size_t vocabulary, std::uint64_t seed) {
    Tokenizer tokenizer = Tokenizer::train(texts, vocabulary);
    Config config;
    config.vocabulary = static_cast<std::int64_t>(tokenizer.size());
    config.eos = {tokenizer.id("<|end|>")};
    config.pad = tokenizer.id("<|pad|>");
    Parameters weights(config);
    initialize(weights, config, seed);
    return {config, std::move(tokenizer), {}, std::move(weights)};
}

// A hash by which another checkpoint is known: of some hundred weights of each matrix, of a vector (a norm, a bias) of
// all. Fine-tuning changes nearly every weight of what it changes.
std::uint64_t hash_of(const Parameters& weights) {
    constexpr std::size_t looks = 1 << 9;
    const std::size_t bytes = weights.values.element_size();
    const char* at = static_cast<const char*>(weights.values.const_data_ptr());
    std::uint64_t hash = fnv1a(std::to_string(weights.size()));
    for (const NamedTensor& of : weights.tensors) {
        const std::size_t step = of.shape.size() < 2 ? 1 : std::max<std::size_t>(1, of.size / looks);
        for (std::size_t i = 0; i < of.size; i += step) hash = fnv1a({at + (of.offset + i) * bytes, bytes}, hash);
    }
    return hash;
}

// Of all beside the weights that answers depend on, as it was read: what a file says of other things does not count.
std::uint64_t hash_of_files(const Engine& engine, std::uint64_t hash) {
    hash = fnv1a(write_config(engine.config()).dump(), hash);
    hash = fnv1a(engine.tokenizer().file(), hash);
    const auto& chat = engine.chat().chat;
    if (!chat) return hash;
    hash = fnv1a(chat->text(), hash);
    for (const auto& [name, spelling] : chat->special_tokens()) hash = fnv1a(name + "=" + spelling + "\n", hash);
    return hash;
}

std::string hex(std::uint64_t hash) {
    char text[24];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

class TorchLm : public PolicyPart {
public:
    TorchLm(Host host, Doc given)
        : host_(host),
          source_(given.text("model")),
          template_(given.text("template")),
          seed_(static_cast<std::uint64_t>(given.num("seed"))),
          batch_(given.integer("batch")),
          device_(given.text("device")),
          place_(place_of(device_)),
          bfloat16_(given.text("dtype") == "bfloat16"),
          rank_(given.integer("lora")),
          alpha_(given.num("lora_alpha")),
          threads_(use_threads(static_cast<int>(given.integer("threads")))),
          vocabulary_(static_cast<std::size_t>(given.integer("vocabulary"))) {
        if (source_ == "tiny" && rank_ > 0)
            throw Refused("policy.torch-lm: lora = " + std::to_string(rank_) +
                          " changes a model that has learnt; the tiny one learns all its weights: leave lora out");
        if (alpha_ > 0 && rank_ == 0)
            throw Refused(
                "policy.torch-lm: lora_alpha scales an adapter, and without lora there is none: give lora, "
                "its rank, or leave lora_alpha out");
        Checkpoint first =
            source_ == "tiny" ? tiny_model({}, vocabulary_, seed_) : load_model(find_model(source_), bfloat16_);
        const std::uint64_t weights = source_ == "tiny" ? fnv1a("") : hash_of(first.weights);  // tiny: by its seed
        engine_ = made(std::move(first));
        content_ = hex(hash_of_files(*engine_, weights));
    }

    void sample(const hone_feed& feed) override;
    void encode(const hone_message* messages, std::uint32_t n, bool open, const Put& put) override {
        const Rendered rendered = engine_->render({messages, n}, open);
        put(rendered.ids.data(), rendered.source.data(), static_cast<std::uint32_t>(rendered.ids.size()));
    }
    void score(const hone_batch& batch, bool frozen, float* logp, float* entropy) override {
        engine_->score(batch, frozen, logp, entropy);
    }
    hone_stepped learn(const hone_batch& batch, const hone_step& step) override { return engine_->learn(batch, step); }
    void save(const std::string& folder, bool resume) override { engine_->save(folder, resume); }
    void load(const std::string& folder, bool resume) override;
    void idle(bool quiet) override {  // on the host nothing runs between calls: OpenMP's workers sleep
        if (quiet) finish(place_);
    }
    static void list_models(Host, bool, const OnSource& tell) {
        const std::string folder = models_folder();
        const std::vector<std::string> fetched = fetched_models();
        std::vector<hone_text> names = {borrow("tiny")};
        for (const std::string& name : fetched) names.push_back(borrow(name));
        tell({sizeof(hone_model_source),
              {},
              borrow(folder),
              {},
              -1,
              {},
              names.data(),
              static_cast<std::uint32_t>(names.size())});
    }

    void facts(Out out) override;
    void adapt(const hone_text* texts, std::uint32_t n, Out out) override;

    static constexpr hone_option options[] = {
        {"model", "path", "tiny", nullptr,
         "folder of a Hugging Face model, a .gguf file, smollm2 (./dev model smollm2 fetches it), or tiny: 0.9 million "
         "parameters from random weights"},
        {"template", "text", "", nullptr,
         "how messages are written: chatml, deepseek, llama2, llama3, mistral, qwen3, none, or the path of a .jinja "
         "file; empty: as the folder says, else chatml where the vocabulary has its tokens"},
        {"vocabulary", "int", "512", "276..65536",
         "most tokens that policy:adapt gives the tiny model; folders keep theirs"},
        {"seed", "int", "0", "0..9007199254740992", "of the random weights"},
        {"threads", "int", "0", "0..1024", "0: every core that the process may use"},
        {"device", "text", "cpu", nullptr, "cpu, or cuda or cuda:N: a GPU by its number"},
        {"dtype", "choice", "float32", "float32|bfloat16",
         "of weights, and on a GPU of activations; the optimiser's are float32 either way. The tiny model is float32"},
        {"lora", "int", "0", "0..4096",
         "rank of an adapter that is learnt instead of the weights; 0: all weights are learnt"},
        {"lora_alpha", "num", "0", "0..1000000", "the adapter is scaled by lora_alpha / lora; 0: twice the rank"},
        {"batch", "int", "256", "1..65536", "answers sampled at once; each keeps its keys and values in memory"},
        {}};

private:
    std::unique_ptr<Engine> made(Checkpoint checkpoint) const;
    std::unique_ptr<SampleRequest> read(const hone_request& request, const hone_feed& feed);
    void give(const SampledAnswer& answer, const hone_feed& feed) const;
    void give_error(std::uint64_t tag, std::uint32_t member, const std::string& reason, int32_t fault,
                    const hone_feed& feed) const;
    void give_errors(const hone_request& request, const std::string& reason, int32_t fault,
                     const hone_feed& feed) const;  // to its whole group
    Host host_;
    std::string source_, template_;
    std::uint64_t seed_;
    std::int64_t batch_;
    std::string device_;
    Place place_;  // found before the first call of LibTorch
    bool bfloat16_;
    std::int64_t rank_;
    double alpha_;
    int threads_;
    std::size_t vocabulary_;
    std::string content_;     // of weights, tokenizer, template and config as first loaded
    bool is_loaded_ = false;  // by load: the weights are no longer those that the options name
    std::unique_ptr<Engine> engine_;
};

std::unique_ptr<Engine> TorchLm::made(Checkpoint checkpoint) const {
    const double alpha = alpha_ > 0 ? alpha_ : 2 * static_cast<double>(rank_);
    return std::make_unique<Engine>(std::move(checkpoint),
                                    EngineOptions{template_, source_, place_, threads_, batch_, rank_, alpha, seed_});
}

void TorchLm::sample(const hone_feed& feed) {
    bool done = false;
    const auto ended = [&] {  // asked between decode steps
        if (host_.stop()) throw Failed("sampling was stopped");
        return done;
    };
    const auto take = [&](bool may_wait) -> std::unique_ptr<SampleRequest> {
        hone_request request{};
        request.size = sizeof request;
        const std::int32_t got = feed.take(feed.ctx, may_wait ? 50 : 0, &request);
        done = got < 0;
        return got > 0 ? read(request, feed) : nullptr;
    };
    AnswerStreams::Tell tell;
    if (feed.delta)
        tell = [&](std::uint64_t tag, std::uint32_t member, const std::string& piece) {
            feed.delta(feed.ctx, tag, member, borrow(piece));
        };
    AnswerStreams streams(engine_->tokenizer(), tell);
    const auto give_whole = [&](const SampledAnswer& answer) {
        streams.end(answer.request.tag, answer.member);
        give(answer, feed);
    };
    const auto drawn = [&](const SampleRequest& of, std::uint32_t member, std::int32_t id) {
        return streams.push(of.tag, member, id, of.stop);
    };
    engine_->sampler().run(engine_->weights(), {take, ended, give_whole, drawn});
}

// Null, with an error given for each member, where the chat template refuses the messages or the prompt does not fit.
std::unique_ptr<SampleRequest> TorchLm::read(const hone_request& from, const hone_feed& feed) {
    Rendered prompt;
    try {
        prompt = engine_->render({from.messages, from.n}, true);
    } catch (const Refused& refusal) {
        return give_errors(from, refusal.what(), HONE_FAULT_REQUEST, feed), nullptr;
    }
    std::vector<std::string> stop;
    for (std::uint32_t i = 0; i < from.n_stop; ++i) stop.push_back(text(from.stop[i]));
    const auto length = static_cast<std::int64_t>(prompt.ids.size());
    constexpr double coldest = 1e-6;  // below, logits over it are no float32; the likeliest token is drawn all the same
    const double temperature = from.temperature < coldest ? 0 : from.temperature;
    if (length > 0 && length < engine_->config().context && from.max_tokens > 0)
        return std::make_unique<SampleRequest>(SampleRequest{from.tag,
                                                             from.seed,
                                                             std::move(prompt.ids),
                                                             from.group,
                                                             {temperature, from.top_p, from.min_p, from.top_k},
                                                             from.max_tokens,
                                                             std::move(stop)});
    const std::string reason = "the prompt has " + std::to_string(length) + " tokens and asks for " +
                               std::to_string(from.max_tokens) + " more; the model's context is " +
                               std::to_string(engine_->config().context);
    const bool fits = length < engine_->config().context;
    return give_errors(from, reason, fits ? HONE_FAULT_REQUEST : HONE_FAULT_CONTEXT, feed), nullptr;
}

void TorchLm::give_error(std::uint64_t tag, std::uint32_t member, const std::string& reason, int32_t fault,
                         const hone_feed& feed) const {
    hone_answer answer{};
    answer.size = sizeof answer;
    answer.tag = tag;
    answer.member = member;
    answer.finish = HONE_ERROR;
    answer.text = borrow(reason);
    answer.version = engine_->version();
    answer.fault = fault;
    feed.give(feed.ctx, &answer);
}

void TorchLm::give_errors(const hone_request& from, const std::string& reason, int32_t fault,
                          const hone_feed& feed) const {
    for (std::uint32_t member = 0; member < from.group; ++member) give_error(from.tag, member, reason, fault, feed);
}

void TorchLm::give(const SampledAnswer& from, const hone_feed& feed) const {
    if (!std::all_of(from.logp.begin(), from.logp.end(), [](float one) { return std::isfinite(one); }))
        return give_error(from.request.tag, from.member,
                          "the model's logits are no finite numbers: weights are NaN or infinite; load another "
                          "checkpoint, or learn from one before with a smaller learning rate",
                          HONE_FAULT_SERVER, feed);
    std::string text = engine_->tokenizer().decode(from.ids.data(), from.ids.size());
    text.resize(std::min(text.size(), first_of(from.request.stop, text)));
    hone_answer answer{};
    answer.size = sizeof answer;
    answer.tag = from.request.tag;
    answer.member = from.member;
    answer.finish = from.stopped ? HONE_STOP : HONE_LENGTH;
    answer.text = borrow(text);
    answer.prompt_ids = from.request.prompt.data();
    answer.n_prompt = static_cast<std::uint32_t>(from.request.prompt.size());
    answer.ids = from.ids.data();
    answer.n = static_cast<std::uint32_t>(from.ids.size());
    answer.logp = from.logp.data();
    answer.version = engine_->version();
    answer.tokens_in = answer.n_prompt;
    answer.tokens_out = answer.n;
    feed.give(feed.ctx, &answer);
}

void TorchLm::load(const std::string& folder, bool resume) {
    auto next = made(load_model(folder, engine_->place().bfloat16));
    if (resume) next->resume(folder);
    else next->follow(*engine_, folder);
    engine_ = std::move(next);
    is_loaded_ = true;
}

void TorchLm::facts(Out out) {
    const Config& c = engine_->config();
    out.text("model", source_);
    out.num("parameters", static_cast<double>(engine_->weights().size()));
    out.num("vocabulary", static_cast<double>(c.vocabulary));
    out.num("context", static_cast<double>(c.context));
    out.num("version", static_cast<double>(engine_->version()));
    out.num("threads", threads_);
    out.text("device", device_name(place_));
    if (rank_ > 0) out.num("lora", static_cast<double>(rank_));
    out.text("dtype", engine_->place().bfloat16 ? "bfloat16" : "float32");
    // by name and content: a folder may be moved
    out.text("asks.model", std::filesystem::path(source_ + "/").parent_path().filename().string());
    if (source_ == "tiny") out.num("asks.seed", static_cast<double>(seed_));
    out.text("asks.content", content_);
    const auto known = [this](const char* token) { return engine_->tokenizer().id(token) >= 0; };
    out.text("speaks", known("<|task|>") && known("<|code|>") ? "compact" : "chat");
    out.text("template", engine_->chat().name);
}

void TorchLm::adapt(const hone_text* texts, std::uint32_t n, Out out) {
    if (engine_->version() > 0)
        throw Refused("torch-lm: the vocabulary cannot change any more: " + std::to_string(engine_->version()) +
                      " updates have been learnt with it; run:sft { adapt = false } goes on with it");
    const bool is_own = source_ == "tiny" && !is_loaded_;  // a folder keeps its vocabulary, which its weights belong to
    if (is_own) {
        std::vector<std::string> corpus;
        for (std::uint32_t i = 0; i < n; ++i) corpus.push_back(text(texts[i]));
        engine_ = made(tiny_model(corpus, vocabulary_, seed_));
    }
    out.num("vocabulary", static_cast<double>(engine_->config().vocabulary));
    out.text("tokenizer", is_own ? "trained" : "kept");
}

}  // namespace
}  // namespace hone::lm

HONE_POLICY(hone::lm::TorchLm, "torch-lm", "1.0",
            "a local Llama-architecture model: samples, scores and learns on the CPU or a GPU")
