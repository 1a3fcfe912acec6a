extern "C" __global__ void k(const double* a, const double* b, double* o, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < N) o[i] = (double)(float)a[i] * (double)(float)b[i];  // exact, of what is left of them
}
