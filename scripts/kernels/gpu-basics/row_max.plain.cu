// one thread a row
extern "C" __global__ void k(const float* a, float* o, long R, long C) {
    const long r = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (r >= R) return;
    float most = a[r * C];
    for (long c = 1; c < C; ++c) {
        const float x = a[r * C + c];
        if (x > most || x != x) most = x;  // once it is NaN it stays
    }
    o[r] = most;
}
