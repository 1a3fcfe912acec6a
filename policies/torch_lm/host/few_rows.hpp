// few_rows.hpp: products of few rows with a large matrix, which are bound by reading the matrix.
#pragma once
#include <cstdint>

namespace hone::lm::host {

struct FewRows {
    const float* x;  // [rows][in]
    float* y;        // [rows][out]
    std::int64_t rows, in, out;
};
// y = x w^T for outputs first .. last-1; w: [out][in]. One thread.
void few_rows(const FewRows& product, const float* w, std::int64_t first, std::int64_t last);
// w: the bits of bfloat16
void few_rows(const FewRows& product, const std::uint16_t* w, std::int64_t first, std::int64_t last);

}  // namespace hone::lm::host
