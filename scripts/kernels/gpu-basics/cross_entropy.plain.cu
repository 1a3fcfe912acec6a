// one thread a row
extern "C" __global__ void k(const float* a, const long long* b, float* o, long R, long C) {
    const long r = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (r >= R) return;
    const float* row = a + r * C;
    float m = row[0], sum = 0;
    for (long c = 1; c < C; ++c) m = fmaxf(m, row[c]);
    for (long c = 0; c < C; ++c) sum += expf(row[c] - m);
    o[r] = logf(sum) + m - row[b[r]];
}
