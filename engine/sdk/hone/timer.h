/* hone/timer.h: what a call costs: a clock, an energy counter, a simulator. Interface "hone.timer/1", in a bench, on
 * its one thread. The order of pairs, repetitions, statistics and truth are the judge's. */
#ifndef HONE_TIMER_H
#define HONE_TIMER_H
#include "hone/call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How long a null call keeps the device waiting, by the device's own clock. */
#define HONE_NULL_CALL_SECONDS 20e-6

/* The only way to the code being measured. */
typedef struct hone_run {
    uint32_t size;
    void* ctx;
    uint32_t calls; /* prepared, all different; 1 unless the timer's facts say "least_window" seconds; 0: see
                       zero_apart */

    /* Queues call i, each exactly once, which the host counts, from the thread that time was called on (another one's
     * calls would each start a team of threads anew, and are refused); returns when it is queued, perhaps in another
     * process, and where two cannot be queued there when the one before has ended. */
    hone_rc (*launch)(void* ctx, uint32_t call);

    /* Until all are finished. inside, never null: seconds as the candidate's own process saw them (for instance CUDA
     * events), NaN if none: finer, but code on the device can forge them: never without an independent clock. */
    hone_rc (*wait)(void* ctx, double* inside);

    uint64_t channel; /* names the way to the code (process and device context); 0, UINT64_MAX: the bench's own */

    /* Launches once by this channel without work, then waits: the zero of a clock outside the candidate's process (two
     * context switches of a GPU, 0.29 ms, are in every reading of it). Null where the code runs in place. The device
     * waits for HONE_NULL_CALL_SECONDS by its own clock: else what the host does meanwhile, which a call hides, would
     * be taken for the call's zero. */
    hone_rc (*null_call)(void* ctx);

    double limit; /* seconds that a call may take; a timer that follows the device gives up then, and wait tells why */

    /* The process that runs the calls, with all of its threads, for counters of its work: the candidate's, or this one
     * where the code runs here. It lives until time returns, and threads of it may come and go. */
    int32_t pid;

    /* 1: the candidate's host code commands the device, and could make null calls slow. The zero is then what null
     * calls take in a run of 0 calls by this channel, which comes while no candidate is open; value is not read. */
    int32_t zero_apart;

    /* Reads the outputs at places that nobody knew, by the bench's own context: what is not there when look returns,
     * the judge will not find. A clock outside of the candidate's process ends with it. Null where no candidate's host
     * code commands the device: then a kernel of the bench's that has its turn behind the call does as well. */
    hone_rc (*look)(void* ctx);
} hone_run;

typedef struct hone_sample {
    double value;    /* above 0, in the timer's unit, all calls together; 0: less than its "resolution" */
    int32_t discard; /* 1: the reading is of no use; it is taken again */
    /* Of a value that the code measured could forge: the same by a clock out of its reach, and how far the two may lie
     * apart. Where independent shows more than value does of the other side by tolerance, on the mean, independent is
     * what counts; in half of the calls by six times tolerance: tampering. 0: none. */
    double independent, tolerance;
} hone_sample;

typedef struct hone_timer {
    uint32_t size;
    const char* kinds; /* kinds of device, with blanks between: "cuda" */
    const char*
        unit; /* of value: "s", "J", "cycle", "instruction", or any other, which gets plainer words; smaller is better,
                 ratios are taken in it; "s" alone gets a roofline */

    /* Optional. Once, before the first time. device lives as long as the timer. */
    hone_rc (*attach)(void* self, const hone_device* device);

    /* Optional; where it is not offered the judge flushes. Before every call that is timed: leaves no cache holding any
     * of the n tensors, and their bytes as they are. */
    hone_rc (*flush)(void* self, const hone_tensor* touched, uint32_t n);

    /* Launches each call of the run once, waits for them, measures. FAILED: this reading is lost, and where too few are
     * left the candidate is unscorable. BROKEN: the clock is of no further use; so is one that gives no number above 0,
     * or whose launches the host counts otherwise. */
    hone_rc (*time)(void* self, const hone_run* run, hone_sample* out);

    /* Optional. For the record, and for the judge: "virtual" (1: no load of this machine disturbs it); in the unit:
     * "resolution" (the step between two readings: a run that reads less than ten steps is refused, and an interval is
     * a step wider at each end), "overhead" (of a null run; shown, not subtracted), "process_spread" (by how much one
     * program's times differ from process to process, a standard deviation), "independent_spread" (the same of its
     * independent clock); "least_window" (seconds: a run has as many calls as last that long, and read ten steps);
     * "unit" (where an option decides it). */
    hone_rc (*facts)(void* self, hone_out* out);
} hone_timer;

#ifdef __cplusplus
}
#endif
#endif
