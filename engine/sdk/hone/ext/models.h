/* hone/ext/models.h: a policy that knows which models it could be made with (`hone models`). An author's class offers
 * it by a static function list_models: see hone/policy.hpp. */
#ifndef HONE_EXT_MODELS_H
#define HONE_EXT_MODELS_H
#include "hone/host.h"
#define HONE_EXT_MODELS "hone.policy.models/1"

#ifdef __cplusplus
extern "C" {
#endif

/* Where models lie or are served. No text holds a secret. */
typedef struct hone_model_source {
    uint32_t size;
    hone_text name;  /* a provider, such as "openai" of openai/gpt-5.4; empty: its models are named alone */
    hone_text place; /* an address, a folder */
    hone_text key;   /* where the key comes from and whether it is there: "OPENAI_API_KEY, not set"; empty: none */
    int32_t answers; /* 1: it answers; 0: it does not; -1: it was not asked */
    hone_text said;  /* why it does not answer, or was not asked; empty: it answers */
    const hone_text* models; /* [n] that it tells, as an option "model" names them */
    uint32_t n;
} hone_model_source;

typedef struct hone_models {
    uint32_t size;

    /* Required; needs no instance, host alone. ask 1: each is asked whether it answers, within some seconds; 0: nothing
     * is sent. tell is called once a source, in order; it copies. */
    hone_rc (*list)(const struct hone_host* host, int32_t ask, void* ctx,
                    void (*tell)(void* ctx, const hone_model_source* source));
} hone_models;

#ifdef __cplusplus
}
#endif
#endif
