/* hone/ext/timing.h: what a verifier can do for a timer. Each function is optional. */
#ifndef HONE_EXT_TIMING_H
#define HONE_EXT_TIMING_H
#include "hone/call.h"
#define HONE_EXT_TIMING "hone.verifier.timing/1"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hone_timing {
    uint32_t size;

    /* suspended 1: from now on nothing of the candidate's runs; 0: it may run from its next launch on. */
    hone_rc (*suspend)(void* subject, int32_t suspended);

    /* As launch, by the same channel, but without work: see hone_run.null_call. Waited for likewise. */
    hone_rc (*null_call)(void* subject);

    /* What need not be timed of a launch at these addresses, such as recording a graph, or waking the process that
     * makes the call. Nothing of the candidate's runs in it that has seen the call's inputs. */
    hone_rc (*prepare)(void* subject, const hone_call* call);

    /* After wait. seconds: the last call by a profiler in the candidate's own process, NaN: none. Shown, never scored:
     * for programs that are trusted. */
    hone_rc (*recorded)(void* subject, double* seconds);

    /* pid: the process that runs the candidate's calls, for counters; not offered: they run in the bench. */
    hone_rc (*process)(void* subject, int32_t* pid);
} hone_timing;

#ifdef __cplusplus
}
#endif
#endif
