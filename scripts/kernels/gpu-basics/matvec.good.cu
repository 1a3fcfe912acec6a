// A warp a row, 16 bytes a load and several of them under way; a is read once and leaves the caches to b.
extern "C" __global__ void __launch_bounds__(256) k(const float4* a, const float4* b, float* o, long R, long C) {
    const long r = blockIdx.x * 8l + threadIdx.x / 32, n = C / 4;
    const int lane = threadIdx.x % 32;
    if (r >= R) return;
    float sum = 0;
#pragma unroll 8
    for (long c = lane; c < n; c += 32) {
        const float4 x = __ldcs(a + r * n + c), y = b[c];
        sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    }
    for (int other = 16; other; other /= 2) sum += __shfl_xor_sync(~0u, sum, other);
    if (lane == 0) o[r] = sum;
}
