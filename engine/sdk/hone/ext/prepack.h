/* hone/ext/prepack.h: a verifier whose programs may work on constant inputs before they are timed. */
#ifndef HONE_EXT_PREPACK_H
#define HONE_EXT_PREPACK_H
#include "hone/call.h"
#define HONE_EXT_PREPACK "hone.verifier.prepack/1"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hone_prepack {
    uint32_t size;

    /* Required. As launch, and waited for likewise: the program's own work on the inputs that the task declares
     * constant, before each call of a subject whose "prepack_steps" (facts of open) are above 0. Other inputs and the
     * outputs hold no data yet. Its time is told apart, not counted. */
    hone_rc (*prepack)(void* subject, const hone_call* call);
} hone_prepack;

#ifdef __cplusplus
}
#endif
#endif
