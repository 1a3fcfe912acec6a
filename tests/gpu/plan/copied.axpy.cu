// Counts its finished blocks in memory that was cleared, and computes into a workspace that is copied to the output. A counter that does not
// begin at 0 leaves the output wrong.
extern "C" __global__ void k(const float* a, const float* b, float* result, unsigned* counter, long N, double alpha) {
    if (threadIdx.x == 0) atomicAdd(counter, 1);
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < N) result[i] = (float)alpha * a[i] + b[i];
}

extern "C" __global__ void check(float* result, const unsigned* counter, const unsigned* word, unsigned blocks) {
    if (*counter != blocks || *word != 0xabcd1234u) result[0] = 1e30f;
}
