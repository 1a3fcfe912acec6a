// Two blocks of a cluster share a row; the second writes its sum into the first one's shared memory.
#include <cooperative_groups.h>

extern "C" __global__ void k(const float* a, float* o, long R, long C) {
    __shared__ float warps[8], halves[2];
    const auto cluster = cooperative_groups::this_cluster();
    const unsigned rank = cluster.block_rank();
    const long row = blockIdx.x / 2;
    float sum = 0;
    for (long c = rank * blockDim.x + threadIdx.x; c < C; c += 2 * blockDim.x) sum += a[row * C + c];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0;
        for (int w = 0; w < 8; ++w) sum += warps[w];
        cluster.map_shared_rank(halves, 0)[rank] = sum;
    }
    cluster.sync();
    if (rank == 0 && threadIdx.x == 0) o[row] = halves[0] + halves[1];
}
