// parts/policy.hpp: one instance of a policy part, in C++ terms. Entered by one thread at a time (hone/part.h).
// PartFailed, PartBroken and Error(input) come out of every call (parts/handle.hpp).
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>
#include "parts/budget.hpp"
#include "parts/handle.hpp"

namespace hone {

struct Message {
    std::string role, text;  // role "" or "plain": a ready-rendered piece, see hone_message
    bool operator==(const Message&) const = default;
};

// Throws Error(input) with the nearest role unless it is one of hone_message.
void check_role(const std::string& place, const std::string& role);

struct Sampling {  // how answers are drawn, and where they end
    double temperature = 1, top_p = 1, min_p = 0;
    std::int32_t top_k = 0, max_tokens = 1024;
    std::vector<std::string> stop;  // texts in front of which an answer ends
};

struct SampleRequest {
    std::uint64_t tag = 0;
    std::vector<Message> messages;
    std::uint32_t group = 1;  // answers wanted; they share one prefill
    std::uint64_t seed = 0;   // answer i draws from a stream seeded seed + i
    Sampling sampling;
};

struct Answer {
    std::uint64_t tag = 0;
    std::uint32_t member = 0;  // 0 .. group-1 of its request
    std::string finish;        // "stop", "length", "refusal", "error" (text of these two: the reason)
    std::string text;          // valid UTF-8: other bytes are replaced
    std::vector<std::int32_t> prompt_ids, ids;
    std::vector<float> logp;    // of the distribution sampled; empty: not told
    std::uint64_t version = 0;  // updates behind the weights
    std::string model;          // that answered, as a provider tells it
    double tokens_in = 0, tokens_cached = 0, tokens_out = 0, usd = 0;
    std::int32_t fault = HONE_FAULT_UNKNOWN;  // of an "error"
    double retry_after = 0;                   // seconds; 0: not told
};

struct Sequences {  // end to end: token t of sequence i is ids[begin[i] + t]
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> begin{0};
    std::size_t size() const { return begin.size() - 1; }
    void add(const std::vector<std::int32_t>& sequence);
};

struct Scores {
    std::vector<float> logp, entropy;  // [ids.size()], the first of each sequence 0
};

struct Update {  // one step of ascent on  sum_t weight * logp + entropy_weight * H
    double lr = 0, max_grad_norm = 0, weight_decay = 0;
    double temperature = 1;     // log-probabilities are of softmax(logits / temperature)
    std::vector<float> weight;  // [ids.size()], unless weigh is given
    // called once a sequence between its forward and its backward; fills weight and entropy_weight (zero at first)
    std::function<void(std::uint32_t i, std::span<const float> logp, std::span<const float> entropy,
                       std::span<float> weight, std::span<float> entropy_weight)>
        weigh;
};

struct Updated {
    double objective, grad_norm;
    std::int64_t tokens;
    bool applied;           // false: skipped, for instance because the gradient was not finite
    std::uint64_t version;  // number of updates behind the weights now
};

class Policy {
public:
    explicit Policy(const Recipe& recipe)
        : handle_(recipe), learning_(handle_.extension<hone_learning>(HONE_EXT_LEARNING)) {}
    const Recipe& recipe() const { return handle_.recipe(); }
    bool trainable() const { return learning_ != nullptr; }
    void pay_from(Budget& budget);  // which outlives it
    Json facts() const;
    std::string waits() const;  // any thread, also while it samples: what requests wait for, in the part's words
    // Answers arrive in any order through give, each that was asked for once: another one is told to people, and left
    // out. pause is called between decode steps. Both run on the caller's thread.
    // What either throws ends the call and is thrown again here. Where pause threw, answers to what the part has taken
    // still come. piece (may be empty): text as it comes, from parts that stream.
    using OnPiece = std::function<void(std::uint64_t tag, std::uint32_t member, const std::string& text)>;
    // As hone_feed.take: 1, and the next request; 0: none came within wait_ms; -1: there are no more. Tags differ.
    using Source = std::function<std::int32_t(std::int32_t wait_ms, SampleRequest& next)>;
    void sample(const Source&, const std::function<void(Answer)>& give, const std::function<void()>& pause,
                const OnPiece& piece = {});
    void sample(const std::vector<SampleRequest>&, const std::function<void(Answer)>& give,
                const std::function<void()>& pause, const OnPiece& piece = {});
    void encode(const std::vector<Message>&, bool open, std::vector<std::int32_t>& ids,
                std::vector<std::int32_t>& sources);
    Scores score(const Sequences&, bool frozen, double temperature);
    Updated learn(const Sequences&, const Update&);
    void save(const std::string& folder, bool resume);  // an absent or empty folder; written beside it and renamed
    void load(const std::string& folder, bool resume);
    void idle(bool quiet);  // nothing where the part does not offer it
    Json adapt(const std::vector<std::string>& texts);

private:
    const hone_policy& functions() const { return *static_cast<const hone_policy*>(handle_.part().functions); }
    const hone_learning& learning(const char* function) const;  // throws Error(input) where the policy is frozen
    Handle handle_;
    const hone_learning* learning_;
    Budget* budget_ = nullptr;  // null: nobody counts
};

}  // namespace hone
