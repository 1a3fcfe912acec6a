// judge/correctness/numbers.hpp: a tensor's bytes as numbers and back. double holds every value of every dtype but
// 64-bit integers beyond 2^53.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>
#include "domain/task.hpp"
#include "hone/memory.hpp"

namespace hone {

hone_tensor tensor_at(const TensorSpec&, std::uint64_t address);  // borrows the spec's shape
std::vector<double> gathered(Memory&, const hone_tensor&, const std::vector<std::int64_t>& places);
bool is_float(int dtype);
std::vector<double> widened(int dtype, const void* from, std::size_t n);
double widened_at(int dtype, const void* element);
// floats rounded to the dtype; integers truncated
void narrow(int dtype, std::span<const float> from, void* to);
void narrow(int dtype, std::span<const double> from, void* to);

// A word whose repetition no honest answer leaves: for floats signalling NaNs with a payload from `salt`, since what
// arithmetic makes are quiet ones (a GPU's for 16 bits is 0x7fff); for integers bits of `salt`.
std::uint32_t poison_word(int dtype, std::uint64_t salt);
std::string repeated(std::uint32_t word, std::size_t bytes);

}  // namespace hone
