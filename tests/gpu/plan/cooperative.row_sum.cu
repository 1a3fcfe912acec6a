// The same in one launch: the whole grid waits for itself between the two parts.
#include <cooperative_groups.h>

extern "C" __global__ void k(const float* a, float* partial, float* o, long R, long C) {
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32, lane = threadIdx.x % 32;
    for (long half = warp; half < 2 * R; half += warps) {
        float sum = 0;
        const long row = half / 2;
        for (long c = half % 2 * 32 + lane; c < C; c += 64) sum += a[row * C + c];
        for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
        if (lane == 0) partial[half] = sum;
    }
    cooperative_groups::this_grid().sync();
    for (long row = blockIdx.x * (long)blockDim.x + threadIdx.x; row < R; row += (long)gridDim.x * blockDim.x)
        o[row] = partial[2 * row] + partial[2 * row + 1];
}
