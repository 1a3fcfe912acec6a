// Blocks of threads (column / 4, head), one position a block: what it reads is in one piece, what it writes in pieces of D.
extern "C" __global__ void k(const float* __restrict__ a, float* __restrict__ o, long B, long S, long H, long D) {
    const long s = blockIdx.x, b = blockIdx.y, d = 4L * threadIdx.x;
#pragma unroll 4
    for (long h = threadIdx.y; h < H; h += blockDim.y) {
        const float* from = a + ((b * S + s) * H + h) * D;
        float* to = o + ((b * H + h) * S + s) * D;
        if (D % 4 == 0) *(float4*)(to + d) = *(const float4*)(from + d);
        else
            for (long n = d; n < min(d + 4, D); ++n) to[n] = from[n];
    }
}
