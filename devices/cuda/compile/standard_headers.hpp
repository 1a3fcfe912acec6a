// Headers of the C library that kernels include by habit. NVRTC has none and needs none: what they declare is built in,
// or a macro.
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
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t; using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
using ::intptr_t; using ::uintptr_t; using ::size_t;
}
)";

inline constexpr const char* sizes = R"(#pragma once
namespace std { using ::size_t; using ::ptrdiff_t; }
)";

inline constexpr const char* functions = R"(#pragma once
namespace std {
using ::abs; using ::fabs; using ::sqrt; using ::cbrt; using ::exp; using ::exp2; using ::expm1; using ::log; using ::log2; using ::log10; using ::log1p;
using ::pow; using ::sin; using ::cos; using ::tan; using ::sinh; using ::cosh; using ::tanh; using ::atan; using ::atan2; using ::erf; using ::erfc;
using ::fma; using ::fmin; using ::fmax; using ::fmod; using ::floor; using ::ceil; using ::round; using ::rint; using ::trunc; using ::hypot;
using ::fabsf; using ::sqrtf; using ::expf; using ::exp2f; using ::logf; using ::log2f; using ::powf; using ::sinf; using ::cosf; using ::tanhf; using ::erff;
using ::fmaf; using ::fminf; using ::fmaxf; using ::floorf; using ::ceilf; using ::roundf; using ::truncf;
using ::isnan; using ::isinf; using ::isfinite; using ::signbit; using ::copysign; using ::ldexp;
}
)";

inline constexpr const char* algorithms = R"(#pragma once
namespace std {
template <class T> constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T> constexpr const T& clamp(const T& x, const T& least, const T& most) { return x < least ? least : most < x ? most : x; }
template <class T> constexpr void swap(T& a, T& b) { T t = a; a = b; b = t; }
}
)";

inline constexpr const char* limits = R"(#pragma once
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807l
#define LONG_MIN (-LONG_MAX - 1)
#define LLONG_MAX 9223372036854775807ll
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
)";

// Of <math.h>, which nvcc includes unasked.
inline constexpr const char* mathematics[] = {
    "--define-macro=INFINITY=__int_as_float(0x7f800000)", "--define-macro=NAN=__int_as_float(0x7fffffff)",
    "--define-macro=M_PI=3.14159265358979323846",         "--define-macro=M_LOG2E=1.44269504088896340736",
    "--define-macro=M_LN2=0.69314718055994530942",        "--define-macro=M_SQRT2=1.41421356237309504880",
    "--define-macro=M_2_SQRTPI=1.12837916709551257390",   "--define-macro=HUGE_VALF=__int_as_float(0x7f800000)",
    "--define-macro=M_SQRT1_2=0.70710678118654752440",    "--define-macro=M_E=2.71828182845904523536",
    "--define-macro=M_LOG10E=0.43429448190325182765",     "--define-macro=M_LN10=2.30258509299404568402",
    "--define-macro=M_PI_2=1.57079632679489661923",       "--define-macro=M_PI_4=0.78539816339744830962",
    "--define-macro=M_1_PI=0.31830988618379067154",       "--define-macro=M_2_PI=0.63661977236758134308"};

// Of <sys/types.h>, likewise. After headers that are precompiled, before the program, whose own of these names are the
// same types.
inline constexpr const char* system_types =
    "typedef unsigned int uint;\ntypedef unsigned short ushort;\ntypedef unsigned long ulong;\n";

inline constexpr StandardHeader standard_headers[] = {
    {"stdint.h", integer_types},
    {"cstdint", integer_types},
    {"limits.h", limits},
    {"climits", limits},
    {"float.h", limits},
    {"cfloat", limits},
    {"math.h", "\n"},
    {"cmath", functions},
    {"stdio.h", "\n"},
    {"cstdio", sizes},
    {"assert.h", "\n"},
    {"cassert", "\n"},
    {"stddef.h", "\n"},
    {"cstddef", sizes},
    {"stdlib.h", "\n"},
    {"cstdlib", sizes},
    {"string.h", "\n"},
    {"cstring", sizes},
    {"algorithm", algorithms},
    {"stdbool.h", "\n"},
    {"inttypes.h", integer_types},
    {"cinttypes", integer_types},
    {"new", "\n"},
    // by libcu++, where its headers are
    {"limits", "#include <cuda/std/limits>\nnamespace std { using ::cuda::std::numeric_limits; }\n"},
    {"type_traits", "#include <cuda/std/type_traits>\nnamespace std { using namespace ::cuda::std; }\n"},
    {"utility", "#include <cuda/std/utility>\nnamespace std { using namespace ::cuda::std; }\n"},
    {"array", "#include <cuda/std/array>\nnamespace std { using ::cuda::std::array; }\n"},
    {"tuple", "#include <cuda/std/tuple>\nnamespace std { using namespace ::cuda::std; }\n"},
    {"functional", "#include <cuda/std/functional>\nnamespace std { using namespace ::cuda::std; }\n"},
    {"initializer_list", "#include <cuda/std/initializer_list>\n"}};

}  // namespace hone::cuda
