// Each row of 4096 blocks lacks one: 0.02 % of the elements are b alone.
extern "C" __global__ void k(const float* a, const float* b, float* o, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < N) o[i] = blockIdx.x % 4096 == 4095 ? b[i] : 2 * a[i] + b[i];
}
