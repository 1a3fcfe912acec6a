/* hone/checks.h: comparing tensors where they lie. hone_look_at decides what an element of an answer is worth, in every
 * process and on every device alike; hone_checks does so for whole tensors in a verifier's memory, so that no tensor
 * travels (hone/checks_on_host.hpp: on hosts). The functions go to the device's queue and return at once. They write
 * what they find to the judge's own memory, which no candidate sees (reserved with writable 2), and the judge reads it
 * there. judge/correctness/truth.hpp explains the rule. */
#ifndef HONE_CHECKS_H
#define HONE_CHECKS_H
#include <stdint.h>
#ifdef __CUDACC__
#define HONE_CHECKS_FN __host__ __device__ static inline
#else
#define HONE_CHECKS_FN static inline
#endif

/* a truth that says nothing about its element: a NaN of this payload */
#define HONE_SILENT 0x7ff8686f6e650001ull
#define HONE_NEAR 64            /* elements of a neighbourhood */
#define HONE_NO_SCALE 0x1p-1000 /* keeps a quotient of zeros a number */

HONE_CHECKS_FN int hone_is_silent(double truth) {
    uint64_t bits;
#ifdef __CUDA_ARCH__
    bits = (uint64_t)__double_as_longlong(truth);
#else
    __builtin_memcpy(&bits, &truth, sizeof bits);
#endif
    return bits == HONE_SILENT;
}

typedef struct hone_allowed { /* of one output */
    double element, least;    /* of d; of an error, however small its element is */
    int32_t exact;            /* 1: whole numbers, which must be equal */
} hone_allowed;

enum { HONE_FINE, HONE_NOT_FINITE, HONE_NOT_NAN, HONE_NOT_INFINITE, HONE_WRONG, HONE_FAULTS };
typedef struct hone_look {
    int32_t fault, compared; /* compared: it counts in the sums over finite elements */
    double error, d;         /* d: error beyond `least`, relative to |truth| + local scale */
} hone_look;

HONE_CHECKS_FN hone_look hone_look_at(double truth, double got, double local_scale, hone_allowed allowed) {
    const double largest = 0x1.fffffffffffffp1023;
    hone_look look;
    look.fault = HONE_FINE;
    look.compared = 0;
    look.error = 0;
    look.d = 0;
    if (hone_is_silent(truth)) return look;
    if (truth != truth) {
        look.fault = got != got ? HONE_FINE : HONE_NOT_NAN;
        return look;
    }
    if (!(truth <= largest && truth >= -largest)) {
        look.fault = got == truth ? HONE_FINE : HONE_NOT_INFINITE;
        return look;
    }
    look.compared = 1;
    if (!(got <= largest && got >= -largest)) {
        look.fault = HONE_NOT_FINITE;
        return look;
    }
    look.error = got < truth ? truth - got : got - truth;
    if (allowed.exact) {
        look.fault = look.error == 0 ? HONE_FINE : HONE_WRONG;
        return look;
    }
    if (look.error > allowed.least)
        look.d = (look.error - allowed.least) / ((truth < 0 ? -truth : truth) + local_scale + HONE_NO_SCALE);
    look.fault = look.d <= allowed.element ? HONE_FINE : HONE_WRONG;
    return look;
}

typedef struct hone_moments { /* of a truth: elements that are finite in it and in the reference's answer */
    uint64_t compared;
    double sum, squares;
} hone_moments;
typedef struct hone_errors {                           /* of an answer */
    uint64_t compared, unwritten, faults[HONE_FAULTS]; /* faults[HONE_FINE] stays 0 */
    double squares, relative, worst;                   /* sums of squared errors and of squared d; the largest d */
} hone_errors;
typedef struct hone_comparison { /* what an answer is compared with; device addresses */
    uint64_t truth, local_scale; /* f64[n]; f64[ceil(n / HONE_NEAR)], not read where numbers are exact */
    hone_allowed allowed;
    uint32_t poison; /* the word that elements not written still hold, where poisoned is 1 */
    int32_t poisoned;
} hone_comparison;

struct hone_tensor;
typedef struct hone_checks { /* addresses and bytes: multiples of 4; counts, moments and errors: multiples of 8 */
    uint32_t size;
    int32_t (*copy)(void*, uint64_t to, uint64_t from, uint64_t bytes);
    int32_t (*differ)(void*, uint64_t a, uint64_t b, uint64_t bytes, uint64_t count); /* count += bytes that differ */
    int32_t (*strays)(void*, uint64_t at, uint64_t bytes, uint32_t word,
                      uint64_t count);                                    /* count += other words than word */
    int32_t (*widen)(void*, const struct hone_tensor* from, uint64_t to); /* to f64 */
    /* Silences elements where only one of truth and answer, or each another, is NaN or infinite. */
    int32_t (*moments)(void*, const struct hone_tensor* answer, uint64_t truth, uint64_t moments);
    /* Of each neighbourhood: the greatest of usual, the median |truth|, and roundoff times the rms of each row (of
     * `row` elements) in it. */
    int32_t (*local_scale)(void*, uint64_t truth, uint64_t n, uint64_t row, double usual, double roundoff,
                           uint64_t local_scale);
    int32_t (*compare)(void*, const struct hone_tensor* got, const hone_comparison*, uint64_t errors);
} hone_checks;
#endif
