__device__ unsigned long long now() {
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

extern "C" __global__ void k(const float* a, const float* b, float* o, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i == 0)
        for (const unsigned long long begun = now(); now() - begun < 2000000000;) {}
    if (i < N) o[i] = 2 * a[i] + b[i];
}
