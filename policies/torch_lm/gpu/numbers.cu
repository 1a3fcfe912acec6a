// One decode step's kernels; larger matrix products lie between them (steps.cpp). Compiled by NVRTC for one model:
// WIDTH, HEADS, KV_HEADS, HEAD_WIDTH, MLP, VOCABULARY, LAYERS, EPSILON, and, where they hold, NARROW (bfloat16),
// QK_NORM, QKV_BIAS. Rounded where transformer/ rounds, so that what is sampled is what is scored.
#ifdef NARROW
typedef unsigned short number;
__device__ float wide(number x) { return __uint_as_float((unsigned)x << 16); }
__device__ number narrow(float x) {  // to nearest, ties to even
    const unsigned bits = __float_as_uint(x);
    return (number)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
#else
typedef float number;
__device__ float wide(number x) { return x; }
__device__ number narrow(float x) { return x; }
#endif
__device__ float rounded(float x) { return wide(narrow(x)); }

struct alignas(16) Eight {
    number at[8];
};
__device__ const Eight& eight(const number* at) { return *reinterpret_cast<const Eight*>(at); }
__device__ Eight& eight(number* at) { return *reinterpret_cast<Eight*>(at); }

constexpr int block_tokens = 16, warp = 32, norm_threads = NORM_THREADS, attention_warps = 4, draw_threads = 1024;
constexpr float nothing = -1e30f;  // below any score
constexpr int per_row = (HEADS + 2 * KV_HEADS) * HEAD_WIDTH;

// A kernel that is launched `early` (kernels.hpp) begins before the kernel in front of it ends. Before
// `wait_for_previous` it may read only what no kernel of the step writes.
#if __CUDA_ARCH__ >= 900
__device__ void let_next_begin() { asm volatile("griddepcontrol.launch_dependents;"); }
__device__ void wait_for_previous() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
#else
__device__ void let_next_begin() {}
__device__ void wait_for_previous() {}
#endif

__device__ float sum_of_lanes(float x, int lanes) {
    for (int step = lanes / 2; step > 0; step /= 2) x += __shfl_xor_sync(~0u, x, step);
    return x;
}

template <class T, class Join> __device__ T of_block(T x, Join join, T* shared) {  // shared: [32]
    for (int step = warp / 2; step > 0; step /= 2) x = join(x, __shfl_xor_sync(~0u, x, step));
    __syncthreads();
    if (threadIdx.x % warp == 0) shared[threadIdx.x / warp] = x;
    __syncthreads();
    x = shared[0];
    for (int i = 1; i < blockDim.x / warp; ++i) x = join(x, shared[i]);
    return x;
}

// Both at once: a block waits half as often.
__device__ void sums_of_block(float& a, float& b, float* shared) {  // shared: [64]
    a = sum_of_lanes(a, warp), b = sum_of_lanes(b, warp);
    __syncthreads();
    if (threadIdx.x % warp == 0) shared[threadIdx.x / warp] = a, shared[warp + threadIdx.x / warp] = b;
    __syncthreads();
    a = shared[0], b = shared[warp];
    for (int i = 1; i < blockDim.x / warp; ++i) a += shared[i], b += shared[warp + i];
}

struct Add {
    template <class T> __device__ T operator()(T a, T b) const { return a + b; }
};
struct Most {
    template <class T> __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};
