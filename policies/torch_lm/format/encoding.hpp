// encoding.hpp: how files store numbers: one by one, or in blocks that share a scale (GGUF's quantised types).
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include "torch_lm/format/weight_source.hpp"

namespace hone::lm {

enum class Encoding { f32, f16, bf16, q8_0, q4_0, q4_1, q5_0, q5_1, q4_k, q6_k };

struct BlockSize {
    std::size_t numbers, bytes;
};
BlockSize block_size(Encoding encoding);

// Numbers where they lie in a file, at any alignment; count is a multiple of the block's.
struct EncodedNumbers {
    Encoding encoding;
    const char* at;
    std::size_t count;
    EncodedNumbers part(std::size_t first, std::size_t n) const;  // both multiples of the block's
};

// A tensor of a file. permutation: where row i of the result is stored; none: at i. Rows are whole blocks.
struct EncodedTensor {
    EncodedNumbers numbers;
    Extents shape;
    std::function<std::size_t(std::size_t)> permutation;
};

// Uses the cores of this process for large tensors. Throws Refused (place: file and tensor) for another shape, or a
// `to` of another size. To: float, or std::uint16_t for bfloat16.
template <class To>
void decode(const EncodedTensor& tensor, const Extents& shape, std::span<To> to, const std::string& place);

// "[3,4]"
std::string text_of(const Extents& shape);
// The product, or -1 where an extent is negative or the product does not fit.
std::int64_t element_count(const Extents& shape);

}  // namespace hone::lm
