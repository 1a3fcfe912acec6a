// a warp a row, several loads of 16 bytes in flight
extern "C" __global__ void k(const float* __restrict__ w, const long long* __restrict__ b, float* __restrict__ o, long V, long D, long N) {
    const long n = blockIdx.x * 8L + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (n >= N) return;
    const float* from = w + b[n] * D;
    float* to = o + n * D;
    const long whole = D % 4 == 0 ? D / 4 : 0;  // else no row but the first is sure to be aligned
#pragma unroll 8
    for (long i = lane; i < whole; i += 32) ((float4*)to)[i] = ((const float4*)from)[i];
    for (long d = 4 * whole + lane; d < D; d += 32) to[d] = from[d];
}
