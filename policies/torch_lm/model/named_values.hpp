// named_values.hpp: tensors that lie end to end in one, so that the optimiser, the norm and the copy are single passes.
#pragma once
#include <ATen/core/Tensor.h>
#include <cstdint>
#include <string>
#include <vector>
#include "torch_lm/model/place.hpp"

namespace hone::lm {

struct NamedTensor {
    std::string name;  // as in a file
    std::vector<std::int64_t> shape;
    std::size_t offset, size;  // elements
};

class Layout {
public:
    void add(const std::string& name, std::vector<std::int64_t> shape);
    std::size_t end() const { return tensors.empty() ? 0 : tensors.back().offset + tensors.back().size; }
    std::vector<NamedTensor> tensors;
};

at::Tensor zeros(const Layout& layout, Place place);

// Takes views of a flat tensor one after the other, as the layout has them.
class Views {
public:
    Views(const at::Tensor& values, const std::vector<NamedTensor>& tensors) : values_(values), next_(tensors.data()) {}
    at::Tensor take() { return rows(1); }
    at::Tensor rows(int tensors);  // so many matrices or vectors that lie end to end, as one

private:
    const at::Tensor& values_;
    const NamedTensor* next_;
};

}  // namespace hone::lm
