/* hone/call.h: a device, its tensors and one call of a program: what verifiers, references and timers share. */
#ifndef HONE_CALL_H
#define HONE_CALL_H
#include "hone/part.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The bench's own device context and queue. A candidate's code never runs in that context where the device can keep
 * them apart. The pointers are what the kind says: of "cuda" a CUcontext and a CUstream; of "cpu" null. */
typedef struct hone_device {
    uint32_t size;
    const char* kind; /* "cpu", "cuda", ...: a timer says which kinds it can time */
    int32_t index;
    void *context, *queue;
} hone_device;

enum { HONE_F64, HONE_F32, HONE_F16, HONE_BF16, HONE_I64, HONE_I32, HONE_I8, HONE_U8, HONE_BOOL };

typedef struct hone_tensor {
    uint64_t at; /* device address of the first element; dense, row-major */
    int32_t dtype, rank;
    const int64_t* shape; /* [rank] elements */
} hone_tensor;

/* One call, prepared by the judge: its inputs were made from a key that no call had before; its outputs hold poison, or
 * where the task says `starts_as` what that input holds. An input of rank 0 is a scalar, which a program gets by value.
 */
typedef struct hone_call {
    uint32_t size;
    const hone_tensor *in, *out; /* [n_in], [n_out], in the order of the task's inputs and outputs */
    uint32_t n_in, n_out;
    uint64_t scratch, scratch_bytes;
    const int64_t* sizes; /* [n_sizes] the shape's numbers, in the order of the task's sizes */
    uint32_t n_sizes;
    /* [n_in] the bits of each scalar, from the lowest on; its memory holds them, too; 0 for tensors. Null: not told. */
    const uint64_t* values;
} hone_call;

#ifdef __cplusplus
}
#endif
#endif
