/* hone/shaper.h: what a judgement is worth as a reward. Interface "hone.shaper/1", in the engine, on the script's
 * thread. */
#ifndef HONE_SHAPER_H
#define HONE_SHAPER_H
#include "hone/part.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hone_shaper {
    uint32_t size;

    /* judgements [n]: of the answers to one prompt, each with the keys of hone.Answer (documents.md); unscorable ones
     * were left out. reward [n]: each is written, a finite number, or NaN: left out. reasons: text keyed by the
     * answer's number ("0"), for the record. Rewards depend on these documents alone. Whatever is not OK stops the
     * script, FAILED too, since a group with rewards for some would be another objective: what was judged is kept, and
     * a resumed run shapes it again. NaN leaves out a single answer. */
    hone_rc (*shape)(void* self, const hone_doc* const* judgements, uint32_t n, double* reward, hone_out* reasons);
} hone_shaper;

#ifdef __cplusplus
}
#endif
#endif
