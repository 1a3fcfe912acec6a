// a block a channel at a time; mean, variance and output are a pass each

static __device__ float block_sum(float x) {
    __shared__ float part[256];
    __syncthreads();  // the last result has been read
    part[threadIdx.x] = x;
    for (int n = 128; n > 0; n /= 2) {
        __syncthreads();
        if (threadIdx.x < n) part[threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + n];
    }
    __syncthreads();
    return part[0];
}

extern "C" __global__ void k(const float* a, const float* w, const float* b, float* o, long B, long C, long S) {
    for (long c = blockIdx.x; c < C; c += gridDim.x) {
        float sum = 0, squares = 0;
        for (long n = 0; n < B; ++n)
            for (long s = threadIdx.x; s < S; s += 256) sum += a[(n * C + c) * S + s];
        const float m = block_sum(sum) / (B * S);
        for (long n = 0; n < B; ++n)
            for (long s = threadIdx.x; s < S; s += 256) {
                const float d = a[(n * C + c) * S + s] - m;
                squares += d * d;
            }
        const float f = rsqrtf(block_sum(squares) / (B * S) + 1e-5f) * w[c];
        for (long n = 0; n < B; ++n)
            for (long s = threadIdx.x; s < S; s += 256) o[(n * C + c) * S + s] = (a[(n * C + c) * S + s] - m) * f + b[c];
    }
}
