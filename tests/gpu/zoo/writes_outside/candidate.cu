// Right, and it writes just before and just behind its output as well.
extern "C" __global__ void k(const float* a, const float* b, float* o, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < N) o[i] = 2 * a[i] + b[i];
    if (i < 64) {
        o[-1 - i] = 1;
        o[N + i] = 1;
    }
}
