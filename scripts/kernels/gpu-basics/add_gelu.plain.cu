// one element a thread
static __device__ float f(float a, float b) {
    const float t = a + b;
    return 0.5f * t * (1 + tanhf(0.7978845608f * (t + 0.044715f * t * t * t)));
}

extern "C" __global__ void k(const float* a, const float* b, float* o, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < N) o[i] = f(a[i], b[i]);
}
