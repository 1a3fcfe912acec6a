// Tiles of 64 x 64 by way of shared memory: reads and writes of 16 bytes where rows and columns are aligned. A row of the tile is one word
// longer than its data, so that a column lies in different banks.
// columns c to c+3 of a row: at once where all rows are aligned; beyond the row a 0
static __device__ float4 load(const float* row, long c, long C) {
    if (C % 4 == 0) return c < C ? *(const float4*)(row + c) : make_float4(0, 0, 0, 0);
    return make_float4(c < C ? row[c] : 0, c + 1 < C ? row[c + 1] : 0, c + 2 < C ? row[c + 2] : 0, c + 3 < C ? row[c + 3] : 0);
}

static __device__ void store(float* row, long c, long C, float4 v) {
    if (C % 4 == 0) {
        if (c < C) *(float4*)(row + c) = v;
        return;
    }
    if (c < C) row[c] = v.x;
    if (c + 1 < C) row[c + 1] = v.y;
    if (c + 2 < C) row[c + 2] = v.z;
    if (c + 3 < C) row[c + 3] = v.w;
}

extern "C" __global__ void k(const float* __restrict__ a, float* __restrict__ o, long R, long C) {
    __shared__ float tile[64][65];
    const long r0 = blockIdx.y * 64L, c0 = blockIdx.x * 64L;
    const int across = 4 * (threadIdx.x % 16), down = threadIdx.x / 16;
    for (int y = down; y < 64; y += 16) {
        if (r0 + y >= R) break;
        const float4 v = load(a + (r0 + y) * C, c0 + across, C);
        tile[y][across] = v.x, tile[y][across + 1] = v.y, tile[y][across + 2] = v.z, tile[y][across + 3] = v.w;
    }
    __syncthreads();
    for (int x = down; x < 64; x += 16) {
        if (c0 + x >= C) break;
        store(o + (c0 + x) * R, r0 + across, R, make_float4(tile[across][x], tile[across + 1][x], tile[across + 2][x], tile[across + 3][x]));
    }
}
