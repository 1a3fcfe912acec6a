// judge/inputs.hpp: what a candidate is fed: values that follow from a key (hone/inputs.h), in three distributions.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "domain/task.hpp"

namespace hone {

enum class Variant {
    declared,  // the task's own laws
    wider,     // ten times as wide and shifted by one deviation: finds overflow, lost maxima, constants tuned to the law
    integers   // -4 .. 4: sums and products are exact, so that the reference has no error and rounding cannot excuse one
};
const char* variant_name(Variant);  // "as declared", "wider and shifted", "whole numbers"

// The variants that make sense for a task: at least `declared` and, where any law may change, `wider`; `integers` unless the task says no.
std::vector<Variant> variants(const Task&);

// A law with a shift of its own states a domain (a variance, a divisor): it is left alone, and so are indices.
hone_law vary(hone_law, Variant);

// Bytes of one input: element i is hone_input(key, tensor, i, law), rounded to the dtype.
std::string make_input(const TensorSpec&, std::uint32_t tensor, std::uint64_t key, hone_law);

}  // namespace hone
