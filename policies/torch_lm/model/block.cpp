#include "torch_lm/model/block.hpp"
#include <ATen/ops/zeros.h>
#include <algorithm>
#include "torch_lm/model/tensor_view.hpp"

namespace hone::lm {
namespace {

at::Tensor whole(const Block& block) {
    return tensor_view(block.data(), {static_cast<std::int64_t>(block.size())}, block.gpu());
}

std::shared_ptr<float> allocate(std::size_t n, int gpu) {
    if (gpu == on_host) return {new float[n](), std::default_delete<float[]>()};
    at::Tensor zeros = at::zeros({static_cast<std::int64_t>(n)}, at::TensorOptions(at::kFloat).device(place(gpu)));
    return {zeros.mutable_data_ptr<float>(), [zeros](float*) {}};
}

}  // namespace

Block::Block(std::size_t n, int gpu) : memory_(n ? allocate(n, gpu) : nullptr), size_(n), gpu_(gpu) {}

void Block::copy(const Block& from) {
    if (!from.size_) return;
    if (gpu_ == on_host && from.gpu_ == on_host) std::copy_n(from.data(), from.size_, data());
    else whole(*this).slice(0, 0, static_cast<std::int64_t>(from.size_)).copy_(whole(from));
}

Block Block::on(int gpu) const {
    Block made(size_, gpu);
    made.copy(*this);
    return made;
}

std::vector<float> Block::host(std::size_t first) const {
    std::vector<float> here(first);
    const std::int64_t n = static_cast<std::int64_t>(first);
    if (gpu_ == on_host) std::copy_n(data(), first, here.data());
    else tensor_view(here.data(), {n}, on_host).copy_(tensor_view(data(), {n}, gpu_));
    return here;
}

void Block::set(std::span<const float> from) {
    if (gpu_ == on_host) std::copy(from.begin(), from.end(), data());
    else whole(*this).copy_(tensor_view(from.data(), {static_cast<std::int64_t>(from.size())}, on_host));
}

void Block::zero() {
    if (gpu_ == on_host) std::fill_n(data(), size_, 0.0f);
    else if (size_) whole(*this).zero_();
}

void Block::reserve(std::size_t n) {
    if (size_ >= n) return;
    Block grown(std::max(n, 2 * size_), gpu_);
    grown.copy(*this);
    *this = std::move(grown);
}

}  // namespace hone::lm
