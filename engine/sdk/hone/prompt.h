/* hone/prompt.h: how a policy is asked for a program. Interface "hone.prompt/1", in the engine, on the script's thread.
 * The engine parses the answers, by the fences that the verifier's brief names. */
#ifndef HONE_PROMPT_H
#define HONE_PROMPT_H
#include "hone/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hone_prompt {
    uint32_t size;

    /* Puts the messages that ask for a program for a task (documents.md; "brief" is the verifier's). exemplars [n]:
     * scored programs that the script chose (documents.md). Equal arguments and seed give equal messages. */
    hone_rc (*write)(void* self, const hone_doc* task, const hone_doc* const* exemplars, uint32_t n, uint64_t seed,
                     void* ctx, void (*put)(void* ctx, hone_message message));

    /* Optional. "fenced" 0: the whole answer is the program, no fences are expected. */
    hone_rc (*facts)(void* self, hone_out* out);
} hone_prompt;

#ifdef __cplusplus
}
#endif
#endif
