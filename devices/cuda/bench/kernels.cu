// The bench's own kernels, compiled after hone/inputs.h and hone/checks.h with --fmad=false: what a key stands for, and reads of single
// elements. looks.cu has the checks of whole tensors.

// The dtypes of hone/call.h (HONE_F64 ...), in its order.
enum { is_f64, is_f32, is_f16, is_bf16, is_i64, is_i32, is_i8, is_u8, is_bool };

static __device__ unsigned short bits16(float x, bool brain) {
    unsigned short bits;
    if (brain) asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    else asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}

static __device__ void put(void* at, int dtype, unsigned long long i, float x) {
    switch (dtype) {
        case is_f64: ((double*)at)[i] = x; break;
        case is_f32: ((float*)at)[i] = x; break;
        case is_f16: ((unsigned short*)at)[i] = bits16(x, false); break;
        case is_bf16: ((unsigned short*)at)[i] = bits16(x, true); break;
        case is_i64: ((long long*)at)[i] = (long long)x; break;
        case is_i32: ((int*)at)[i] = (int)x; break;
        case is_i8: ((signed char*)at)[i] = (signed char)x; break;
        case is_u8: ((unsigned char*)at)[i] = (unsigned char)x; break;
        default: ((unsigned char*)at)[i] = x != 0; break;
    }
}

static __device__ double get(const void* at, int dtype, long long i) {
    switch (dtype) {
        case is_f64: return ((const double*)at)[i];
        case is_f32: return ((const float*)at)[i];
        case is_f16: {
            float x;
            asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(((const unsigned short*)at)[i]));
            return x;
        }
        case is_bf16: return __uint_as_float((unsigned)((const unsigned short*)at)[i] << 16);
        case is_i64: return (double)((const long long*)at)[i];
        case is_i32: return ((const int*)at)[i];
        case is_i8: return ((const signed char*)at)[i];
        default: return ((const unsigned char*)at)[i];
    }
}

extern "C" __global__ void fill(void* at, unsigned long long n, unsigned long long key, unsigned tensor, int dtype, int kind, float scale, float shift) {
    hone_law law;
    law.kind = kind; law.scale = scale; law.shift = shift;
    const unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
    const bool seconds = kind >= HONE_LAW_OUTLIERS;
    for (unsigned long long block = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; block * 4 < n; block += stride) {
        const hone_block words = hone_philox(key, block, tensor);
        hone_block second = {};
        if (seconds) second = hone_philox(key, block, hone_second(tensor));
        for (int j = 0; j < 4; ++j) {
            const unsigned long long i = block * 4 + j;
            if (i >= n) continue;
            const float value = hone_element(words.word[j], second.word[j], i, n, law, dtype == is_f16);
            if (dtype == is_f64) ((double*)at)[i] = hone_wide(value, words.word[j], law);
            else put(at, dtype, i, value);
        }
    }
}

extern "C" __global__ void gather(const void* at, int dtype, const long long* index, unsigned n, double* to) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = get(at, dtype, index[i]);
}
