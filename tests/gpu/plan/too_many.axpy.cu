// axpy as the task says it, one element a thread
extern "C" __global__ void k(const float* a, const float* b, float* o, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < N) o[i] = 2.5f * a[i] + b[i];
}
