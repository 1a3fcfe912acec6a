// Headers of the C library that kernels include by habit. NVRTC has none and needs none: what they declare is built in, or a macro.
#pragma once

namespace hone::cuda {

struct StandardHeader {
    const char *name, *text;
};

inline constexpr const char* integer_types = R"(#pragma once
typedef signed char int8_t;
typedef signed short int16_t;
typedef signed int int32_t;
typedef signed long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef signed long long intptr_t;
typedef unsigned long long uintptr_t;
)";

inline constexpr const char* limits = R"(#pragma once
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define LLONG_MAX 9223372036854775807ll
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
)";

// Of <math.h>, which nvcc includes unasked.
inline constexpr const char* mathematics[] = {"--define-macro=INFINITY=__int_as_float(0x7f800000)", "--define-macro=NAN=__int_as_float(0x7fffffff)",
                                              "--define-macro=M_PI=3.14159265358979323846",
                                              "--define-macro=M_SQRT1_2=0.70710678118654752440"};

inline constexpr StandardHeader standard_headers[] = {
    {"stdint.h", integer_types}, {"cstdint", integer_types}, {"limits.h", limits},   {"climits", limits},  {"float.h", limits},
    {"cfloat", limits},          {"math.h", "\n"},           {"cmath", "\n"},        {"stdio.h", "\n"},    {"cstdio", "\n"},
    {"assert.h", "\n"},          {"cassert", "\n"},          {"stddef.h", "\n"},     {"cstddef", "\n"},    {"stdlib.h", "\n"},
    {"cstdlib", "\n"}};

}  // namespace hone::cuda
