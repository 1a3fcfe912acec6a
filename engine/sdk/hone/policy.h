/* hone/policy.h: what writes candidates: a language model behind an API, a local one, a file of recorded answers.
 * Interface "hone.policy/1", in the engine; threads: hone/part.h. A policy that learns offers hone/ext/learning.h. */
#ifndef HONE_POLICY_H
#define HONE_POLICY_H
#include "hone/part.h"

#ifdef __cplusplus
extern "C" {
#endif

/* role "system", "user", "assistant"; "": ready-rendered text, in which special tokens are read; "plain":
 * ready-rendered text, in which they are not. */
typedef struct hone_message {
    hone_text role, text;
} hone_message;

typedef struct hone_request {
    uint32_t size;
    uint64_t tag;                 /* comes back with each answer */
    const hone_message* messages; /* [n] the policy applies its own chat template; valid until the tag's last answer */
    uint32_t n, group;            /* group: how many answers; they share one prompt */
    uint64_t seed; /* answer i draws from a stream seeded seed + i, whatever else runs: any can be asked alone */
    double temperature;
    double top_p, min_p; /* top_p 1, min_p 0: not asked for. Who does not offer what is asked for refuses */
    int32_t top_k;       /* 0: not asked for */
    int32_t max_tokens;
    uint32_t n_stop;
    const hone_text* stop; /* [n_stop] an answer ends in front of the first of these texts, with HONE_STOP; its ids may
                              go on to the text's end. Valid as long as messages */
} hone_request;

/* REFUSAL: the model declined, or a provider's filter stopped it. ERROR: no answer came. Neither is ever scored. */
enum { HONE_STOP = 0, HONE_LENGTH = 1, HONE_REFUSAL = 2, HONE_ERROR = 3 };

/* Why no answer came (HONE_ERROR), for a server that passes it on. REQUEST: what was asked for is wrong. CONTEXT: the
 * prompt leaves no room in the model's context. LIMIT: a limit of requests or tokens. BUSY: overloaded. TIME: nothing
 * came in time. SERVER: any other fault of who was asked, or of the way there. */
enum {
    HONE_FAULT_UNKNOWN = 0,
    HONE_FAULT_REQUEST = 1,
    HONE_FAULT_CONTEXT = 2,
    HONE_FAULT_LIMIT = 3,
    HONE_FAULT_BUSY = 4,
    HONE_FAULT_TIME = 5,
    HONE_FAULT_SERVER = 6
};

typedef struct hone_answer {
    uint32_t size;
    uint64_t tag;
    uint32_t member;                 /* 0 .. group-1, in any order */
    int32_t finish;                  /* HONE_STOP ... HONE_ERROR */
    hone_text text;                  /* HONE_REFUSAL, HONE_ERROR: the reason */
    const int32_t *prompt_ids, *ids; /* [n_prompt], [n]; null if the provider gives none. Scripts train on these, never
                                        on text encoded again */
    uint32_t n_prompt, n;
    const float* logp; /* [n] of the distribution that was sampled; may be null */
    uint64_t version;  /* number of updates behind the weights that were used */
    /* Each 0 or above; 0 where it is not known. */
    double tokens_in, tokens_cached, tokens_out, usd;
    hone_text model;    /* that answered, as a provider tells it; may be empty */
    int32_t fault;      /* HONE_FAULT_UNKNOWN ... HONE_FAULT_SERVER */
    double retry_after; /* seconds after which it may be asked again, as a provider tells it; 0: it does not */
} hone_answer;

/* The engine's side of one sample call; called on the thread that called sample. */
typedef struct hone_feed {
    void* ctx;
    /* 1: out is a request; 0: none now, after at most wait_ms milliseconds; -1: no more. Ask between decode steps. */
    int32_t (*take)(void* ctx, int32_t wait_ms, hone_request* out);
    /* One answer, as soon as it ends: judging starts while others still run. Copies. A second one of a member, and one
     * that was not asked for, are left out. */
    void (*give)(void* ctx, const hone_answer* answer);
    /* A piece of an answer's text. Null if nobody streams. */
    void (*delta)(void* ctx, uint64_t tag, uint32_t member, hone_text piece);
} hone_feed;

typedef struct hone_policy {
    uint32_t size;

    /* Answers requests. Returns when take said -1 and every answer was given. A request that failed is an answer with
     * HONE_ERROR, not an error of the call. Who spends money reserves the most that a request can cost before it is
     * sent, and settles when its price is known (host->reserve, host->settle). FAILED there: it waits, and asks again
     * later. REFUSED: nothing more is sent, the answers under way are given, and sample returns REFUSED. Who never
     * settles is counted by the usd of its answers. */
    hone_rc (*sample)(void* self, const hone_feed* feed);

    /* Optional. quiet 1: finishes and keeps off device and cores while the judge times; 0: goes on. */
    hone_rc (*idle)(void* self, int32_t quiet);

    /* Optional. For the record: "context" (tokens), "device" ("remote": elsewhere), "dtype", "model", ...
     * "speaks" decides which prompt, max_tokens and learning rate the stages preset: "chat" (roles, answers between
     * fences), or "compact" (the vocabulary has the marks of prompt.compact; an answer is a program, nothing else).
     * "lora", the rank of an adapter that learns instead of the weights: above 0 the learning rate is ten times as
     * high. max_tokens is preset to no more than half of "context".
     * Facts "asks.NAME" say who answers: "asks.model", "asks.base_url", "asks.content" (a hash of what it answers
     * from), ... A run is resumed only where they are as they were, so that one operation never holds the answers of
     * two models; `hone show` and `hone report` tell them. They are asked for once, and hold no secret.
     * Fact "notes" says, a line each, what was asked or answered otherwise than the script says, such as a field that a
     * provider does not take: an event of the journal, and in the report. */
    hone_rc (*facts)(void* self, hone_out* out);
} hone_policy;

#ifdef __cplusplus
}
#endif
#endif
