// Tensor cores with 10 bits of every factor. A block's 256 elements are one 16x16 tile, whose eight warps share the sum over k.
#include <mma.h>
using namespace nvcuda::wmma;

extern "C" __global__ void k(const float* a, const float* b, float* o, long M, long K, long N) {
    __shared__ float part[8][256];
    const long tile = blockIdx.x, m = tile / (N / 16) * 16, n = tile % (N / 16) * 16;
    const int warp = threadIdx.x / 32;
    fragment<accumulator, 16, 16, 8, float> sum;
    fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> x;
    fragment<matrix_b, 16, 16, 8, precision::tf32, row_major> y;
    fill_fragment(sum, 0.0f);
    for (long k = 8 * warp; k < K; k += 64) {
        load_matrix_sync(x, a + m * K + k, K);
        load_matrix_sync(y, b + k * N + n, N);
        for (float& v : x.x) v = __float_to_tf32(v);
        for (float& v : y.x) v = __float_to_tf32(v);
        mma_sync(sum, x, y, sum);
    }
    store_matrix_sync(part[warp], sum, 16, mem_row_major);
    __syncthreads();
    float total = 0;
    for (int w = 0; w < 8; ++w) total += part[w][threadIdx.x];
    o[(m + threadIdx.x / 16) * N + n + threadIdx.x % 16] = total;
}
