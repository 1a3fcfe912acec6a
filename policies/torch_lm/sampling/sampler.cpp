#include "torch_lm/sampling/sampler.hpp"
#include <algorithm>
#include <cmath>
#include "torch_lm/model/parallel.hpp"

namespace hone::lm {

struct Sampler::Running {  // a request whose prompt has been run; lives until its last answer is given
    Running(std::unique_ptr<SampleRequest> r, KvCache& cache) : request(std::move(r)), prompt(cache) {}
    std::unique_ptr<SampleRequest> request;
    KvCache::Stretch prompt;
    std::vector<float> logits;  // behind the prompt: every member's first token is drawn from them
};

struct Sampler::Answer {
    Answer(std::shared_ptr<Running> r, std::uint32_t m, KvCache& cache)
        : running(std::move(r)), member(m), cached(cache) {}
    std::shared_ptr<Running> running;
    std::uint32_t member;
    KvCache::Stretch cached;
    std::vector<std::int32_t> ids;
    std::vector<float> logp;
    bool stopped = false, ended = false;
    double uniform(std::int64_t ahead) const {  // for the token so many behind the next
        return token_uniform(running->request->seed, member, static_cast<std::uint32_t>(ids.size() + ahead));
    }
};

Sampler::Sampler(const Model& model, int threads, std::int64_t batch)
    : model_(model), batch_(batch), cache_(model.config, model.place) {
    for (int i = 0; i < workers(model.place, threads); ++i) decoders_.emplace_back(model);
}

Sampler::~Sampler() = default;

void Sampler::run(const Parameters& weights, const SamplerFeed& feed) {
    answers_.clear();
    waiting_.clear();
    while (!feed.done() || !answers_.empty() || !waiting_.empty()) {
        if (!feed.done()) admit(weights, feed);
        seat(feed);
        if (!answers_.empty()) step(weights, feed);
        leave(feed);
    }
}

void Sampler::admit(const Parameters& weights, const SamplerFeed& feed) {
    std::vector<std::shared_ptr<Running>> fresh;
    std::int64_t expected = static_cast<std::int64_t>(answers_.size() + waiting_.size());
    while (expected < batch_) {
        std::unique_ptr<SampleRequest> request = feed.take(expected == 0);
        if (!request) break;
        expected += request->group;
        fresh.push_back(std::make_shared<Running>(std::move(request), cache_));
        fresh.back()->prompt.grow(static_cast<std::int64_t>(fresh.back()->request->prompt.size()));
    }
    prefill(weights, fresh);
    std::vector<std::unique_ptr<Answer>> admitted;
    for (const auto& running : fresh)
        for (std::uint32_t member = 0; member < running->request->group; ++member)
            admitted.push_back(std::make_unique<Answer>(running, member, cache_));
    std::reverse(admitted.begin(), admitted.end());
    waiting_.insert(waiting_.begin(), std::make_move_iterator(admitted.begin()),
                    std::make_move_iterator(admitted.end()));
}

// On the host a prompt at a time and thread; elsewhere many in a pass.
void Sampler::prefill(const Parameters& weights, const std::vector<std::shared_ptr<Running>>& fresh) {
    std::vector<PromptRow> prompts;
    std::vector<std::int64_t> begin;  // of the passes
    std::int64_t tokens = 0;
    for (const auto& running : fresh) {
        const auto length = static_cast<std::int64_t>(running->request->prompt.size());
        tokens += length;
        if (begin.empty() || !model_.place.torch || tokens > pass_tokens(model_.place))
            begin.push_back(static_cast<std::int64_t>(prompts.size())), tokens = length;
        prompts.push_back({&running->request->prompt, &running->prompt, &running->logits});
    }
    const int slots = std::min<int>(static_cast<int>(decoders_.size()), static_cast<int>(begin.size()));
    begin.push_back(static_cast<std::int64_t>(prompts.size()));
    on_threads(slots, [&](int slot) {
        for (std::size_t p = slot; p + 1 < begin.size(); p += slots)
            decoders_[slot].prefill(weights, &prompts[begin[p]], begin[p + 1] - begin[p], cache_);
    });
}

void Sampler::seat(const SamplerFeed& feed) {
    std::vector<float> scratch;
    while (!waiting_.empty() && static_cast<std::int64_t>(answers_.size()) < batch_) {
        answers_.push_back(std::move(waiting_.back()));
        waiting_.pop_back();
        Answer& answer = *answers_.back();
        const Running& of = *answer.running;
        append(answer,
               draw_token(of.logits.data(), model_.config.vocabulary, of.request->rule, answer.uniform(0), scratch),
               feed);
    }
    leave(feed);
}

void Sampler::append(Answer& answer, const TokenDraw& drawn, const SamplerFeed& feed) const {
    const SampleRequest& request = *answer.running->request;
    answer.ids.push_back(drawn.id);
    answer.logp.push_back(drawn.logp);
    const auto& eos = model_.config.eos;
    const auto length = static_cast<std::int64_t>(answer.ids.size());
    const bool told = feed.drawn && feed.drawn(request, answer.member, drawn.id);
    answer.stopped = told || std::find(eos.begin(), eos.end(), drawn.id) != eos.end();
    answer.ended = answer.stopped || length >= request.max_tokens || !std::isfinite(drawn.logp) ||
                   static_cast<std::int64_t>(request.prompt.size()) + length >= model_.config.context;
}

void Sampler::step(const Parameters& weights, const SamplerFeed& feed) {
    const std::int64_t ahead = drawn_at_once(model_.place);
    std::vector<DecodeRow> rows;
    std::vector<double> uniforms(answers_.size() * static_cast<std::size_t>(ahead));
    for (const auto& answer : answers_) {
        const auto behind = static_cast<std::int64_t>(answer->ids.size());
        answer->cached.grow(behind - answer->cached.tokens());
        answer->cached.make_room(behind + ahead - 1);
        double* own = &uniforms[rows.size() * static_cast<std::size_t>(ahead)];
        for (std::int64_t s = 0; s < ahead; ++s) own[s] = answer->uniform(s);
        const auto position = static_cast<std::int32_t>(answer->running->request->prompt.size() + behind - 1);
        rows.push_back({answer->ids.back(), position, &answer->running->prompt, &answer->cached,
                        answer->running->request->rule, own});
    }
    const auto n = static_cast<std::int64_t>(rows.size());
    std::vector<TokenDraw> drawn(uniforms.size());
    const auto slots = static_cast<int>(std::min<std::int64_t>(static_cast<std::int64_t>(decoders_.size()), n));
    on_threads(slots, [&](int slot) {
        const std::int64_t first = n * slot / slots, count = n * (slot + 1) / slots - first;
        decoders_[slot].step(weights, &rows[first], count, cache_, &drawn[first * ahead]);
    });
    for (std::int64_t r = 0; r < n; ++r)
        for (std::int64_t s = 0; s < ahead && !answers_[r]->ended; ++s)
            append(*answers_[r], drawn[r * ahead + s], feed);
}

void Sampler::leave(const SamplerFeed& feed) {
    for (auto& answer : answers_)
        if (answer->ended) {
            feed.give({*answer->running->request, answer->member, std::move(answer->ids), std::move(answer->logp),
                       answer->stopped});
            answer.reset();
        }
    std::erase(answers_, nullptr);
}

}  // namespace hone::lm
