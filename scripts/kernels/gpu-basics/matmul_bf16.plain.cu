// The definition, one element a thread.
#include <cuda_bf16.h>

extern "C" __global__ void k(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* o, long M, long K, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= M * N) return;
    const long m = i / N, n = i % N;
    float sum = 0;
    for (long x = 0; x < K; ++x) sum += __bfloat162float(a[m * K + x]) * __bfloat162float(b[x * N + n]);
    o[i] = __float2bfloat16(sum);
}
