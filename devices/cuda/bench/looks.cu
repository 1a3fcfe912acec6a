// hone/checks.h on the device; hone/checks_on_host.hpp does the same in loops. Sums are taken in one order whatever the schedule, so that the same answer gives the same numbers.
using u64 = unsigned long long;

constexpr int threads = 256;

static __device__ u64 first_index() { return blockIdx.x * (u64)blockDim.x + threadIdx.x; }
static __device__ u64 all_threads() { return (u64)gridDim.x * blockDim.x; }
static __device__ bool is_finite(double x) { return x - x == 0; }

extern "C" __global__ void differ(const unsigned* a, const unsigned* b, u64 bytes, u64* count) {
    u64 found = 0;
    for (u64 i = first_index(); i * 4 < bytes; i += all_threads()) {
        unsigned bits = a[i] ^ b[i];
        if (bytes - i * 4 < 4) bits &= (1u << 8 * (bytes - i * 4)) - 1;  // the last bytes of an odd size
        for (; bits; bits >>= 8) found += (bits & 255) != 0;
    }
    if (found) atomicAdd(count, found);
}

extern "C" __global__ void strays(const unsigned* at, u64 words, unsigned word, u64* count) {
    u64 found = 0;
    for (u64 i = first_index(); i < words; i += all_threads()) found += at[i] != word;
    if (found) atomicAdd(count, found);
}

extern "C" __global__ void widen(const void* from, int dtype, u64 n, double* to) {
    for (u64 i = first_index(); i < n; i += all_threads()) to[i] = get(from, dtype, i);
}

static __device__ void add(hone_moments& a, const hone_moments& b) {
    a.compared += b.compared; a.sum += b.sum; a.squares += b.squares;
}
static __device__ void add(hone_errors& a, const hone_errors& b) {
    a.compared += b.compared; a.unwritten += b.unwritten;
    for (int i = 0; i < HONE_FAULTS; ++i) a.faults[i] += b.faults[i];
    a.squares += b.squares; a.relative += b.relative; a.worst = fmax(a.worst, b.worst);
}

template <class T> static __device__ void add_block(T& mine, T* shared) {
    shared[threadIdx.x] = mine;
    for (int half = threads / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) add(shared[threadIdx.x], shared[threadIdx.x + half]);
    }
    __syncthreads();
    mine = shared[0];
    __syncthreads();
}

static __device__ unsigned finished_blocks;  // 0 between launches, which follow each other in one queue

// The last block to finish adds what all have found.
template <class T> static __device__ void conclude(T mine, T* parts, T* result) {
    __shared__ T shared[threads];
    __shared__ bool last;
    add_block(mine, shared);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = mine;
        __threadfence();
        last = atomicAdd(&finished_blocks, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    T all = {};
    for (unsigned b = threadIdx.x; b < gridDim.x; b += threads) add(all, parts[b]);
    add_block(all, shared);
    if (threadIdx.x) return;
    *result = all;
    finished_blocks = 0;
}

extern "C" __global__ void moments(const void* answer, int dtype, u64 n, double* truth, hone_moments* parts, hone_moments* result) {
    hone_moments mine = {};
    for (u64 i = first_index(); i < n; i += all_threads()) {
        const double y = truth[i], x = get(answer, dtype, i);
        if (is_finite(y) && is_finite(x)) {
            ++mine.compared;
            mine.sum += y;
            mine.squares += y * y;
        } else if (!(y != y && x != x) && y != x) {
            truth[i] = __longlong_as_double(HONE_SILENT);
        }
    }
    conclude(mine, parts, result);
}

// One thread an element, a rank for each among the finite ones of its neighbourhood.
extern "C" __global__ void scale_of_neighbours(const double* truth, u64 n, double usual, double* local_scale) {
    __shared__ double values[threads];
    const u64 i = first_index();
    const unsigned first = threadIdx.x / HONE_NEAR * HONE_NEAR;
    const double mine = i < n ? fabs(truth[i]) : __longlong_as_double(HONE_SILENT);
    values[threadIdx.x] = mine;
    __syncthreads();
    int rank = 0, all = 0;
    for (unsigned j = first; j < first + HONE_NEAR; ++j) {
        const double other = values[j];
        if (!is_finite(other)) continue;
        ++all;
        rank += other < mine || (other == mine && j < threadIdx.x);
    }
    const bool leader = threadIdx.x == first;
    if (i >= n) return;
    if (all == 0 && leader) local_scale[i / HONE_NEAR] = usual;
    if (is_finite(mine) && rank == all / 2) local_scale[i / HONE_NEAR] = fmax(usual, mine);
}

// One block a row.
extern "C" __global__ void scale_of_rows(const double* truth, u64 n, u64 row, double roundoff, double* local_scale) {
    __shared__ hone_moments shared[threads];
    for (u64 first = blockIdx.x * row; first < n; first += gridDim.x * row) {
        const u64 end = first + row < n ? first + row : n;
        hone_moments mine = {};
        for (u64 i = first + threadIdx.x; i < end; i += threads)
            if (is_finite(truth[i])) ++mine.compared, mine.squares += truth[i] * truth[i];
        add_block(mine, shared);
        if (!mine.compared) continue;
        const double least = roundoff * sqrt(mine.squares / mine.compared);  // not negative: such doubles are ordered as their bits are
        for (u64 b = first / HONE_NEAR + threadIdx.x; b * HONE_NEAR < end; b += threads)
            atomicMax((u64*)local_scale + b, (u64)__double_as_longlong(least));
    }
}

static __device__ bool holds_poison(const void* at, int dtype, u64 i, unsigned word) {
    switch (dtype) {
        case 0: case 4: return ((const u64*)at)[i] == ((u64)word << 32 | word);
        case 1: case 5: return ((const unsigned*)at)[i] == word;
        case 2: case 3: return ((const unsigned short*)at)[i] == (unsigned short)(word >> 16 * (i & 1));
        default: return ((const unsigned char*)at)[i] == (unsigned char)(word >> 8 * (i & 3));
    }
}

extern "C" __global__ void compare(const void* got, int dtype, u64 n, hone_comparison with, hone_errors* parts, hone_errors* result) {
    const double *truth = (const double*)with.truth, *local_scale = (const double*)with.local_scale;
    const bool exact = with.allowed.exact;
    hone_errors mine = {};
    for (u64 i = first_index(); i < n; i += all_threads()) {
        const double value = get(got, dtype, i);
        const hone_look look = hone_look_at(truth[i], value, exact ? 0 : local_scale[i / HONE_NEAR], with.allowed);
        mine.compared += look.compared;
        // a whole number may happen to be the poison's value
        mine.unwritten += with.poisoned && holds_poison(got, dtype, i, with.poison) && !(exact && value == truth[i]);
        if (look.fault) ++mine.faults[look.fault];
        mine.squares += look.error * look.error;
        mine.relative += look.d * look.d;
        mine.worst = fmax(mine.worst, look.d);
    }
    conclude(mine, parts, result);
}
