// Attention for short sequences and small heads: keys and values of one head stay in the first-level cache, so plain
// loops over transposed copies reach what blocked products would, without their overhead. Each function is compiled for
// the usual head widths (the template parameter; 0: any), because rows of 32 or 64 floats then stay in registers.
#include <algorithm>
#include <cmath>
#include "torch_lm/host/kernels.hpp"
#include "torch_lm/host/vector_math.hpp"

namespace hone::lm::host {
namespace {

constexpr std::int64_t lane_count = 16;
typedef float Lanes __attribute__((vector_size(lane_count * sizeof(float)), aligned(4), may_alias));

template <int Width> HONE_INLINE std::int64_t width_of(const AttentionShape& shape) {
    return Width ? Width : shape.head_width;
}
HONE_INLINE std::int64_t padded(std::int64_t n) { return (n + lane_count - 1) / lane_count * lane_count; }
HONE_INLINE float score_scale(std::int64_t width) { return 1.0f / std::sqrt(static_cast<float>(width)); }

// s[j] = sum_c q[c] columns[c][j]; writes whole lanes, so s and the columns have room up to padded(n)
HONE_INLINE void dots(float* s, const float* q, const float* columns, std::int64_t stride, std::int64_t n,
                      std::int64_t width) {
    for (std::int64_t j = 0; j < n; j += lane_count) {
        Lanes even{}, odd{};
        for (std::int64_t c = 0; c < width; c += 2) {
            even += q[c] * *reinterpret_cast<const Lanes*>(columns + c * stride + j);
            odd += q[c + 1] * *reinterpret_cast<const Lanes*>(columns + (c + 1) * stride + j);
        }
        *reinterpret_cast<Lanes*>(s + j) = even + odd;
    }
}

// out[c] += sum_j w[j] rows[j][c]
HONE_INLINE void combine(float* out, const float* w, const float* rows, std::int64_t stride, std::int64_t n,
                         std::int64_t width) {
    std::int64_t c = 0;
    for (; c + 2 * lane_count <= width; c += 2 * lane_count) {
        Lanes a[2] = {}, b[2] = {};  // even and odd rows: two chains of additions each
        std::int64_t j = 0;
        for (; j + 2 <= n; j += 2) {
            const Lanes *even = reinterpret_cast<const Lanes*>(rows + j * stride + c),
                        *odd = reinterpret_cast<const Lanes*>(rows + (j + 1) * stride + c);
            a[0] += w[j] * even[0], a[1] += w[j] * even[1];
            b[0] += w[j + 1] * odd[0], b[1] += w[j + 1] * odd[1];
        }
        if (j < n) {
            const Lanes* last = reinterpret_cast<const Lanes*>(rows + j * stride + c);
            a[0] += w[j] * last[0], a[1] += w[j] * last[1];
        }
        Lanes* to = reinterpret_cast<Lanes*>(out + c);
        to[0] += a[0] + b[0], to[1] += a[1] + b[1];
    }
    for (std::int64_t j = 0; c < width && j < n; ++j)
#pragma omp simd
        for (std::int64_t i = c; i < width; ++i) out[i] += w[j] * rows[j * stride + i];
}

// rows[j][c] += w[j] v[c]
HONE_INLINE void spread(float* __restrict rows, std::int64_t stride, const float* w, const float* __restrict v,
                        std::int64_t n, std::int64_t width) {
    for (std::int64_t j = 0; j < n; ++j)
#pragma omp simd
        for (std::int64_t c = 0; c < width; ++c) rows[j * stride + c] += w[j] * v[c];
}

HONE_INLINE void transpose(float* columns, std::int64_t n_padded, const float* rows, std::int64_t stride,
                           std::int64_t n, std::int64_t width) {
    for (std::int64_t c = 0; c < width; ++c)
        for (std::int64_t j = 0; j < n; ++j) columns[c * n_padded + j] = rows[j * stride + c];
}

// s becomes softmax(scale * s); returns the logarithm of the sum
HONE_INLINE float softmax(float* s, std::int64_t n, float scale) {
    float most = s[0], sum = 0;
#pragma omp simd reduction(max : most)
    for (std::int64_t j = 0; j < n; ++j) most = std::max(most, s[j]);
#pragma omp simd reduction(+ : sum)
    for (std::int64_t j = 0; j < n; ++j) {
        s[j] = exponential((s[j] - most) * scale);
        sum += s[j];
    }
    const float inverse = 1.0f / sum;
#pragma omp simd
    for (std::int64_t j = 0; j < n; ++j) s[j] *= inverse;
    return most * scale + std::log(sum);
}

template <int Width>
HONE_INLINE void forward(const AttentionShape& shape, const float* qkv, float* out, float* log_sum, float* scratch,
                         std::int64_t n) {
    const std::int64_t width = width_of<Width>(shape), stride = shape.stride(), n_padded = padded(n),
                       sharing = shape.heads / shape.kv_heads;
    float *columns = scratch, *s = scratch + width * n_padded;
    for (std::int64_t h = 0; h < shape.heads; ++h) {
        const std::int64_t kv = h / sharing;
        const float *k = qkv + (shape.heads + kv) * width, *v = qkv + (shape.heads + shape.kv_heads + kv) * width;
        if (h % sharing == 0) transpose(columns, n_padded, k, stride, n, width);
        for (std::int64_t i = 0; i < n; ++i) {
            float* o = out + i * shape.out_stride() + h * width;
            dots(s, qkv + i * stride + h * width, columns, n_padded, i + 1, width);
            log_sum[i * shape.heads + h] = softmax(s, i + 1, score_scale(width));
            std::fill(o, o + width, 0.0f);
            combine(o, s, v, stride, i + 1, width);
        }
    }
}

template <int Width>
HONE_INLINE void backward(const AttentionShape& shape, const float* qkv, const float* out, const float* log_sum,
                          const float* d_out, float* d_qkv, float* scratch, std::int64_t n) {
    const std::int64_t width = width_of<Width>(shape), stride = shape.stride(), out_stride = shape.out_stride(),
                       n_padded = padded(n);
    const std::int64_t sharing = shape.heads / shape.kv_heads;
    const float scale = score_scale(width);
    float *k_columns = scratch, *v_columns = k_columns + width * n_padded, *p = v_columns + width * n_padded,
          *ds = p + n_padded;
    std::fill(d_qkv, d_qkv + n * stride, 0.0f);
    for (std::int64_t h = 0; h < shape.heads; ++h) {
        const std::int64_t q_at = h * width, k_at = (shape.heads + h / sharing) * width,
                           v_at = k_at + shape.kv_heads * width;
        if (h % sharing == 0) {
            transpose(k_columns, n_padded, qkv + k_at, stride, n, width);
            transpose(v_columns, n_padded, qkv + v_at, stride, n, width);
        }
        for (std::int64_t i = 0; i < n; ++i) {
            const float *q = qkv + i * stride + q_at, *o = out + i * out_stride + q_at,
                        *d_o = d_out + i * out_stride + q_at;
            float along = 0;  // sum_j p_j dp_j = o . d_o
#pragma omp simd reduction(+ : along)
            for (std::int64_t c = 0; c < width; ++c) along += o[c] * d_o[c];
            dots(p, q, k_columns, n_padded, i + 1, width);
            dots(ds, d_o, v_columns, n_padded, i + 1, width);
            const float log_total = log_sum[i * shape.heads + h];
#pragma omp simd
            for (std::int64_t j = 0; j <= i; ++j) {
                p[j] = exponential(p[j] * scale - log_total);
                ds[j] = p[j] * (ds[j] - along) * scale;
            }
            combine(d_qkv + i * stride + q_at, ds, qkv + k_at, stride, i + 1, width);
            spread(d_qkv + k_at, stride, ds, q, i + 1, width);
            spread(d_qkv + v_at, stride, p, d_o, i + 1, width);
        }
    }
}

template <int Width>
HONE_INLINE void decode(const AttentionShape& shape, const float* q, const CachedBlock* blocks, std::int64_t n_blocks,
                        float* out, float* scratch) {
    const std::int64_t width = width_of<Width>(shape), kv_width = shape.kv_heads * width;
    std::int64_t total = 0;
    for (std::int64_t b = 0; b < n_blocks; ++b) total += blocks[b].tokens;
    for (std::int64_t h = 0; h < shape.heads; ++h) {
        const std::int64_t kv_at = h / (shape.heads / shape.kv_heads) * width;
        float *s = scratch, *o = out + h * width;
        for (std::int64_t b = 0; b < n_blocks; s += blocks[b++].tokens)
            dots(s, q + h * width, blocks[b].keys + kv_at * block_tokens, block_tokens, block_tokens, width);
        softmax(scratch, total, score_scale(width));
        std::fill(o, o + width, 0.0f);
        s = scratch;
        for (std::int64_t b = 0; b < n_blocks; s += blocks[b++].tokens)
            combine(o, s, blocks[b].values + kv_at, kv_width, blocks[b].tokens, width);
    }
}

}  // namespace

std::int64_t attention_scratch(const AttentionShape& shape, std::int64_t n) {
    return padded(n) * (2 * shape.head_width + 2);
}

HONE_CLONES void attention(const AttentionShape& shape, const float* qkv, float* out, float* log_sum, float* scratch,
                           std::int64_t n) {
    if (shape.head_width == 32) forward<32>(shape, qkv, out, log_sum, scratch, n);
    else if (shape.head_width == 64) forward<64>(shape, qkv, out, log_sum, scratch, n);
    else forward<0>(shape, qkv, out, log_sum, scratch, n);
}

HONE_CLONES void attention_gradient(const AttentionShape& shape, const float* qkv, const float* out,
                                    const float* log_sum, const float* d_out, float* d_qkv, float* scratch,
                                    std::int64_t n) {
    if (shape.head_width == 32) backward<32>(shape, qkv, out, log_sum, d_out, d_qkv, scratch, n);
    else if (shape.head_width == 64) backward<64>(shape, qkv, out, log_sum, d_out, d_qkv, scratch, n);
    else backward<0>(shape, qkv, out, log_sum, d_out, d_qkv, scratch, n);
}

HONE_CLONES void cached_attention(const AttentionShape& shape, const float* q, const CachedBlock* blocks,
                                  std::int64_t n_blocks, float* out, float* scratch) {
    if (shape.head_width == 32) decode<32>(shape, q, blocks, n_blocks, out, scratch);
    else if (shape.head_width == 64) decode<64>(shape, q, blocks, n_blocks, out, scratch);
    else decode<0>(shape, q, blocks, n_blocks, out, scratch);
}

}  // namespace hone::lm::host
