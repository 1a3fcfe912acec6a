/* hone/reference.h: what runs a task's own definition, for baselines and for truth in float64. Interface
 * "hone.reference/1", in a bench, on its one thread. */
#ifndef HONE_REFERENCE_H
#define HONE_REFERENCE_H
#include "hone/call.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hone_reference {
    uint32_t size;

    /* Makes a program of a task's definition (task.source is its Lua text, task.index which of the file's tasks). form:
     * "eager", "graph", "compiled", "compiled graph", "float64", "float64 without N": the definition without its Nth
     * operator (from 1), whose result is then an argument of the same size; so lint finds operators that do not matter.
     * FAILED: there is no such form on this device. A device on which there is no "eager" or "float64": the judge opens
     * them with the device "cpu" and moves the tensors itself; the baseline there is a program (task.baseline_program).
     * What was compiled serves the timed shape alone. */
    hone_rc (*open)(void* self, const hone_device* device, const hone_doc* task, const char* form, void** program);
    void (*close)(void* program);

    /* As hone_verifier.launch; finished on return where the device is the host. In "float64" the call's float tensors
     * are F64. */
    hone_rc (*launch)(void* program, const hone_call* call);

    /* Optional. For the record: library, version, threads. */
    hone_rc (*facts)(void* self, hone_out* out);

    /* Optional. As launch, without work: see hone_run. */
    hone_rc (*null_call)(void* program);

    /* Optional. Until all that was launched is finished; where it is not offered, device->queue tells. */
    hone_rc (*wait)(void* program);

    /* Optional, after wait. seconds: of the last call by the device's own events. */
    hone_rc (*inside)(void* program, double* seconds);

    /* Optional, after wait. Copies results that the last call left elsewhere into its outputs: for forms that choose
     * where their results lie, as programs of torch do. */
    hone_rc (*deliver)(void* program, const hone_call* call);
} hone_reference;

#ifdef __cplusplus
}
#endif
#endif
