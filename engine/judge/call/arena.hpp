// judge/call/arena.hpp: the memory that calls work in, and where their tensors lie in it. Three regions of a device's
// memory: inputs (a candidate may only read), outputs with red zones and scratch (it may write), and a
// private one (never mapped for it), where truth is made.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include "domain/task.hpp"
#include "hone/memory.hpp"

namespace hone {

constexpr std::uint64_t red_zone_bytes = 4096, tensor_alignment = 64, offset_range = 4096;

class Arena {
public:
    // sealed false: candidates may write to their inputs, for tests.
    explicit Arena(Memory& memory, bool sealed = true) : memory_(memory), sealed_(sealed) {}
    ~Arena();
    Arena(const Arena&) = delete;
    // Whether the regions are large enough; fit() makes them so. Before a program is opened: addresses change.
    bool fits(std::uint64_t input_bytes, std::uint64_t output_bytes) const;
    void fit(std::uint64_t input_bytes, std::uint64_t output_bytes);
    void blank(std::uint32_t word);  // inputs and outputs, whole: nothing of any call is there
    // the same, before a process is opened: what a former process left there could serve the next one, which gets the
    // same inputs
    void wipe();
    std::uint64_t inputs() const { return inputs_.at; }
    std::uint64_t outputs() const { return outputs_.at; }
    std::uint64_t secret() const { return secret_.at; }
    // More private memory, made on first use: a few words for what comparisons find, room for float64 inputs
    // (which a later call with more bytes takes anew), and a copy of the outputs.
    std::uint64_t tally();
    std::uint64_t wide(std::uint64_t bytes);
    std::uint64_t kept();
    Memory& memory() { return memory_; }

private:
    struct Region {
        std::uint64_t at = 0, bytes = 0;
    };
    void grow(Region&, std::uint64_t bytes, int writable);
    Memory& memory_;
    bool sealed_;
    Region inputs_, outputs_, secret_, tally_, wide_, kept_;
};

// The tensors of one task at one shape, placed in an arena.
class Layout {
public:
    // number: which of several layouts of a size that lie behind each other in the arena.
    Layout(const Task&, const Shape&, std::uint64_t scratch_bytes, std::size_t number = 0);
    Layout(const Layout&) = delete;

    // Lays the tensors out `offset` bytes (a multiple of tensor_alignment below offset_range) behind the regions'
    // beginnings.
    void place(const Arena&, std::uint64_t offset);
    void place_secret(const Arena&);  // all in the private region
    void tell(const std::vector<std::uint64_t>& values) {
        std::copy(values.begin(), values.end(), values_.begin());
    }  // of the scalars: hone_call.values
    const hone_call& call() const { return call_; }
    std::uint64_t outputs_begin(const Arena& arena) const { return arena.outputs() + number_ * output_bytes_; }
    const std::vector<TensorSpec>& inputs() const { return inputs_; }
    const std::vector<TensorSpec>& outputs() const { return outputs_; }
    std::uint64_t input_bytes() const { return input_bytes_; }
    std::uint64_t output_bytes() const { return output_bytes_; }
    std::uint64_t tensor_bytes() const;  // of inputs and outputs alone

private:
    void place(std::uint64_t inputs, std::uint64_t outputs);
    std::vector<TensorSpec> inputs_, outputs_;
    std::vector<std::int64_t> sizes_;
    std::vector<std::uint64_t> values_;  // one an input
    std::vector<hone_tensor> in_, out_;
    hone_call call_{};
    std::uint64_t input_bytes_ = 0, output_bytes_ = 0, number_;
};

}  // namespace hone
