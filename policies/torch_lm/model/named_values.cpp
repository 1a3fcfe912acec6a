#include "torch_lm/model/named_values.hpp"
#include <ATen/ops/zeros.h>
#include "torch_lm/model/tensors.hpp"

namespace hone::lm {

void Layout::add(const std::string& name, std::vector<std::int64_t> shape) {
    std::size_t size = 1;
    for (const std::int64_t extent : shape) size *= static_cast<std::size_t>(extent);
    const std::size_t offset = end();
    tensors.push_back({name, std::move(shape), offset, size});
}

at::Tensor zeros(const Layout& layout, Place place) {
    return at::zeros({static_cast<std::int64_t>(layout.end())}, options_of(place));
}

at::Tensor Views::rows(int tensors) {
    const auto begin = static_cast<std::int64_t>(next_->offset);
    std::vector<std::int64_t> shape = next_->shape;
    shape[0] = 0;
    for (; tensors > 0; --tensors, ++next_) shape[0] += next_->shape[0];
    return values_.narrow(0, begin, shape[0] * (shape.size() > 1 ? shape[1] : 1)).view(shape);
}

}  // namespace hone::lm
