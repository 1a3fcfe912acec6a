// judge/timing/cuda_l1.hpp: the measurement protocol of CUDA-L1 (arXiv 2507.14111, its section on robust measurement),
// for numbers that are to stand beside the paper's. Judge option protocol = "cuda-l1"; `seconds` and `pairs` are its
// window (the paper's is 30 minutes a candidate).
//
// The rounds of the window are cut into 7 slices of time; each slice's value is the mean of t_reference / t_candidate.
// If the values scatter too much the evaluation is rejected, else their median counts, rounded to two decimals towards
// 1. A score above 3, or above twice the best of the task so far, is measured again, in a fresh process (the paper: on
// another GPU), and must agree within 10 %.
//
// Where the paper says nothing: slices follow time; the limit of 0.005 is taken of the values' variance relative to
// their squared mean, since an absolute one is far stricter at 10x than at 1x; a rejected or unconfirmed evaluation is
// "ambiguous".
#pragma once
#include <vector>
#include "judge/timing/sequential_test.hpp"

namespace hone {

struct CudaL1Score {
    double value = 1;            // median, rounded
    double variance = 0;         // of the slices' values, relative to their squared mean
    std::vector<double> slices;  // t_reference / t_candidate
    bool steady = false;         // variance within the limit
};

// Fewer than 7 pairs: not steady.
CudaL1Score cuda_l1_score(const std::vector<double>& candidate, const std::vector<double>& baseline);
double rounded_towards_one(double ratio);               // 1.118: 1.11; 0.992: 1.00
bool asks_for_confirmation(double score, double best);  // best: of the task so far, 0 for none
bool confirms(double score, double again);

}  // namespace hone
