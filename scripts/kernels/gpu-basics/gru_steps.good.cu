// What the inputs give to all steps is one product, made first. Then one cooperative launch takes the steps: a block keeps the weights of
// four units in shared memory, a warp makes their sums for one sequence after the other, and all blocks meet after every step.
constexpr int UNITS = 4, GATES = 3, ROWS = UNITS * GATES, TILE = 32, SLICE = 32;

// gx[r, n] = x[r] . wi[n] + bi[n] for R rows of x: tiles of 32x32, four neighbouring sums a thread.
extern "C" __global__ void __launch_bounds__(256)
    project(const float* x, const float* wi, const float* bi, float* gx, long R, long N, long K) {
    __shared__ __align__(16) float a[TILE][SLICE + 4], b[SLICE][TILE + 4];
    const long r0 = blockIdx.y * TILE, n0 = blockIdx.x * TILE;
    const int row = threadIdx.x / 8, col = threadIdx.x % 8 * 4;
    float4 sum = make_float4(0, 0, 0, 0);
    for (long k0 = 0; k0 < K; k0 += SLICE) {
        const float4 zero = make_float4(0, 0, 0, 0);
        const bool inside = k0 + col < K;
        const float4 p = inside && r0 + row < R ? *reinterpret_cast<const float4*>(x + (r0 + row) * K + k0 + col) : zero;
        const float4 q = inside && n0 + row < N ? *reinterpret_cast<const float4*>(wi + (n0 + row) * K + k0 + col) : zero;
        __syncthreads();
        *reinterpret_cast<float4*>(&a[row][col]) = p;
        b[col][row] = q.x, b[col + 1][row] = q.y, b[col + 2][row] = q.z, b[col + 3][row] = q.w;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < SLICE; ++k) {
            const float s = a[row][k];
            const float4 w = *reinterpret_cast<const float4*>(&b[k][col]);
            sum.x += s * w.x, sum.y += s * w.y, sum.z += s * w.z, sum.w += s * w.w;
        }
    }
    const long n = n0 + col;
    if (r0 + row < R && n < N)
        *reinterpret_cast<float4*>(gx + (r0 + row) * N + n) =
            make_float4(sum.x + bi[n], sum.y + bi[n + 1], sum.z + bi[n + 2], sum.w + bi[n + 3]);
}

__device__ float sigmoid(float x) { return 1 / (1 + expf(-x)); }

// All blocks meet. word[0] counts those that have come, word[1] the meetings; the last to come opens the next one.
__device__ void grid_sync(unsigned* word) {
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned before, now;
        asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(before) : "l"(word + 1) : "memory");
        __threadfence();
        if (atomicAdd(word, 1u) == gridDim.x - 1) {
            *word = 0;
            __threadfence();
            atomicAdd(word + 1, 1u);
        } else {
            do asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(word + 1) : "memory");
            while (now == before);
        }
        __threadfence();
    }
    __syncthreads();
}

// The products of one sequence's state and the weights of all rows; every lane gets all sums.
__device__ void products(const float* state, const float* weights, float (&sum)[ROWS], int lane, int H) {
    for (int x = lane * 4; x < H; x += 128) {
        const float4 s = __ldcg(reinterpret_cast<const float4*>(state + x));
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            const float4 w = *reinterpret_cast<const float4*>(weights + r * H + x);
            sum[r] += s.x * w.x;
            sum[r] += s.y * w.y;
            sum[r] += s.z * w.z;
            sum[r] += s.w * w.w;
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
#pragma unroll
        for (int other = 16; other; other /= 2) sum[r] += __shfl_xor_sync(~0u, sum[r], other);
}

extern "C" __global__ void __launch_bounds__(256)
    steps(const float* gx, const float* h, const float* wh, const float* bh, float* o, unsigned* word, long T, long B, long H) {
    extern __shared__ __align__(16) float weights[];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const long first = blockIdx.x * UNITS;  // row g * UNITS + i holds gate g of unit first + i
    for (long i = threadIdx.x; i < ROWS * H; i += 256) weights[i] = wh[(i / H / UNITS * H + first + i / H % UNITS) * H + i % H];
    __syncthreads();
    for (long t = 0; t < T; ++t) {
        const float* before = t ? o + (t - 1) * B * H : h;
        for (long b = warp; b < B; b += 8) {
            float sum[ROWS] = {};
            products(before + b * H, weights, sum, lane, static_cast<int>(H));
            const long u = first + lane;
            float mine[GATES], p[GATES];
#pragma unroll
            for (int g = 0; g < GATES; ++g) {
                mine[g] = lane == 0 ? sum[g * UNITS] : lane == 1 ? sum[g * UNITS + 1] : lane == 2 ? sum[g * UNITS + 2] : sum[g * UNITS + 3];
                if (lane < UNITS) mine[g] += bh[g * H + u], p[g] = gx[((t * B + b) * GATES + g) * H + u];
            }
            if (lane < UNITS) {
                const float r = sigmoid(mine[0] + p[0]), z = sigmoid(mine[1] + p[1]), n = tanhf(p[2] + r * mine[2]);
                o[(t * B + b) * H + u] = (1 - z) * n + z * __ldcg(before + b * H + u);
            }
        }
        grid_sync(word);
    }
}
