// Attention for short sequences and small heads: keys and values of one head stay in the first-level cache, so plain loops over transposed
// copies reach what blocked products would, without their overhead.
#include <algorithm>
#include <cmath>
#include "kernels.hpp"
#include "vector_math.hpp"

namespace hone::lm {
namespace {

// s[j] = sum_c q[c] columns[c][j] for j < n; n is rounded up to whole vectors by the caller's layout
HONE_INLINE void dots(float* __restrict s, const float* q, const float* __restrict columns, std::int64_t stride, std::int64_t n, std::int64_t width) {
    for (std::int64_t c = 0; c < width; c += 2) {
        const float q0 = q[c], q1 = q[c + 1];
        const float *c0 = columns + c * stride, *c1 = c0 + stride;
        if (c == 0) {
#pragma omp simd
            for (std::int64_t j = 0; j < n; ++j) s[j] = q0 * c0[j] + q1 * c1[j];
        } else {
#pragma omp simd
            for (std::int64_t j = 0; j < n; ++j) s[j] += q0 * c0[j] + q1 * c1[j];
        }
    }
}

// out[c] (+)= sum_j w[j] rows[j][c]
HONE_INLINE void combine(float* __restrict out, const float* w, const float* __restrict rows, std::int64_t stride, std::int64_t n, std::int64_t width) {
    for (std::int64_t j = 0; j < n; ++j) {
        const float *row = rows + j * stride, weight = w[j];
#pragma omp simd
        for (std::int64_t c = 0; c < width; ++c) out[c] += weight * row[c];
    }
}

// rows[j][c] += w[j] v[c]
HONE_INLINE void spread(float* __restrict rows, std::int64_t stride, const float* w, const float* __restrict v, std::int64_t n, std::int64_t width) {
    for (std::int64_t j = 0; j < n; ++j) {
        float* row = rows + j * stride;
        const float weight = w[j];
#pragma omp simd
        for (std::int64_t c = 0; c < width; ++c) row[c] += weight * v[c];
    }
}

HONE_INLINE void transpose(float* columns, std::int64_t n_padded, const float* rows, std::int64_t stride, std::int64_t n, std::int64_t width) {
    for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t c = 0; c < width; ++c) columns[c * n_padded + j] = rows[j * stride + c];
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

std::int64_t padded(std::int64_t n) { return (n + 15) / 16 * 16; }
float score_scale(const AttentionShape& shape) { return 1.0f / std::sqrt(static_cast<float>(shape.head_width)); }

}  // namespace

std::int64_t attention_scratch(const AttentionShape& shape, std::int64_t n) { return padded(n) * (2 * shape.head_width + 2); }

HONE_CLONES void attention(const AttentionShape& shape, const float* qkv, float* out, float* log_sum, float* scratch, std::int64_t n) {
    const std::int64_t width = shape.head_width, stride = shape.stride(), n_padded = padded(n);
    float *columns = scratch, *s = scratch + width * n_padded;
    for (std::int64_t h = 0; h < shape.heads; ++h) {
        const std::int64_t kv = h / (shape.heads / shape.kv_heads);
        const float *k = qkv + (shape.heads + kv) * width, *v = qkv + (shape.heads + shape.kv_heads + kv) * width;
        if (h % (shape.heads / shape.kv_heads) == 0) transpose(columns, n_padded, k, stride, n, width);
        for (std::int64_t i = 0; i < n; ++i) {
            float* o = out + i * shape.out_stride() + h * width;
            dots(s, qkv + i * stride + h * width, columns, n_padded, i + 1, width);
            log_sum[i * shape.heads + h] = softmax(s, i + 1, score_scale(shape));
            std::fill(o, o + width, 0.0f);
            combine(o, s, v, stride, i + 1, width);
        }
    }
}

HONE_CLONES void attention_gradient(const AttentionShape& shape, const float* qkv, const float* out, const float* log_sum, const float* d_out,
                                    float* d_qkv, float* scratch, std::int64_t n) {
    const std::int64_t width = shape.head_width, stride = shape.stride(), out_stride = shape.out_stride(), n_padded = padded(n);
    const float scale = score_scale(shape);
    float *k_columns = scratch, *v_columns = k_columns + width * n_padded, *p = v_columns + width * n_padded, *ds = p + n_padded;
    std::fill(d_qkv, d_qkv + n * stride, 0.0f);
    for (std::int64_t h = 0; h < shape.heads; ++h) {
        const std::int64_t kv = h / (shape.heads / shape.kv_heads);
        const std::int64_t q_at = h * width, k_at = (shape.heads + kv) * width, v_at = (shape.heads + shape.kv_heads + kv) * width;
        if (h % (shape.heads / shape.kv_heads) == 0) {
            transpose(k_columns, n_padded, qkv + k_at, stride, n, width);
            transpose(v_columns, n_padded, qkv + v_at, stride, n, width);
        }
        for (std::int64_t i = 0; i < n; ++i) {
            const float *q = qkv + i * stride + q_at, *o = out + i * out_stride + q_at, *d_o = d_out + i * out_stride + q_at;
            float along = 0;  // sum_j p_j dp_j = o . d_o
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

HONE_CLONES void cached_attention(const AttentionShape& shape, const float* q, const CachedBlock* blocks, std::int64_t n_blocks, float* out,
                                  float* scratch) {
    const std::int64_t width = shape.head_width, kv_width = shape.kv_heads * width;
    std::int64_t total = 0;
    for (std::int64_t b = 0; b < n_blocks; ++b) total += blocks[b].tokens;
    for (std::int64_t h = 0; h < shape.heads; ++h) {
        const std::int64_t kv_at = h / (shape.heads / shape.kv_heads) * width;
        float *s = scratch, *o = out + h * width;
        for (std::int64_t b = 0; b < n_blocks; s += blocks[b++].tokens)
            dots(s, q + h * width, blocks[b].keys + kv_at * block_tokens, block_tokens, blocks[b].tokens, width);
        softmax(scratch, total, score_scale(shape));
        std::fill(o, o + width, 0.0f);
        s = scratch;
        for (std::int64_t b = 0; b < n_blocks; s += blocks[b++].tokens)
            combine(o, s, blocks[b].values + kv_at, kv_width, blocks[b].tokens, width);
    }
}

}  // namespace hone::lm
