extern "C" __global__ void k(const float* a, const float* b, float* o, long K, long N) {
    const long rows = (N + gridDim.x - 1) / gridDim.x, first = blockIdx.x * rows;
    const int lane = threadIdx.x % 32;
    for (long r = threadIdx.x / 32; r < rows && first + r < N; r += blockDim.x / 32) {
        const float* row = b + (first + r) * K;
        float sum = 0;
        for (long k = lane; k < K; k += 32) sum += row[k] * a[k];
        for (int other = 16; other; other /= 2) sum += __shfl_xor_sync(~0u, sum, other);
        if (lane == 0) o[first + r] = sum;
    }
}
