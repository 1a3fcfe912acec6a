/* hone/ext/learning.h: policies whose weights learn. A policy without it is frozen and knows text only. Every function
 * but adapt is required. Log-probabilities are natural logarithms of softmax(logits / temperature), computed in fp32.
 * */
#ifndef HONE_EXT_LEARNING_H
#define HONE_EXT_LEARNING_H
#include "hone/policy.h"
#define HONE_EXT_LEARNING "hone.policy.learning/1"

#ifdef __cplusplus
extern "C" {
#endif

/* n sequences end to end: token t of sequence i is ids[begin[i] + t]. */
typedef struct hone_batch {
    const int32_t* ids;   /* [begin[n]] */
    const int64_t* begin; /* [n + 1] */
    uint32_t n;
    double temperature;
} hone_batch;

/* One optimiser update: ascends sum_t (weight * logp + entropy_weight * H). Sums: no mean is taken inside. */
typedef struct hone_step {
    double lr, max_grad_norm, weight_decay; /* 0: the gradient is not cut to a norm; decoupled, as in AdamW */
    const float *weight, *entropy_weight;   /* [begin[n]]; entropy_weight may be null */
    void* ctx;
    /* Null, or called once a sequence with this forward's values, before its backward; weight is then unused. It fills
     * weight and entropy_weight of the sequence's tokens, as many as logp and entropy have; with NaN where the update
     * must not be applied: a script failed, or the run was interrupted. */
    void (*weigh)(void* ctx, uint32_t i, const float* logp, const float* entropy, float* weight, float* entropy_weight);
} hone_step;

typedef struct hone_stepped {
    double objective, grad_norm; /* of this forward; before clipping */
    int64_t tokens;              /* with a weight that is not 0; the first of a sequence has none */
    int32_t applied;             /* 0: the gradient was not finite, the weights are as before */
    uint64_t version;            /* number of updates behind the weights now */
} hone_stepped;

typedef struct hone_learning {
    uint32_t size;

    /* The tokens of a conversation of n messages. open 1: it ends ready for the answer. put is called in order; source:
     * of each token the number of its message, -1 for the template's own. */
    hone_rc (*encode)(void* self, const hone_message* messages, uint32_t n, int32_t open, void* ctx,
                      void (*put)(void* ctx, const int32_t* ids, const int32_t* source, uint32_t n));

    /* Log-probability and entropy of each token: logp and entropy have begin[n] elements, the first of a sequence is 0;
     * entropy may be null. frozen 1: by the weights as first loaded (of LoRA: the base). */
    hone_rc (*score)(void* self, const hone_batch* batch, int32_t frozen, float* logp, float* entropy);

    /* One update of the weights; see hone_step. REFUSED where memory for it is missing. */
    hone_rc (*learn)(void* self, const hone_batch* batch, const hone_step* step, hone_stepped* out);

    /* Into an empty folder, which the host renames when all is written. resume 1: also optimiser, counters and random
     * state, so that a run goes on as if it had not stopped. */
    hone_rc (*save)(void* self, const char* folder, int32_t resume);
    /* What save wrote, of the same model; resume as there. The weights are as before where it fails. */
    hone_rc (*load)(void* self, const char* folder, int32_t resume);

    /* Optional. Before the first learn: fits what no gradient teaches (a tokenizer's vocabulary) to n texts. REFUSED
     * once weights have been learnt. */
    hone_rc (*adapt)(void* self, const hone_text* texts, uint32_t n, hone_out* out);
} hone_learning;

#ifdef __cplusplus
}
#endif
#endif
