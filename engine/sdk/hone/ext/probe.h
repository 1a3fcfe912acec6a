/* hone/ext/probe.h: a verifier that tries out what its walls rest on, or measures its device. */
#ifndef HONE_EXT_PROBE_H
#define HONE_EXT_PROBE_H
#include "hone/call.h"
#define HONE_EXT_PROBE "hone.verifier.probe/1"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hone_probe {
    uint32_t size;

    /* Required. Once, before the first open, with the device to itself: tries out what the device's walls and the
     * timer's flush rest on, for the record. "weak": what does not hold. flush may be null (the timer has none); it
     * touches nothing in particular and may only be queued. What is measured here, facts can tell from then on. */
    hone_rc (*probe)(void* self, void* ctx, hone_rc (*flush)(void* ctx), hone_out* out);
} hone_probe;

#ifdef __cplusplus
}
#endif
#endif
