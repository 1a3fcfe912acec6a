/* hone/ext/rules.h: a verifier with rules beyond the judge's own comparison of every output with truth, which always
 * runs. */
#ifndef HONE_EXT_RULES_H
#define HONE_EXT_RULES_H
#include "hone/call.h"
#define HONE_EXT_RULES "hone.verifier.rules/1"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hone_rules {
    uint32_t size;

    /* Required. After wait. verdict: left empty, or a reason to refuse ("verdict", "reason"). */
    hone_rc (*check)(void* subject, const hone_call* call, hone_out* verdict);
} hone_rules;

#ifdef __cplusplus
}
#endif
#endif
