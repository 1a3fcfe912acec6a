/* hone/host.h: what the process that loaded a part does for it. Valid from create until destroy. */
#ifndef HONE_HOST_H
#define HONE_HOST_H
#include "hone/part.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hone_call;

typedef struct hone_file {
    hone_text name, bytes;
} hone_file;

/* Memory that a bench shares with jails. */
typedef struct hone_region {
    void* at; /* address in the bench; a jail sees the same bytes at another */
    uint64_t bytes;
    int32_t writable; /* 0: a jail can only read (sealed: it cannot regain the right); 1: it may write */
    int32_t file;     /* descriptor behind the memory, owned by the host */
} hone_region;

/* What host->jail starts. */
typedef struct hone_jail_plan {
    uint32_t size;
    /* The program to run inside, a path. Descriptor 3 is its end of `tell`, a SOCK_SEQPACKET socket; it confines itself
     * (hone/landlock.hpp). Null: the standard runner, which loads library and calls symbol on the bell. */
    const char* runner;
    hone_text library; /* bytes of the shared library; never a path */
    /* void(const void* const* in, void* const* out, const int64_t* sizes). For an own runner: its argument. */
    const char* symbol;
    const hone_region* regions; /* [n_regions] */
    uint32_t n_regions;
    int32_t threads;          /* the candidate's team, itself included; started before lockdown, none can be added */
    const char* const* keeps; /* own runner: names of environment variables that stay, then null; null: none does */
} hone_jail_plan;

/* A confined process that holds one untrusted candidate. It ends with end() or with the bench. */
typedef struct hone_jail {
    uint32_t size;
    void* ctx;

    /* Standard runner: rings the bell and returns. The host maps tensor addresses. */
    hone_rc (*call)(void* ctx, const struct hone_call* call);

    /* Standard runner: until the bell rings back, at most `seconds`; end gets "inside" (seconds). Own runner: whether
     * it still lives. FAILED: it crashed, hung or broke a rule; end gets "verdict" and "reason", with REWARD_HACK
     * "kind". */
    hone_rc (*wait)(void* ctx, double seconds, hone_out* end);

    /* suspended 1: from now on no thread of it runs. 0: it may run at its next call, whose bell lets it go. */
    hone_rc (*suspend)(void* ctx, int32_t suspended);

    /* Own runner: sends bytes [n] and open files [n_files] and awaits the answer, at most `seconds`; the answer's first
     * `room` bytes go to reply, their count to got. FAILED: as wait. */
    hone_rc (*tell)(void* ctx, const void* bytes, uint64_t n, const int* files, uint32_t n_files, void* reply,
                    uint64_t room, uint64_t* got, double seconds, hone_out* end);

    /* SIGKILL; never waits on a driver. */
    void (*end)(void* ctx);

    int32_t pid; /* of the process, for counters (hone_timing.process) */
} hone_jail;

typedef struct hone_host {
    uint32_t size;
    void* ctx;

    /* Says why a call did not succeed; returns code, so that a function ends with `return host->fail(...)`. Only on the
     * thread of the call. text is terminated. */
    hone_rc (*fail)(void* ctx, hone_rc code, const char* text);

    /* Any thread. level: 0 debug, 1 information, 2 warning, 3 error. */
    void (*log)(void* ctx, int32_t level, const char* text);

    /* Any thread. Not 0: the user asked to stop. Long calls ask at least every 0.1 s, and then return at once
     * with any code: nobody reads what they gave. */
    int32_t (*stop)(void* ctx);

    /* The number (a boolean: 0 or 1) at a path, or `absent`. A null path, or a value of another type fails the call. */
    double (*num)(const hone_doc* doc, const char* path, double absent);
    /* The text at a path; empty where there is none. Lives as long as the document. */
    hone_text (*text)(const hone_doc* doc, const char* path);
    /* The elements of the list or table at a path; -1 where there is neither. */
    int64_t (*count)(const hone_doc* doc, const char* path);

    /* Engine only: US dollars, by policies that spend them. What may still be reserved; infinity: there is no cap. */
    double (*left)(void* ctx);
    /* Before something is sent: usd is the most that it can cost. FAILED: not now, since reservations that are held may
     * be settled for less. REFUSED: nothing is held, and it exceeds the cap: nothing more is to be sent. */
    hone_rc (*reserve)(void* ctx, double usd);
    /* Ends a reservation. reserved: its amount, 0 where there was none; paid: what it cost, 0 where it was not billed.
     * maybe 1: it was sent and broke off, so that it may have been billed: paid counts as spent all the same. */
    void (*settle)(void* ctx, double reserved, double paid, int32_t maybe);

    /* build, share, unshare and jail: benches only. Runs argv[0], a compiler's path (argv ends with null): no network,
     * no GPU and no files but these n, which lie in a private folder, and the folders of other absolute paths
     * in argv. "@" before an argument stands for the private folder. product: the file that the run leaves there. out:
     * "product" (its bytes), "hash" (their SHA-256), "log", "seconds"; where the run did not succeed also "verdict"
     * (COMPILE_ERROR, TIMEOUT, OUT_OF_MEMORY) and "reason", and the call is still OK. */
    hone_rc (*build)(void* ctx, const char* const* argv, const hone_file* files, uint32_t n, const char* product,
                     hone_out* out);
    /* Memory of zeros that jails may be given (hone_jail_plan.regions), theirs to write if writable is 1. The caller
     * gives it back by unshare. BROKEN where there is no memory. */
    hone_rc (*share)(void* ctx, uint64_t bytes, int32_t writable, hone_region* out);
    /* Once, when no jail that holds it runs any more: out.at is then invalid. */
    void (*unshare)(void* ctx, const hone_region* region);
    /* FAILED: it did not start; end as in hone_jail.wait. */
    hone_rc (*jail)(void* ctx, const hone_jail_plan* plan, hone_jail* out, hone_out* end);

    /* Engine only, by policies. Any thread. What requests now wait for, in words that the progress line shows, such as
     * "requests wait for requests_per_minute = 500, about 20 s"; "": for nothing. */
    void (*waits)(void* ctx, const char* text);
} hone_host;

#ifdef __cplusplus
}
#endif
#endif
