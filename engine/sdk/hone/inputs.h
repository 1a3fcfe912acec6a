/* hone/inputs.h: the values that a key stands for. Every process and every device makes the same inputs from (key,
 * tensor, index), bit for bit, so inputs never travel and a judgement replays from its key. A verifier that offers
 * `fill` uses these functions on its device. Source of bits: Philox4x32-10 (Salmon et al., SC11), one block for four
 * neighbouring elements: no state, any order, any thread. Only +, * and conversions that IEEE 754 rounds alike are
 * used; compile with -ffp-contract=off (nvcc: --fmad=false), or a fused multiply-add would round once where others
 * round twice. */
#ifndef HONE_INPUTS_H
#define HONE_INPUTS_H
#include <stdint.h>
#ifdef __CUDACC__
#define HONE_INPUTS_FN __host__ __device__ static inline
#else
#define HONE_INPUTS_FN static inline
#endif

/* law of a float input: base * scale + shift */
enum {
    HONE_LAW_NORMAL = 0,  /* near-normal, mean 0, deviation 1, bounded by 3.5: sum of four bytes and a fraction */
    HONE_LAW_UNIFORM = 1, /* [-1, 1) in steps of 2^-23; f64: see hone_wide */
    HONE_LAW_INTEGER = 2, /* -4 .. 4: sums of products stay exact, so that any order of summation gives the same bits */
    HONE_LAW_INDEX = 3
}; /* integers shift .. shift+scale-1, between -2^24 and 2^24: for inputs of whole numbers */
/* added to a kind: what a second word of each element changes */
enum {
    HONE_LAW_OUTLIERS =
        256, /* about 16 elements, the first and the last among them, are 128 times as large: they outweigh thousands in
                a sum of squares; more or larger ones, and sums in f32 would lose the others by rounding */
    HONE_LAW_ZEROS = 512, /* one of 16 is a zero of either sign */
    HONE_LAW_SMALL = 1024
}; /* one of 16 is a number below the dtype's normal ones */
typedef struct hone_law {
    int32_t kind;
    float scale, shift;
} hone_law;

typedef struct hone_block {
    uint32_t word[4];
} hone_block;

HONE_INPUTS_FN hone_block hone_philox(uint64_t key, uint64_t block, uint32_t tensor) {
    uint32_t c0 = (uint32_t)block, c1 = (uint32_t)(block >> 32), c2 = tensor, c3 = 0;
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    hone_block out;
    out.word[0] = c0;
    out.word[1] = c1;
    out.word[2] = c2;
    out.word[3] = c3;
    return out;
}

/* the float that a word stands for under a law */
HONE_INPUTS_FN float hone_value(uint32_t word, hone_law law) {
    float base;
    if (law.kind == HONE_LAW_NORMAL) {
        const uint32_t sum = (word & 255u) + ((word >> 8) & 255u) + ((word >> 16) & 255u) + (word >> 24);
        const float fraction = (float)((word * 0x9E3779B9u) >> 8) * (1.0f / 16777216.0f);
        const float whole = (float)sum - 510.5f;
        base = (whole + fraction) * (1.0f / 147.8f);
    } else if (law.kind == HONE_LAW_UNIFORM) {
        base = (float)(word >> 8) * (1.0f / 8388608.0f) - 1.0f;
    } else if (law.kind == HONE_LAW_INTEGER) {
        base = (float)(int32_t)(((uint64_t)word * 9u) >> 32) - 4.0f;
    } else {
        return (float)(((uint64_t)word * (uint64_t)law.scale) >> 32) + law.shift;
    }
    const float scaled = base * law.scale;
    return scaled + law.shift;
}

/* the stream of second words of a tensor */
HONE_INPUTS_FN uint32_t hone_second(uint32_t tensor) { return tensor | 0x80000000u; }

/* below the normal numbers of f16 (half 1) or of f32 (with a bit that bf16 keeps), and not zero */
HONE_INPUTS_FN float hone_small(uint32_t bits, int half) {
    if (half) return (float)(bits % 1023u + 1u) * 5.9604644775390625e-8f;
    return (float)((bits & 0x7fffffu) | 0x10000u) * (1.0f / 8388608.0f) *
           1.1754943508222875e-38f; /* the last product is exact */
}

/* element i of n from its two words; half: the tensor is f16 */
HONE_INPUTS_FN float hone_element(uint32_t word, uint32_t second, uint64_t i, uint64_t n, hone_law law, int half) {
    const uint64_t sixteenth = n / 16 < 16 ? 16 : n / 16;
    const float sign = second & 0x80000000u ? -1.0f : 1.0f;
    hone_law plain = law;
    plain.kind = law.kind & 255;
    if ((law.kind & HONE_LAW_OUTLIERS) && (i == 0 || i + 1 == n || second % sixteenth == 0))
        return hone_value(word, plain) * 128.0f;
    if ((law.kind & HONE_LAW_ZEROS) && second % 16u == 0) return sign * 0.0f;
    if ((law.kind & HONE_LAW_SMALL) && second % 16u == 1) return sign * hone_small(second >> 8, half);
    return hone_value(word, plain);
}

/* What an f64 tensor holds in place of a float that a word stands for: the float with 29 bits below its own, or a
 * program that rounds its inputs to float32 would pass. Whole numbers and single values stay as they are. */
HONE_INPUTS_FN double hone_wide(float value, uint32_t word, hone_law law) {
    const int32_t kind = law.kind & 255;
    if (kind == HONE_LAW_INTEGER || kind == HONE_LAW_INDEX || law.scale == 0) return value;
    const double below = (double)(int32_t)(word * 0x85EBCA6Bu) * (1.0 / 72057594037927936.0); /* within 2^-25 */
    return (double)value * (1.0 + below);
}

/* element i of n of tensor number `tensor`; of an f64 tensor its float (hone_input_f64) */
HONE_INPUTS_FN float hone_input(uint64_t key, uint32_t tensor, uint64_t i, uint64_t n, hone_law law, int half) {
    const uint32_t second = law.kind < 256 ? 0 : hone_philox(key, i >> 2, hone_second(tensor)).word[i & 3];
    return hone_element(hone_philox(key, i >> 2, tensor).word[i & 3], second, i, n, law, half);
}

/* the same of an f64 tensor */
HONE_INPUTS_FN double hone_input_f64(uint64_t key, uint32_t tensor, uint64_t i, uint64_t n, hone_law law) {
    return hone_wide(hone_input(key, tensor, i, n, law, 0), hone_philox(key, i >> 2, tensor).word[i & 3], law);
}
#endif
