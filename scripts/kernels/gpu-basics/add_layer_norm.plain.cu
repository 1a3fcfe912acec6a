// a block a row at a time, its threads side by side; every quantity is a pass over the row

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

extern "C" __global__ void k(const float* a, const float* x, const float* w, const float* b, float* o, long R, long C) {
    for (long r = blockIdx.x; r < R; r += gridDim.x) {
        float sum = 0, squares = 0;
        for (long c = threadIdx.x; c < C; c += 256) sum += a[r * C + c] + x[r * C + c];
        const float m = block_sum(sum) / C;
        for (long c = threadIdx.x; c < C; c += 256) {
            const float d = a[r * C + c] + x[r * C + c] - m;
            squares += d * d;
        }
        const float s = rsqrtf(block_sum(squares) / C + 1e-5f);
        for (long c = threadIdx.x; c < C; c += 256) o[r * C + c] = (a[r * C + c] + x[r * C + c] - m) * s * w[c] + b[c];
    }
}
