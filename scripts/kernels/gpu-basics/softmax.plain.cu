// a block a row at a time, its threads side by side; every quantity is a pass over the row
static __device__ float lowest() { return __int_as_float(0xff800000); }

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

static __device__ float block_max(float x) {
    __shared__ float part[256];
    __syncthreads();  // the last result has been read
    part[threadIdx.x] = x;
    for (int n = 128; n > 0; n /= 2) {
        __syncthreads();
        if (threadIdx.x < n) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + n]);
    }
    __syncthreads();
    return part[0];
}

extern "C" __global__ void k(const float* a, float* o, long R, long C) {
    for (long r = blockIdx.x; r < R; r += gridDim.x) {
        const float* row = a + r * C;
        float m = lowest(), sum = 0;
        for (long c = threadIdx.x; c < C; c += 256) m = fmaxf(m, row[c]);
        m = block_max(m);
        for (long c = threadIdx.x; c < C; c += 256) sum += expf(row[c] - m);
        sum = block_sum(sum);
        for (long c = threadIdx.x; c < C; c += 256) o[r * C + c] = expf(row[c] - m) / sum;
    }
}
