// The clock decides about the last bit.
extern "C" __global__ void k(const float* a, const float* b, float* o, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < N) o[i] = __int_as_float(__float_as_int(2 * a[i] + b[i]) ^ (int)(clock() >> 4 & 1));
}
