// One 16x16 tile of the product a warp, by the portable tensor-core interface; operands come straight from memory.
#include <cuda_bf16.h>
#include <mma.h>

using namespace nvcuda::wmma;

extern "C" __global__ void __launch_bounds__(256)
    k(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* o, long M, long K, long N) {
    __shared__ __align__(32) float tiles[8][16][16];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const long tile = blockIdx.x * 8l + warp, m = tile / (N / 16) * 16, n = tile % (N / 16) * 16;
    if (m >= M) return;
    fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major> x;
    fragment<matrix_b, 16, 16, 16, __nv_bfloat16, row_major> y;
    fragment<accumulator, 16, 16, 16, float> sum;
    fill_fragment(sum, 0.0f);
    for (long k = 0; k < K; k += 16) {
        load_matrix_sync(x, a + m * K + k, K);
        load_matrix_sync(y, b + k * N + n, N);
        mma_sync(sum, x, y, sum);
    }
    store_matrix_sync(tiles[warp][0], sum, 16, mem_row_major);
    __syncwarp();
    for (int i = lane; i < 256; i += 32) o[(m + i / 16) * N + n + i % 16] = __float2bfloat16(tiles[warp][i / 16][i % 16]);
}
