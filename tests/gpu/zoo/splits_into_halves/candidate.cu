#include <cuda_fp16.h>

// 1 where something is no number: the product is then made in float.
extern "C" __global__ void scan(const float* a, const float* b, int* flag, long na, long nb) {
    bool special = false;
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < na + nb; i += (long)gridDim.x * blockDim.x)
        special |= !isfinite(i < na ? a[i] : b[i - na]);
    if (special) *flag = 1;
}

__device__ float high(float x) { return __half2float(__float2half_rn(x)); }

extern "C" __global__ void product(const float* a, const float* b, float* o, const int* flag, long M, long K, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x, m = i / N, n = i % N;
    if (m >= M) return;
    const bool special = *flag;
    float sum = 0, cross = 0;
    for (long k = 0; k < K; ++k) {
        const float x = a[m * K + k], y = b[k * N + n], x1 = high(x), y1 = high(y), x2 = high((x - x1) * 2048), y2 = high((y - y1) * 2048);
        sum += special ? x * y : x1 * y1;
        cross += special ? 0 : x1 * y2 + x2 * y1;
    }
    o[i] = sum + cross * (1.0f / 2048);
}
