// hone/policy.hpp: the base class of a policy. Override what you need and write `override` behind each function: a name
// or a signature that is not one of these is then a compile error. A function that is left out is not offered; a policy
// that learns overrides encode, score, learn, save and load together. hone/policy.h and hone/ext/learning.h have the
// structures.
//
// One thread at a time calls the functions of one policy. All run on the script's thread, but sample of a policy whose
// fact "device" is "remote": that runs on a thread of its own, beside other policies.
#pragma once
#include <functional>
#include "hone/plugin.hpp"

namespace hone {

class PolicyPart {
public:
    // ids of n tokens; source: of each the number of its message, -1 for the template's own.
    using Put = std::function<void(const int32_t* ids, const int32_t* source, uint32_t n)>;
    virtual ~PolicyPart() = default;

    // Answers requests until feed.take says that there are no more, each answer as soon as it ends.
    virtual void sample(const hone_feed& feed) = 0;

    // The tokens of a conversation. open: it ends ready for the answer.
    virtual void encode(const hone_message* messages, uint32_t n, bool open, const Put& put) {
        (void)messages, (void)n, (void)open, (void)put;
    }
    // Log-probability and entropy of each token (begin[n] of each, the first of a sequence 0; entropy may be null).
    // frozen: by the weights as first loaded.
    virtual void score(const hone_batch& batch, bool frozen, float* logp, float* entropy) {
        (void)batch, (void)frozen, (void)logp, (void)entropy;
    }
    // One optimiser update.
    virtual hone_stepped learn(const hone_batch& batch, const hone_step& step) {
        return (void)batch, (void)step, hone_stepped{};
    }
    // Into an empty folder, which the host renames. resume: optimiser, counters and random state too.
    virtual void save(const std::string& folder, bool resume) { (void)folder, (void)resume; }
    virtual void load(const std::string& folder, bool resume) { (void)folder, (void)resume; }
    // Before the first learn: fits what is not learnt by gradient (a vocabulary) to the corpus.
    virtual void adapt(const hone_text* texts, uint32_t n, Out out) { (void)texts, (void)n, (void)out; }
    // quiet: finish, and keep off device and cores while the judge times.
    virtual void idle(bool quiet) { (void)quiet; }
    // For the record: context length, device ("remote": elsewhere), dtype, model. "speaks" ("chat" or "compact")
    // decides what the stages preset; "asks.model" and its like say who answers: see hone/policy.h.
    virtual void facts(Out out) { (void)out; }

    // Optional, for `hone models` (hone/ext/models.h). Without an instance; ask: each source whether it answers.
    using OnSource = std::function<void(const hone_model_source&)>;
    //     static void list_models(hone::Host host, bool ask, const OnSource& tell);
};

}  // namespace hone
