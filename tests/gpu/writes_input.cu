// right, and it changes an input besides
extern "C" __global__ void k(const float* a, const float* b, float* o, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < N) o[i] = 2.5f * a[i] + b[i];
    if (i == 0) const_cast<float*>(a)[0] = 0;
}
