/* hone/ext/device_data.h: a verifier that makes and reads data where they lie, so that no tensor travels to the host.
 * Every function is required. What is not offered the judge does by hone_verifier.write and read. */
#ifndef HONE_EXT_DEVICE_DATA_H
#define HONE_EXT_DEVICE_DATA_H
#include "hone/call.h"
#define HONE_EXT_DEVICE_DATA "hone.verifier.device-data/1"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hone_device_data {
    uint32_t size;

    /* Element i of n becomes hone_input(key, number, i, n, {law, scale, shift}, half) of hone/inputs.h, bit for bit;
     * in an f64 tensor hone_input_f64(key, number, i, n, {law, scale, shift}). */
    hone_rc (*fill)(void* self, const hone_tensor* tensor, uint64_t key, uint32_t number, int32_t law, float scale,
                    float shift);

    /* Reads the elements at n positions, as doubles. */
    hone_rc (*gather)(void* self, const hone_tensor* tensor, const int64_t* index, uint32_t n, double* to);

    /* Repeats a word over memory (poison); at and bytes are multiples of 4. */
    hone_rc (*set)(void* self, uint64_t at, uint64_t bytes, uint32_t word);
} hone_device_data;

#ifdef __cplusplus
}
#endif
#endif
