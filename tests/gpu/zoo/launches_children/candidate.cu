// The device runtime's own entry points, declared by hand since the compiler refuses the usual form of a launch.
extern "C" __device__ void* __cudaCDP2GetParameterBufferV2(void* kernel, dim3 grid, dim3 block, unsigned shared);
extern "C" __device__ int __cudaCDP2LaunchDeviceV2(void* parameters, void* stream);

struct Parameters {
    const float *a, *b;
    float* o;
    long N;
};

extern "C" __global__ void child(Parameters p) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < p.N) p.o[i] = 2 * p.a[i] + p.b[i];
}

extern "C" __global__ void k(const float* a, const float* b, float* o, long N) {
    if (blockIdx.x || threadIdx.x) return;
    void* const room = __cudaCDP2GetParameterBufferV2((void*)child, dim3((N + 255) / 256), dim3(256), 0);
    *(Parameters*)room = {a, b, o, N};
    __cudaCDP2LaunchDeviceV2(room, nullptr);
}
