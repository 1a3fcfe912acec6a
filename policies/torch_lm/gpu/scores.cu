// Follows sequences.cu: scores of tokens and their gradient (transformer/token_scores.hpp), each in one pass over the
// logits. Scaled: logits / temperature.
constexpr int score_threads = 1024, columns = 1024;  // columns: of a block of score_gradient

// Of softmax(scaled): a target's log-probability, the entropy, and the logarithm of the sum of exp(scaled).
extern "C" __global__ void __launch_bounds__(score_threads)
    score_rows(const float* logits, const long long* targets, float temperature, float* logp, float* entropy,
               float* log_sum) {
    __shared__ float shared[warp];
    const long long row = blockIdx.x;
    logits += row * VOCABULARY;
    const float inverse = 1 / temperature;
    float most = nothing, sum = 0, mean = 0;  // sums of exp(scaled - most), and of that times (scaled - most)
#pragma unroll 4
    for (int i = threadIdx.x; i < VOCABULARY; i += score_threads) {
        const float scaled = logits[i] * inverse;
        if (scaled > most) {
            const float step = most - scaled, shrink = expf(step);
            mean = (mean + step * sum) * shrink, sum *= shrink, most = scaled;
        }
        const float behind = scaled - most, term = expf(behind);
        sum += term, mean += behind * term;
    }
    const float top = of_block(most, Most(), shared), step = most - top, shrink = expf(step);
    mean = of_block((mean + step * sum) * shrink, Add(), shared);
    sum = of_block(sum * shrink, Add(), shared);
    if (threadIdx.x > 0) return;
    const float log_of_sum = logf(sum);
    log_sum[row] = top + log_of_sum;
    logp[row] = logits[targets[row]] * inverse - top - log_of_sum;
    entropy[row] = log_of_sum - mean / sum;
}

// d = gradient of sum(weight logp + entropy_weight entropy) with respect to the logits: [rows][VOCABULARY]
extern "C" __global__ void score_gradient(const float* logits, const long long* targets, float temperature,
                                          const float* log_sum, const float* entropy, const float* weight,
                                          const float* entropy_weight, number* d) {
    const long long row = blockIdx.x, target = targets[row];
    const float inverse = 1 / temperature, w = weight[row], e = entropy_weight[row], mean = entropy[row];
    const int begin = blockIdx.y * columns + threadIdx.x, end = min(VOCABULARY, (blockIdx.y + 1) * columns);
    for (int i = begin; i < end; i += blockDim.x) {
        const float log_p = logits[row * VOCABULARY + i] * inverse - log_sum[row];
        const float change = (i == target ? w : 0) - expf(log_p) * (w + e * (log_p + mean));
        d[row * VOCABULARY + i] = narrow(change * inverse);
    }
}
