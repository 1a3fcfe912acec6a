// 128 queries of a head a block, 16 a warp; tiles of 64 keys and values come through shared memory, the next keys while values are summed and
// the next values while scores are made. The weights of a warp's rows pass through shared memory, which turns them for the second product.
constexpr int ROWS = 128, KEYS = 64, WIDTH = 64, PAD = 4;

struct Shared {
    float q[ROWS][WIDTH + PAD], k[KEYS][WIDTH + PAD], v[KEYS][WIDTH], p[ROWS][KEYS + PAD];
};

// 16 bytes to shared memory behind the threads' back; zeros where `valid` is false.
__device__ void copy16(void* to, const void* from, bool valid) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(valid ? 16 : 0) : "memory");
}

__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int open> __device__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(open) : "memory"); }

template <int rows, int LD> __device__ void load(float (&to)[rows][LD], const float* from, long first, long S) {
#pragma unroll
    for (int j = 0; j < rows * WIDTH / 4 / 256; ++j) {
        const int i = threadIdx.x + 256 * j, r = i / (WIDTH / 4), d = i % (WIDTH / 4) * 4;
        copy16(&to[r][d], first + r < S ? from + (first + r) * WIDTH + d : from, first + r < S);
    }
    commit();
}

__device__ float4 quad(const float* at) { return *reinterpret_cast<const float4*>(at); }

// One chain of fused multiply-adds, which a sum of four products would not be.
__device__ float dot(float4 a, float4 b, float sum) {
    sum += a.x * b.x;
    sum += a.y * b.y;
    sum += a.z * b.z;
    return sum + a.w * b.w;
}

// Scores of rows row + 4i and keys key + 8j.
__device__ void score(const Shared& s, float (&p)[4][8], int row, int key) {
#pragma unroll 4
    for (int d = 0; d < WIDTH; d += 4) {
        float4 q[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) q[i] = quad(&s.q[row + 4 * i][d]);
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            const float4 k = quad(&s.k[key + 8 * j][d]);
#pragma unroll
            for (int i = 0; i < 4; ++i) p[i][j] = dot(q[i], k, p[i][j]);
        }
    }
}

// Rows row + 4i, values col .. col+3 and col+32 .. col+35.
__device__ void gather(const Shared& s, float (&sum)[4][8], int row, int col) {
#pragma unroll 4
    for (int key = 0; key < KEYS; key += 4) {
        float4 p[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) p[i] = quad(&s.p[row + 4 * i][key]);
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            const float4 v0 = quad(&s.v[key + q][col]), v1 = quad(&s.v[key + q][col + 32]);
            const float v[8] = {v0.x, v0.y, v0.z, v0.w, v1.x, v1.y, v1.z, v1.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j) sum[i][j] += (q == 0 ? p[i].x : q == 1 ? p[i].y : q == 2 ? p[i].z : p[i].w) * v[j];
        }
    }
}

// Scores become weights below the largest so far; what was summed before shrinks accordingly.
__device__ void weigh(float (&p)[8], float (&sum)[8], float& most, float& total, int valid) {
    constexpr float scale = 0.125f * 1.4426950409f;  // exp(x / 8) = exp2(scale x)
    float largest = most;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        p[j] = 8 * j < valid ? p[j] * scale : -1.0f / 0.0f;
        largest = fmaxf(largest, p[j]);
    }
    for (int other = 4; other; other /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, other));
    const float shrink = exp2f(most - largest);
    float here = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        here += p[j] = exp2f(p[j] - largest);
        sum[j] *= shrink;
    }
    for (int other = 4; other; other /= 2) here += __shfl_xor_sync(~0u, here, other);
    most = largest;
    total = total * shrink + here;
}

extern "C" __global__ void __launch_bounds__(256, 2) k(const float* a, const float* b, const float* c, float* o, long H, long S) {
    extern __shared__ __align__(16) unsigned char shared[];
    Shared& s = *reinterpret_cast<Shared*>(shared);
    const long head = blockIdx.y * S * WIDTH, first = blockIdx.x * ROWS;
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 8, tiles = static_cast<int>(S + KEYS - 1) / KEYS;
    float sum[4][8] = {}, most[4] = {-1.0f / 0.0f, -1.0f / 0.0f, -1.0f / 0.0f, -1.0f / 0.0f}, total[4] = {};
    load(s.q, a + head, first, S);
    load(s.k, b + head, 0, S);
    for (int t = 0; t < tiles; ++t) {
        wait<0>();
        __syncthreads();
        load(s.v, c + head, t * KEYS, S);
        float p[4][8] = {};
        score(s, p, row, lane % 8);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            weigh(p[i], sum[i], most[i], total[i], static_cast<int>(S) - t * KEYS - lane % 8);
#pragma unroll
            for (int j = 0; j < 8; ++j) s.p[row + 4 * i][lane % 8 + 8 * j] = p[i][j];
        }
        wait<0>();
        __syncthreads();
        if (t + 1 < tiles) load(s.k, b + head, (t + 1) * KEYS, S);
        gather(s, sum, row, lane % 8 * 4);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        if (first + row + 4 * i >= S) continue;
        float* at = o + head + (first + row + 4 * i) * WIDTH + lane % 8 * 4;
        const float part = 1 / total[i];
        *reinterpret_cast<float4*>(at) = make_float4(sum[i][0] * part, sum[i][1] * part, sum[i][2] * part, sum[i][3] * part);
        *reinterpret_cast<float4*>(at + 32) = make_float4(sum[i][4] * part, sum[i][5] * part, sum[i][6] * part, sum[i][7] * part);
    }
}
