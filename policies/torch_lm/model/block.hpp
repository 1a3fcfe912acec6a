// block.hpp: floats that lie on the host or on a GPU. Only what runs there may follow the address.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace hone::lm {

constexpr int on_host = -1;

class Block {
public:
    explicit Block(std::size_t n = 0, int gpu = on_host);  // zeros; gpu: its number
    Block(const Block& other) : Block(other.on(other.gpu_)) {}
    Block& operator=(const Block& other) { return *this = other.on(other.gpu_); }
    Block(Block&&) = default;
    Block& operator=(Block&&) = default;

    float* data() { return memory_.get(); }
    const float* data() const { return memory_.get(); }
    std::size_t size() const { return size_; }
    int gpu() const { return gpu_; }
    float& operator[](std::size_t i) { return memory_.get()[i]; }  // on the host
    float operator[](std::size_t i) const { return memory_.get()[i]; }

    Block on(int gpu) const;  // a copy there
    std::vector<float> host() const { return host(size_); }
    std::vector<float> host(std::size_t first) const;  // so many from the beginning
    void set(std::span<const float> from);             // `from` is on the host and as long as this
    void zero();
    // at least n floats; where it grows, at least doubling, what was there is kept and zeros follow
    void reserve(std::size_t n);

private:
    void copy(const Block& from);  // to the beginning
    std::shared_ptr<float> memory_;
    std::size_t size_ = 0;
    int gpu_ = on_host;
};

}  // namespace hone::lm
