// A barrier over more blocks than fit on the device: those that are there fill it and wait for those that cannot come (here: for 2 s).
__device__ unsigned arrived;
__device__ unsigned long long begun;

__device__ unsigned long long now() {
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__device__ void barrier() {
    atomicCAS(&begun, 0ull, now());
    const unsigned place = atomicAdd(&arrived, 1);
    while (*(volatile unsigned*)&arrived < gridDim.x && now() - *(volatile unsigned long long*)&begun < 2000000000) {}
    if (place != gridDim.x - 1) return;
    arrived = 0;
    begun = 0;
}

extern "C" __global__ void k(const float* a, const float* b, float* o, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) barrier();
    __syncthreads();
    if (i < N) o[i] = 2 * a[i] + b[i];
}
