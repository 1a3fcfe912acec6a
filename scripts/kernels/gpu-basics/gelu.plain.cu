// one element a thread
extern "C" __global__ void k(const float* a, float* o, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < N) o[i] = 0.5f * a[i] * (1 + tanhf(0.7978845608f * (a[i] + 0.044715f * a[i] * a[i] * a[i])));
}
