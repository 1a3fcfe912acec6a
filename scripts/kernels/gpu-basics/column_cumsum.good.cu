// A block of 32 x 16 threads goes down 32 columns in panels of 256 rows, 16 rows of a column a thread in registers: one pass over memory,
// many loads in flight.
constexpr int rows = 16, strips = 16;

extern "C" __global__ void k(const float* __restrict__ a, float* __restrict__ o, long R, long C) {
    __shared__ float totals[strips][32];
    const int lane = threadIdx.x, strip = threadIdx.y;
    const long c = blockIdx.x * 32L + lane;
    float carry = 0;  // of all panels before
    for (long panel = 0; panel < R; panel += rows * strips) {
        const long first = panel + strip * rows;
        float v[rows], sum = 0;
        for (int j = 0; j < rows; ++j) v[j] = c < C && first + j < R ? a[(first + j) * C + c] : 0;
        for (int j = 0; j < rows; ++j) v[j] = sum += v[j];
        totals[strip][lane] = sum;
        __syncthreads();
        float before = carry;
        for (int s = 0; s < strips; ++s) {
            if (s == strip) before = carry;
            carry += totals[s][lane];
        }
        for (int j = 0; j < rows; ++j)
            if (c < C && first + j < R) o[(first + j) * C + c] = v[j] + before;
        __syncthreads();  // before the next totals are written
    }
}
