// The gradient of the objective against central differences, a few entries of each tensor.
#pragma once
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include "small_model.hpp"

namespace hone::lm::test {

inline double objective_of(Learner& learner, const Parameters& weights, const Batch& batch) {
    const Scores s = scores_of(learner, weights, batch);
    double sum = 0;
    for (std::size_t t = 0; t < batch.ids.size(); ++t)
        if (std::find(batch.begin.begin(), batch.begin.end(), static_cast<std::int64_t>(t)) == batch.begin.end())
            sum += static_cast<double>(batch.weight[t]) * s.logp[t] +
                   static_cast<double>(batch.entropy_weight[t]) * s.entropy[t];
    return sum;
}

inline void expect_gradient_matches(const Config& c, Place place = {}) {
    Parameters weights = small_weights(c);
    Learner learner({c, place}, 1);
    const Batch batch = three_sequences();
    const std::vector<float> gradient = gradient_of(c, weights, batch, 1, place);
    for (const NamedTensor& tensor : weights.tensors) {
        double difference = 0, size = 0;
        for (std::size_t k = 0; k < 6; ++k) {
            float& w = weights.all()[tensor.offset + k * 7919 % tensor.size];
            const double h = 1e-2;
            const float kept = w;
            w = static_cast<float>(kept + h);
            const double above = objective_of(learner, weights, batch);
            w = static_cast<float>(kept - h);
            const double below = objective_of(learner, weights, batch);
            w = kept;
            const double expected = -(above - below) / (2 * h), got = gradient[&w - weights.all().data()];
            difference += (expected - got) * (expected - got);
            size += expected * expected;
        }
        EXPECT_LT(std::sqrt(difference), 0.01 * std::sqrt(size) + 2e-3) << tensor.name;
    }
}

}  // namespace hone::lm::test
