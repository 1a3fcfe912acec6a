// one thread a row
extern "C" __global__ void k(const float* a, long long* o, long R, long C) {
    const long r = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (r >= R) return;
    long best = 0;
    for (long c = 1; c < C; ++c)
        if (a[r * C + c] > a[r * C + best]) best = c;
    o[r] = best;
}
