// 400 kB of local memory a thread, for as many threads as the device can hold: more than it has.
extern "C" __global__ void k(const float* a, const float* b, float* o, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    volatile float room[100000];
    if (i >= N) return;
    for (int s = 0; s < 100000; s += 1000) room[(s + i) % 100000] = a[i];
    o[i] = 2 * room[i % 100000] + b[i];
}
