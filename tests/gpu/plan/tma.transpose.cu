// A tile of 32 x 32 numbers comes by the tensor memory accelerator; rows whose length is no multiple of 16 bytes are read by `plain`.
struct alignas(64) Map { char bytes[128]; };

extern "C" __global__ void tiles(const __grid_constant__ Map map, float* o, long R, long C) {
    __shared__ alignas(128) float tile[32][32];
    __shared__ alignas(8) unsigned long long arrived;
    const unsigned bar = (unsigned)__cvta_generic_to_shared(&arrived), to = (unsigned)__cvta_generic_to_shared(tile);
    const int c0 = blockIdx.x * 32, r0 = blockIdx.y * 32;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(32 * 32 * 4) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                     "l"(&map), "r"(c0), "r"(r0), "r"(bar)
                     : "memory");
    }
    __syncthreads();
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(bar) : "memory");
    const long r = r0 + threadIdx.x % 32;
    for (int j = threadIdx.x / 32; j < 32; j += blockDim.x / 32)
        if (r < R && c0 + j < C) o[(c0 + j) * R + r] = tile[threadIdx.x % 32][j];
}

extern "C" __global__ void plain(const float* a, float* o, long R, long C) {
    const long c = blockIdx.x * 32 + threadIdx.x % 32;
    for (long r = blockIdx.y * 32 + threadIdx.x / 32; r < blockIdx.y * 32 + 32; r += blockDim.x / 32)
        if (r < R && c < C) o[c * R + r] = a[r * C + c];
}
