// dequantize.hpp: GGUF's quantised blocks to numbers, in the same order of float32 operations as the gguf package.
#pragma once
#include <cstddef>
#include <cstdint>

namespace hone::lm::gguf {

// 32 numbers a block: those of Q8_0 are signed bytes, the others 4 or 5 bits; _0: a scale, _1: a scale and a minimum.
constexpr std::size_t small_block = 32, q8_0_bytes = 34, q4_0_bytes = 18, q4_1_bytes = 20, q5_0_bytes = 22,
                      q5_1_bytes = 24;
// 256 numbers a block, of 8 (Q4_K) or 16 (Q6_K) groups with scales of their own
constexpr std::size_t large_block = 256, q4_k_bytes = 144, q6_k_bytes = 210;

// One block each; `block` at any alignment.
void dequantize_q8_0(const std::uint8_t* block, float* to);
void dequantize_q4_0(const std::uint8_t* block, float* to);
void dequantize_q4_1(const std::uint8_t* block, float* to);
void dequantize_q5_0(const std::uint8_t* block, float* to);
void dequantize_q5_1(const std::uint8_t* block, float* to);
void dequantize_q4_k(const std::uint8_t* block, float* to);
void dequantize_q6_k(const std::uint8_t* block, float* to);

}  // namespace hone::lm::gguf
