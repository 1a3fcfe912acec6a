#include "torch_lm/host/kernels.hpp"
#include <algorithm>
#include <cmath>
#include "torch_lm/host/vector_math.hpp"

namespace hone::lm::host {
namespace {

HONE_INLINE float dot(const float* a, const float* b, std::int64_t n) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

}  // namespace

HONE_CLONES void rms_norm(const float* x, const float* w, float* y, float* inverse, std::int64_t n, std::int64_t width,
                          float epsilon) {
    for (std::int64_t row = 0; row < n; ++row, x += width, y += width) {
        const float scale = 1.0f / std::sqrt(dot(x, x, width) / static_cast<float>(width) + epsilon);
        inverse[row] = scale;
#pragma omp simd
        for (std::int64_t i = 0; i < width; ++i) y[i] = x[i] * scale * w[i];
    }
}

HONE_CLONES void rms_norm_gradient(const float* x, const float* w, const float* inverse, const float* dy, float* dx,
                                   float* dw, std::int64_t n, std::int64_t width) {
    for (std::int64_t row = 0; row < n; ++row, x += width, dy += width, dx += width) {
        const float scale = inverse[row];
        float along = 0;
#pragma omp simd reduction(+ : along)
        for (std::int64_t i = 0; i < width; ++i) along += dy[i] * w[i] * x[i];
        along *= scale * scale / static_cast<float>(width);
#pragma omp simd
        for (std::int64_t i = 0; i < width; ++i) {
            dx[i] += scale * (dy[i] * w[i] - along * x[i]);
            dw[i] += dy[i] * x[i] * scale;
        }
    }
}

HONE_CLONES void rotate(float* x, std::int64_t stride, std::int64_t heads, std::int64_t head_width,
                        const std::int32_t* position, const float* table, std::int64_t n, float sign) {
    const std::int64_t half = head_width / 2;
    for (std::int64_t row = 0; row < n; ++row) {
        const float *cosine = table + position[row] * head_width, *sine = cosine + half;
        for (std::int64_t h = 0; h < heads; ++h) {
            float *a = x + row * stride + h * head_width, *b = a + half;
#pragma omp simd
            for (std::int64_t i = 0; i < half; ++i) {
                const float u = a[i], v = b[i], s = sign * sine[i];
                a[i] = u * cosine[i] - v * s;
                b[i] = v * cosine[i] + u * s;
            }
        }
    }
}

HONE_CLONES void swiglu(const float* gate_up, float* h, std::int64_t n, std::int64_t width) {
    for (std::int64_t row = 0; row < n; ++row, gate_up += 2 * width, h += width) {
        const float *gate = gate_up, *up = gate_up + width;
#pragma omp simd
        for (std::int64_t i = 0; i < width; ++i) h[i] = gate[i] / (1.0f + exponential(-gate[i])) * up[i];
    }
}

HONE_CLONES void swiglu_gradient(const float* gate_up, const float* dh, float* d_gate_up, std::int64_t n,
                                 std::int64_t width) {
    for (std::int64_t row = 0; row < n; ++row, gate_up += 2 * width, dh += width, d_gate_up += 2 * width) {
        const float *gate = gate_up, *up = gate_up + width;
        float *d_gate = d_gate_up, *d_up = d_gate_up + width;
#pragma omp simd
        for (std::int64_t i = 0; i < width; ++i) {
            const float sigmoid = 1.0f / (1.0f + exponential(-gate[i])), silu = gate[i] * sigmoid;
            d_up[i] = dh[i] * silu;
            d_gate[i] = dh[i] * up[i] * (sigmoid + silu * (1.0f - sigmoid));
        }
    }
}

HONE_CLONES float softmax_terms(const float* logits, std::int64_t vocabulary, float temperature, float* p) {
    float most = logits[0], sum = 0;
    const float scale = 1.0f / temperature;
#pragma omp simd reduction(max : most)
    for (std::int64_t i = 0; i < vocabulary; ++i) most = std::max(most, logits[i]);
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < vocabulary; ++i) {
        p[i] = exponential((logits[i] - most) * scale);
        sum += p[i];
    }
    return sum;
}

HONE_CLONES void token_logp(const float* logits, std::int64_t vocabulary, float temperature, std::int32_t target,
                            float& logp, float& entropy, float& log_sum) {
    float most = logits[0], sum = 0, weighted = 0;
    const float scale = 1.0f / temperature;
#pragma omp simd reduction(max : most)
    for (std::int64_t i = 0; i < vocabulary; ++i) most = std::max(most, logits[i]);
#pragma omp simd reduction(+ : sum, weighted)
    for (std::int64_t i = 0; i < vocabulary; ++i) {
        const float z = (logits[i] - most) * scale, p = exponential(z);
        sum += p;
        weighted += p * z;
    }
    const float log_of_sum = std::log(sum);
    logp = (logits[target] - most) * scale - log_of_sum;
    entropy = log_of_sum - weighted / sum;
    log_sum = most * scale + log_of_sum;
}

HONE_CLONES void token_logp_gradient(float* logits, std::int64_t vocabulary, float temperature, std::int32_t target,
                                     float log_sum, float entropy, float weight, float entropy_weight) {
    const float scale = 1.0f / temperature;
#pragma omp simd
    for (std::int64_t i = 0; i < vocabulary; ++i) {
        const float log_p = logits[i] * scale - log_sum;
        logits[i] = -exponential(log_p) * (weight + entropy_weight * (log_p + entropy)) * scale;
    }
    logits[target] += weight * scale;
}

HONE_CLONES void add_to(float* sum, const float* x, std::int64_t n) {
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) sum[i] += x[i];
}

HONE_CLONES double sum_of_squares(const float* x, std::int64_t n) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]) * x[i];
    return sum;
}

}  // namespace hone::lm::host
