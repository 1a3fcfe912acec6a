__device__ __noinline__ float sink_into(float x, const volatile float* depth) {
    volatile float room[256];
    room[(int)*depth & 255] = x;
    return *depth < 1e9f ? sink_into(x + 1, depth) + room[0] : x;
}

extern "C" __global__ void k(const float* a, const float* b, float* o, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < N) o[i] = sink_into(2 * a[i] + b[i], a + i);
}
