/* hone/abi.h: the whole boundary between hone and a part (C11, C++11 or later). Draft until 1.0 is released: see CHANGELOG.md.
 * PROCESSES  engine: policy, prompt, shaper, on the script's thread. bench (one a device, expendable): verifier, reference, timer,
 *            on one thread. A part reaches a bench as id + checked options + file hash; no pointer, no Lua closure travels.
 * THREADS    no object is ever entered by two threads. Threads of your own may call host->log and host->stop, nothing else.
 * OWNERSHIP  arguments are borrowed until the call returns (options and host: until destroy). Results go into the caller's memory
 *            or through a callback that copies at once. Nothing crosses to be freed. Libraries are never unloaded.
 * ERRORS     report with `return host->fail(host->ctx, code, text)`. A wrong kernel is a verdict, one failed request an answer.
 * GROWTH     structs begin with their size; a function that is null or past the end is not offered (that is the capability test).
 * UNITS      seconds, bytes, hertz, US dollars; natural logarithms; text is UTF-8 and not terminated. */
#ifndef HONE_ABI_H
#define HONE_ABI_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#define HONE_MAJOR 1
#define HONE_MINOR 0

typedef int32_t hone_rc;
enum { HONE_OK = 0,
       HONE_REFUSED = 1,     /* the call or an option was wrong: stop the script, blame its line */
       HONE_FAILED = 2,      /* this item only: recorded as unscorable, never as a bad score; the run goes on */
       HONE_BROKEN = 3 };    /* this object is of no further use: a bench is respawned, an engine part stops the run */

typedef struct hone_text { const char* at; size_t len; } hone_text;
typedef struct hone_doc hone_doc; /* opaque read-only tree: options, task, exemplar, judgement. Paths: "speedup.lower", "inputs.0.name" */
typedef struct hone_out {         /* a flat record that the part fills; unknown keys are kept and shown */
    void* ctx;
    void (*num)(void* ctx, const char* key, double value);
    void (*text)(void* ctx, const char* key, hone_text value);
} hone_out;
typedef struct hone_file { hone_text name, bytes; } hone_file;

struct hone_call;
typedef struct hone_region {      /* memory that a bench shares with jails */
    void* at;                     /* address in the bench; a jail sees the same bytes at another */
    uint64_t bytes;
    int32_t writable;             /* 0: a jail can only read (sealed: it cannot regain the right); 1: it may write */
    int32_t file;                 /* descriptor behind the memory, owned by the host */
} hone_region;
typedef struct hone_jail_plan {   /* what host->jail starts */
    uint32_t size;
    const char* runner;           /* program to run inside (path; descriptor 3 is its end of `tell`, a SOCK_SEQPACKET socket; it confines itself);
                                     null: the standard one, which loads library and calls symbol on the bell */
    hone_text library;            /* bytes of the shared library; never a path */
    const char* symbol;           /* void(const void* const* in, void* const* out, const int64_t* sizes): a thunk. Own runner: its argument */
    const hone_region* regions;
    uint32_t n_regions;
    int32_t threads;              /* team of the candidate, itself included; started before lockdown, none can be added */
    const char* const* keeps;     /* own runner: names of environment variables that stay, then null; null: none does */
} hone_jail_plan;
typedef struct hone_jail {        /* a confined process holding one untrusted candidate; ended by end() or with the bench */
    uint32_t size;
    void* ctx;
    hone_rc (*call)(void* ctx, const struct hone_call*); /* standard runner: ring the bell and return. The host maps tensor addresses */
    hone_rc (*wait)(void* ctx, double seconds, hone_out* end); /* own runner: does it live? Else until the bell rings back: "inside". FAILED: crashed, hung or
                                     broke a rule; end gets "verdict" and "reason", with REWARD_HACK also "kind" */
    hone_rc (*hold)(void* ctx, int32_t held);             /* 1: no thread of it runs; 0: it may at its next call, whose bell lets it go */
    hone_rc (*tell)(void* ctx, const void* bytes, uint64_t n, const int* files, uint32_t n_files, /* a verifier's own runner: send bytes */
                    void* reply, uint64_t room, uint64_t* got, double seconds, hone_out* end); /* and open files, await its answer */
    void (*end)(void* ctx);                               /* SIGKILL; never waits on a driver */
} hone_jail;

typedef struct hone_host {
    uint32_t size;
    void* ctx;
    hone_rc (*fail)(void* ctx, hone_rc code, const char* text);   /* returns code */
    void (*log)(void* ctx, int32_t level, const char* text);      /* [any thread] 0 debug .. 3 error */
    int32_t (*stop)(void* ctx);                                   /* [any thread] poll at least every 0.1 s in long calls */
    double (*num)(const hone_doc*, const char* path, double absent);
    hone_text (*text)(const hone_doc*, const char* path);         /* empty if absent; lives as long as the doc */
    int64_t (*count)(const hone_doc*, const char* path);          /* elements of a list or table, -1 if none */
    hone_rc (*spend)(void* ctx, double usd, int32_t settled);     /* [engine] reserve before sending, settle after; REFUSED at the cap */
    /* [bench, null elsewhere] argv[0], a compiler's path, runs without network, GPU or files but these and the folders of other absolute
     * paths. "@" before an argument: the private folder of files and product. out: "product" (bytes), "hash" (its SHA-256), "log", "seconds";
     * where it did not succeed also "verdict" (COMPILE_ERROR, TIMEOUT, OUT_OF_MEMORY) and "reason", and the call is still OK. */
    hone_rc (*build)(void* ctx, const char* const* argv, const hone_file* files, uint32_t n, const char* product, hone_out* out);
    hone_rc (*share)(void* ctx, uint64_t bytes, int32_t writable, hone_region* out);
    void (*unshare)(void* ctx, const hone_region*);
    hone_rc (*jail)(void* ctx, const hone_jail_plan* plan, hone_jail* out, hone_out* end); /* FAILED: end as in hone_jail.wait */
} hone_host;

typedef struct hone_option { const char *name, *kind, *preset, *allowed, *doc; } hone_option; /* kind: bool int num text choice path.
                                     preset: default as text. allowed: "a|b|c" for choice, "least..most" for int and num, or null */
typedef struct hone_part {        /* the library's one exported symbol, constant data: `const hone_part hone_part_entry` */
    uint32_t size;
    uint16_t major, minor;
    const char *interface_id;     /* "hone.timer/1" */
    const char *id, *version, *summary, *built_with;
    const hone_option* options;   /* ends with a null name; checked and defaulted by the host before create */
    hone_rc (*create)(const hone_host*, const hone_doc* options, void** self);
    void (*destroy)(void* self);
    const void* functions;        /* one of the structs below */
} hone_part;
extern __attribute__((visibility("default"))) const hone_part hone_part_entry; /* keeps -fvisibility=hidden plugins loadable */

/* ---- policy: hone.policy/1 [engine]. sample is required. No encode: text only. No learn: frozen. ------------------------------ */
typedef struct hone_message { hone_text role, text; } hone_message; /* role "": ready-rendered, special tokens are read; "plain": not */
typedef struct hone_request {
    uint32_t size;
    uint64_t tag;                 /* comes back with each answer */
    const hone_message* messages; /* the policy applies its own chat template; valid until the last answer of this tag is given */
    uint32_t n, group;            /* n messages; group answers share one prefill */
    uint64_t seed;                /* answer i draws from a stream seeded seed + i, whatever else runs: any of them can be asked for alone */
    double temperature, top_p;
    int32_t max_tokens;
    const hone_doc* extra;        /* provider fields, stop strings; may be null */
} hone_request;
enum { HONE_STOP = 0, HONE_LENGTH = 1, HONE_REFUSAL = 2, HONE_ERROR = 3 };
typedef struct hone_answer {
    uint32_t size;
    uint64_t tag;
    uint32_t member;              /* 0 .. group-1, in any order */
    int32_t finish;
    hone_text text;               /* HONE_ERROR: the reason */
    const int32_t *prompt_ids, *ids; /* null if the provider gives none; train on these, never on text encoded again */
    uint32_t n_prompt, n;
    const float* logp;            /* [n] of the distribution sampled, generator numerics; may be null */
    uint64_t version;             /* number of updates behind the weights used */
    double tokens_in, tokens_cached, tokens_out, usd;
} hone_answer;
typedef struct hone_feed {        /* the engine's side of one sample call; called on the thread that called sample */
    void* ctx;
    int32_t (*take)(void* ctx, int32_t wait_ms, hone_request* out); /* 1 got one, 0 none now, -1 no more. Ask between decode steps */
    void (*give)(void* ctx, const hone_answer*);                    /* as each answer ends: judging starts while others still run */
    void (*delta)(void* ctx, uint64_t tag, uint32_t member, hone_text piece); /* null if nobody streams */
} hone_feed;
typedef struct hone_batch {       /* n sequences end to end; token t of sequence i is ids[begin[i] + t] */
    const int32_t* ids;
    const int64_t* begin;         /* [n+1] */
    uint32_t n;
    double temperature;           /* log-probabilities are of softmax(logits / temperature), fp32 */
} hone_batch;
typedef struct hone_step {        /* one optimiser update: ascend  sum_t weight*logp + entropy_weight*H ; sums, no mean inside */
    double lr, max_grad_norm, weight_decay;
    const float *weight, *entropy_weight; /* [begin[n]]; entropy_weight may be null */
    void* ctx;                    /* if weigh: called once a sequence with this forward's values, before its backward; weight unused */
    void (*weigh)(void* ctx, uint32_t i, const float* logp, const float* entropy, float* weight, float* entropy_weight);
} hone_step;
typedef struct hone_stepped { double objective, grad_norm; int64_t tokens; int32_t applied; uint64_t version; } hone_stepped;
typedef struct hone_policy {
    uint32_t size;
    hone_rc (*sample)(void*, const hone_feed*);                   /* returns when take said -1 and all answers are given */
    hone_rc (*encode)(void*, const hone_message*, uint32_t n, int32_t open, void* ctx, /* open 1: end ready for the answer */
                      void (*put)(void* ctx, const int32_t* ids, const int32_t* source, uint32_t n)); /* source: message, -1 template */
    hone_rc (*score)(void*, const hone_batch*, int32_t frozen, float* logp, float* entropy); /* [begin[n]], first of each 0; frozen 1: */
    hone_rc (*learn)(void*, const hone_batch*, const hone_step*, hone_stepped*);             /* weights as first loaded (LoRA: base) */
    hone_rc (*save)(void*, const char* folder, int32_t resume);   /* empty folder; resume 1: also optimiser, counters, RNG. Host renames */
    hone_rc (*load)(void*, const char* folder, int32_t resume);
    hone_rc (*idle)(void*, int32_t quiet);                        /* 1: finish and keep off device and cores while the judge times */
    hone_rc (*facts)(void*, hone_out*);                           /* context length, device, dtype, model answered, ... */
    hone_rc (*adapt)(void*, const hone_text* texts, uint32_t n, hone_out*); /* optional, before the first learn: fit what is not learnt by
                                     gradient (a tokenizer's vocabulary) to the corpus; REFUSED once weights have been learnt */
} hone_policy;

/* ---- prompt: hone.prompt/1 [engine]. Answers are parsed by the engine, by the fences that the verifier's brief names. ---------- */
typedef struct hone_prompt {
    uint32_t size;
    hone_rc (*write)(void*, const hone_doc* task, const hone_doc* const* exemplars, uint32_t n, uint64_t seed,
                     void* ctx, void (*put)(void* ctx, hone_message)); /* task.brief is the verifier's; exemplars were drawn in Lua */
    hone_rc (*facts)(void*, hone_out*);                           /* "fenced" 0: the whole answer is the program, no fences expected */
} hone_prompt;

/* ---- verifier: hone.verifier/1 [bench]. How to build and launch on a device, and rules of its own; keys, poison, red zones and
 *      the comparison with truth are the judge's, so that no verifier can forget them. ------------------------------------------- */
/* the bench's own device context and queue; a candidate's code never runs in that context where the device can separate them */
typedef struct hone_device { uint32_t size; const char* kind; int32_t index; void *context, *queue; } hone_device;
enum { HONE_F64, HONE_F32, HONE_F16, HONE_BF16, HONE_I64, HONE_I32, HONE_I8, HONE_U8, HONE_BOOL };
typedef struct hone_tensor { uint64_t at; int32_t dtype, rank; const int64_t* shape; } hone_tensor; /* device address, dense, row-major */
typedef struct hone_call {        /* one call, prepared: inputs of a key never used before, outputs and scratch poisoned */
    uint32_t size;
    const hone_tensor *in, *out;
    uint32_t n_in, n_out;
    uint64_t scratch, scratch_bytes;
    const int64_t* sizes;         /* the shape's numbers, in the order of task.sizes */
    uint32_t n_sizes;
} hone_call;
typedef struct hone_verifier {
    uint32_t size;
    hone_rc (*brief)(void*, const hone_doc* task, hone_out*);     /* [engine too: no device, no bench services] "text" for the prompt,
                                     "fences" such as "cuda lua", "prototype", "tier" */
    hone_rc (*device)(void*, hone_device* out);                   /* context current, all work to queue. FAILED: none here, open only builds */
    hone_rc (*open)(void*, const hone_doc* task, const hone_doc* candidate, void** subject, hone_out* facts); /* build and load. A bad */
    void (*close)(void* subject);                                 /* candidate: OK, *subject null, facts "verdict", "reason", "log" */
    hone_rc (*launch)(void* subject, const hone_call*);           /* enqueue once, do not wait */
    hone_rc (*wait)(void* subject, double seconds, double* inside, hone_out* end); /* inside: see hone_run. FAILED: the candidate crashed,
                                     hung or broke a rule; end gets "verdict", "reason"; the subject is then closed */
    hone_rc (*hold)(void* subject, int32_t held);                 /* optional: 1: nothing of it runs; 0: its next launch may let it run */
    hone_rc (*reserve)(void*, uint64_t bytes, int32_t writable, uint64_t* at); /* the judge's arena; writable 0: the candidate may only
                                     read there (inputs), 1: outputs and scratch, 2: never mapped for it (truth). Before open */
    hone_rc (*release)(void*, uint64_t at);
    hone_rc (*write)(void*, uint64_t at, const void* from, uint64_t bytes);
    hone_rc (*read)(void*, uint64_t at, void* to, uint64_t bytes);
    hone_rc (*fill)(void*, const hone_tensor*, uint64_t key, uint32_t tensor, int32_t law, float scale, float shift); /* optional: element
                                     i of n is hone_input(key, tensor, i, n, {law, scale, shift}, half) of hone/inputs.h, bit for bit */
    hone_rc (*gather)(void*, const hone_tensor*, const int64_t* index, uint32_t n, double* to); /* optional: sampled reads */
    hone_rc (*check)(void* subject, const hone_call*, hone_out* verdict); /* optional: rules beyond the judge's own comparison of every
                                     output with truth, which always runs; may only add reasons to refuse ("verdict", "reason") */
    hone_rc (*facts)(void*, hone_out*);                           /* product, driver, memory, compiler and its version, ... */
    hone_rc (*set)(void*, uint64_t at, uint64_t bytes, uint32_t word); /* optional: repeat word over memory (poison), on the device */
    hone_rc (*empty)(void* subject);                              /* optional: as launch, by the same way, but without work; see hone_run */
    const struct hone_checks* checks;                             /* optional: looks at tensors on the device; hone/checks.h */
    hone_rc (*prepare)(void* subject, const hone_call*);          /* optional: what need not be timed of a launch at these addresses (recording
                                     a graph); nothing of the candidate's runs in it */
    hone_rc (*probe)(void*, void* ctx, hone_rc (*flush)(void* ctx), hone_out*); /* optional, once, before the first open, with the device to itself:
                                     tries out what its walls and the timer's flush rest on; for the record. "weak": what does not hold. flush
                                     may be null (the timer has none), touches nothing in particular and may only be queued */
    hone_rc (*recorded)(void* subject, double* seconds);          /* optional, after wait: the last call by a profiler in the candidate's own process, NaN:
                                     none. Shown, never scored: for programs that are trusted */
    hone_rc (*prepack)(void* subject, const hone_call*);          /* optional, as launch and waited for likewise: the program's own work on the inputs that
                                     the task declares constant, before each call of a subject whose "prepack_steps" (facts of open) are above 0.
                                     Nothing else is there then: other inputs and outputs hold no data yet. Not in the time, reported apart */
    const char* takes;                                            /* optional, constant JSON: which programs are this verifier's, and what suits them:
                                     {"fence": "cuda", "also": ["cu"] (other names of the language in answers), "files": [".cu"] (endings, the usual one first), "headers":
                                     [".cuh"], "comment": "// ", "suite": "gpu-basics" (of a bare task name), "timer": "cuda-events", "reference": "torch", "otherwise": true
                                     (programs of no known ending too), "careful": {..}, "zoo": {..} (options of the judge for one program, for the zoo)} */
} hone_verifier;

/* ---- reference: hone.reference/1 [bench]. Runs a task's own definition: baselines and float64 truth. torch and lua are ours ---- */
typedef struct hone_reference {
    uint32_t size;
    hone_rc (*open)(void*, const hone_device*, const hone_doc* task, const char* form, void** program); /* "eager" "graph" "compiled"
                                     "compiled graph" "float64" "float64 on device"; FAILED: no such form; what is compiled serves the timed shape alone. task.source is the Lua text, task.index which of its tasks */
    void (*close)(void* program);
    hone_rc (*launch)(void* program, const hone_call*);           /* as verifier.launch, finished on return where the device is the host;
                                     float64: the call's float tensors are F64, in host memory unless "on device" */
    hone_rc (*facts)(void*, hone_out*);                           /* library, version, threads */
    hone_rc (*empty)(void* program);                              /* optional: as launch, without work; see hone_run */
    hone_rc (*wait)(void* program);                               /* optional: until all launched is finished; null: it goes to device->queue */
    hone_rc (*inside)(void* program, double* seconds);            /* optional, after wait: seconds of the last call by the device's own events */
    hone_rc (*deliver)(void* program, const hone_call*);          /* optional, after wait: copies results that the last call left elsewhere into its
                                     outputs; for forms that choose where their results lie, as programs of torch do */
} hone_reference;

/* ---- timer: hone.timer/1 [bench]. Order of pairs, repetitions, statistics and truth are the judge's. --------------------------- */
typedef struct hone_run {         /* the only way to the code being measured */
    uint32_t size;
    void* ctx;
    uint32_t calls;               /* prepared, all different; 1 unless facts say "least_window" seconds */
    hone_rc (*launch)(void* ctx, uint32_t call); /* call i, each exactly once; returns when it is queued, perhaps in another process */
    hone_rc (*wait)(void* ctx, double* inside);  /* until all are finished; inside: seconds as the candidate's own process saw them (for
                                     instance CUDA events), NaN if none: finer, but device code can forge them: never without a witness */
    uint64_t way;                 /* names the way to the code (which process, which device context); 0, UINT64_MAX: the bench's own */
    hone_rc (*empty)(void* ctx);  /* launches once by this way without work, then wait: the zero of a clock outside the candidate's process
                                     (two context switches of a GPU, 0.29 ms, are in every reading of it). Null where the code runs in place.
                                     Not quite without: the device waits for HONE_EMPTY_SECONDS by its own clock, or what the host does
                                     meanwhile, which a call hides, would be taken for its zero */
    double limit;                 /* seconds that a call may take; a timer that follows the device gives up then, and wait tells why */
} hone_run;
#define HONE_EMPTY_SECONDS 20e-6
typedef struct hone_sample {
    double value;                 /* in unit, all calls together */
    int32_t discard;
    double witness, slack;        /* of a value that the code measured could forge: the same by a clock out of its reach. Where it shows more than it
                                     does of the other side by slack, on the mean, it is what counts; in half of the calls by six times that: tampering. 0: none */
} hone_sample;
typedef struct hone_timer {
    uint32_t size;
    const char *kinds, *unit;     /* "cuda"; "s", "J" or "cycle": smaller is better, ratios are taken in it */
    hone_rc (*attach)(void*, const hone_device*);                     /* optional: before the first time */
    hone_rc (*flush)(void*, const hone_tensor* touched, uint32_t n);  /* leave no cache holding these; may be null (then the judge's) */
    hone_rc (*time)(void*, const hone_run*, hone_sample*);
    hone_rc (*facts)(void*, hone_out*);                               /* resolution, virtual (1: no load of this machine disturbs it), least_window, overhead of an empty run; process_spread: by how
                                     much, in unit, one program's times differ from process to process (deviation); witness_spread: its witness's */
} hone_timer;

/* ---- shaper: hone.shaper/1 [engine]. n members of one prompt; unscorable ones were removed before. ----------------------------- */
typedef struct hone_shaper {
    uint32_t size;
    hone_rc (*shape)(void*, const hone_doc* const* judgements, uint32_t n, double* reward, hone_out* reasons); /* NaN: leave it out.
                                     reasons: text keyed by the member's number */
} hone_shaper;
#ifdef __cplusplus
}
#endif
#endif
