#include "judge/call/arena.hpp"
#include <algorithm>
#include "judge/correctness/numbers.hpp"

namespace hone {
namespace {

constexpr std::uint64_t tally_bytes = 16384;
// at which devices map memory: what is mapped for a program is then all ours to overwrite
constexpr std::uint64_t granule = 2 << 20;

std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + tensor_alignment - 1) / tensor_alignment * tensor_alignment;
}

}  // namespace

Arena::~Arena() {
    for (const Region& region : {inputs_, outputs_, secret_, tally_, wide_, kept_})
        if (region.at) memory_.release(region.at);
}

void Arena::grow(Region& region, std::uint64_t bytes, int writable) {
    bytes = (bytes + granule - 1) / granule * granule;
    if (bytes <= region.bytes) return;
    if (const Region old = std::exchange(region, {}); old.at) memory_.release(old.at);
    // where that fails the region is none, not one of the old size
    region = {memory_.reserve(bytes, writable), bytes};
}

bool Arena::fits(std::uint64_t input_bytes, std::uint64_t output_bytes) const {
    return input_bytes <= inputs_.bytes && output_bytes <= outputs_.bytes &&
           input_bytes + output_bytes <= secret_.bytes;
}

void Arena::fit(std::uint64_t input_bytes, std::uint64_t output_bytes) {
    grow(inputs_, input_bytes, sealed_ ? 0 : 1);
    grow(outputs_, output_bytes, 1);
    grow(secret_, input_bytes + output_bytes, 2);
}

std::uint64_t Arena::tally() {
    grow(tally_, tally_bytes, 2);
    return tally_.at;
}
std::uint64_t Arena::wide(std::uint64_t bytes) {
    grow(wide_, bytes, 2);
    return wide_.at;
}
std::uint64_t Arena::kept() {
    grow(kept_, outputs_.bytes, 2);
    return kept_.at;
}

void Arena::blank(std::uint32_t word) {
    for (const Region& region : {inputs_, outputs_}) memory_.set(region.at, region.bytes, word);
}

void Arena::wipe() { blank(0); }

Layout::Layout(const Task& task, const Shape& shape, std::uint64_t scratch_bytes, std::size_t number)
    : inputs_(tensors(task, "inputs", shape)),
      outputs_(tensors(task, "outputs", shape)),
      sizes_(hone::sizes(task, shape)),
      values_(inputs_.size()),
      number_(number) {
    for (const TensorSpec& spec : inputs_)
        in_.push_back(tensor_at(spec, 0)), input_bytes_ += aligned(spec.bytes()) + tensor_alignment;
    for (const TensorSpec& spec : outputs_)
        out_.push_back(tensor_at(spec, 0)), output_bytes_ += aligned(spec.bytes()) + 2 * red_zone_bytes;
    input_bytes_ += offset_range;
    output_bytes_ += offset_range + scratch_bytes;
    call_ = {sizeof call_,
             in_.data(),
             out_.data(),
             static_cast<std::uint32_t>(in_.size()),
             static_cast<std::uint32_t>(out_.size()),
             0,
             scratch_bytes,
             sizes_.data(),
             static_cast<std::uint32_t>(sizes_.size()),
             values_.data()};
}

std::uint64_t Layout::tensor_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto* side : {&inputs_, &outputs_})
        for (const TensorSpec& spec : *side) bytes += spec.bytes();
    return bytes;
}

void Layout::place(const Arena& arena, std::uint64_t offset) {
    place(arena.inputs() + number_ * input_bytes_ + offset, outputs_begin(arena) + offset);
}
void Layout::place_secret(const Arena& arena) { place(arena.secret(), arena.secret() + input_bytes_); }

void Layout::place(std::uint64_t inputs, std::uint64_t outputs) {
    for (std::size_t i = 0; i < in_.size(); ++i) {
        in_[i].at = inputs;
        // the gap keeps tensors of 2^k bytes from sharing every cache set
        inputs += aligned(inputs_[i].bytes()) + tensor_alignment;
    }
    for (std::size_t i = 0; i < out_.size(); ++i) {
        out_[i].at = outputs + red_zone_bytes;
        outputs += aligned(outputs_[i].bytes()) + 2 * red_zone_bytes;
    }
    call_.scratch = call_.scratch_bytes ? outputs : 0;
}

}  // namespace hone
