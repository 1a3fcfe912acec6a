// weight_source.hpp: the tensors of a model, wherever they lie.
#pragma once
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace hone::lm {

using Extents = std::vector<std::int64_t>;  // of a row-major tensor, as PyTorch's shape

// By their names in a Hugging Face folder. Safe for several threads.
class WeightSource {
public:
    virtual ~WeightSource() = default;
    virtual bool has(const std::string& name) const = 0;
    // Throws Refused, naming file and tensor, where there is none, where it has another shape, and where its numbers
    // are of a kind that is not read. `to` has as many elements as the shape.
    virtual void read(const std::string& name, const Extents& shape, std::span<float> to) const = 0;
    // As bfloat16 (the upper half of a float32), rounded to nearest even where the file is more precise.
    virtual void read(const std::string& name, const Extents& shape, std::span<std::uint16_t> bf16_bits) const = 0;
    // Names of tensors beside these, of which a model would be another one.
    virtual std::vector<std::string> beside(const std::set<std::string>& used) const {
        static_cast<void>(used);
        return {};
    }
};

}  // namespace hone::lm
