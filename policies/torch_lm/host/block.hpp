// block.hpp: floats that only grow, for the kernels of this folder.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>

namespace hone::lm::host {

class Block {
public:
    float* data() { return memory_.get(); }
    const float* data() const { return memory_.get(); }
    std::size_t size() const { return size_; }
    // At least n floats; where it grows, at least doubling, what was there is kept and zeros follow.
    void reserve(std::size_t n) {
        if (size_ >= n) return;
        n = std::max(n, 2 * size_);
        auto grown = std::make_unique<float[]>(n);
        std::copy_n(data(), size_, grown.get());
        memory_ = std::move(grown), size_ = n;
    }

private:
    std::unique_ptr<float[]> memory_;
    std::size_t size_ = 0;
};

}  // namespace hone::lm::host
