// 128x256 products a block by two warp groups with Hopper's asynchronous tensor cores (wgmma). Operands lie in rows of 128 bytes whose
// 16-byte pieces are swizzled, as wgmma reads them; cp.async brings slices two ahead, and one slice's products are under way across the barrier.
#include <cuda_bf16.h>

constexpr int TM = 128, TN = 256, TK = 64, STAGES = 4;

struct Stage {
    __nv_bfloat16 a[TM][TK];           // row m: steps of the slice
    __nv_bfloat16 b[TN / 64][TK][64];  // row k of a panel: 64 columns
};

// 16 bytes to shared memory behind the threads' back; zeros where `valid` is false.
__device__ void copy16(void* to, const void* from, bool valid) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(valid ? 16 : 0) : "memory");
}

__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int open> __device__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(open) : "memory"); }

__device__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int open> __device__ void wgmma_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(open) : "memory"); }
__device__ void show_to_tensor_cores() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }  // what cp.async has brought

// d += a b for 64 rows, 256 columns and 16 steps: a with its steps side by side in memory, b with its columns side by side.
// clang-format off
__device__ void wgmma(float (&d)[128], unsigned long long a, unsigned long long b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
        "}, %128, %129, 1, 1, 1, 0, 1;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
          "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
          "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
          "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]),
          "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]),
          "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
          "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
          "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]),
          "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]),
          "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]),
          "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]),
          "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]),
          "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]),
          "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]),
          "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]),
          "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
        : "l"(a), "l"(b));
}
// clang-format on

__device__ int swizzle(int row, int column) { return column ^ row % 8 * 8; }

// Rows of 128 bytes, eight of them in a group of 1024; `panel` bytes from one panel of 64 columns to the next.
__device__ unsigned long long describe(const void* at, unsigned long long panel) {
    const unsigned long long address = __cvta_generic_to_shared(at);
    return (address & 0x3ffff) >> 4 | panel >> 4 << 16 | 1024ull >> 4 << 32 | 1ull << 62;
}

__device__ void load(Stage& s, const __nv_bfloat16* a, const __nv_bfloat16* b, int m0, int n0, int k0, int M, int K, int N) {
#pragma unroll
    for (int j = 0; j < TM * TK / 8 / 256; ++j) {
        const int i = threadIdx.x + 256 * j;
        const int m = i / (TK / 8), k = i % (TK / 8) * 8;
        const bool valid = m0 + m < M && k0 + k < K;
        copy16(&s.a[m][swizzle(m, k)], valid ? a + (m0 + m) * static_cast<long>(K) + k0 + k : a, valid);
    }
#pragma unroll
    for (int j = 0; j < TK * TN / 8 / 256; ++j) {
        const int i = threadIdx.x + 256 * j;
        const int k = i / (TN / 8), n = i % (TN / 8) * 8;
        const bool valid = k0 + k < K && n0 + n < N;
        copy16(&s.b[n / 64][k][swizzle(k, n % 64)], valid ? b + (k0 + k) * static_cast<long>(N) + n0 + n : b, valid);
    }
}

__device__ void multiply(const Stage& s, float (&sum)[128], int row) {
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < TK; k += 16) wgmma(sum, describe(&s.a[row][k], 16), describe(&s.b[0][k][0], sizeof s.b[0]));
    wgmma_commit();
}

extern "C" __global__ void __launch_bounds__(256, 1)
    k(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* o, long M, long K, long N) {
    extern __shared__ __align__(1024) unsigned char shared[];
    Stage* stage = reinterpret_cast<Stage*>(shared);
    const int m0 = blockIdx.y * TM, n0 = blockIdx.x * TN, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row = warp / 4 * 64, tiles = static_cast<int>(K + TK - 1) / TK;
    float sum[128] = {};
    for (int t = 0; t < STAGES - 2; ++t) {
        if (t < tiles) load(stage[t], a, b, m0, n0, t * TK, M, K, N);
        commit();
    }
    for (int t = 0; t < tiles; ++t) {
        wait<STAGES - 3>();
        show_to_tensor_cores();
        __syncthreads();
        const int next = t + STAGES - 2;  // into the stage whose products everybody has waited for
        if (next < tiles) load(stage[next % STAGES], a, b, m0, n0, next * TK, M, K, N);
        commit();
        multiply(stage[t % STAGES], sum, row);
        wgmma_wait<1>();
    }
    wgmma_wait<0>();
    __syncthreads();
    // Through shared memory, so that whole rows leave together; every warp writes and reads its own 16 rows.
    __nv_bfloat16(*rows)[TN + 8] = reinterpret_cast<__nv_bfloat16(*)[TN + 8]>(shared) + warp * 16;
#pragma unroll
    for (int j = 0; j < TN / 8; ++j) {
        const int n = 8 * j + lane % 4 * 2;
#pragma unroll
        for (int half = 0; half < 2; ++half)
            *reinterpret_cast<__nv_bfloat162*>(&rows[lane / 4 + 8 * half][n]) =
                __floats2bfloat162_rn(sum[4 * j + 2 * half], sum[4 * j + 2 * half + 1]);
    }
    __syncwarp();
    for (int r = 0; r < 16; ++r) {
        const long m = m0 + warp * 16 + r, n = n0 + lane * 8;
        if (m < M && n < N) *reinterpret_cast<uint4*>(o + m * N + n) = *reinterpret_cast<const uint4*>(&rows[r][lane * 8]);
    }
}
