#include "torch_lm/format/encoding.hpp"
#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include "hone/plugin.hpp"
#include "torch_lm/format/float_bits.hpp"
#include "torch_lm/format/gguf/dequantize.hpp"

namespace hone::lm {
namespace {

constexpr std::size_t worth_a_thread = std::size_t{1} << 20,  // numbers: a thread costs some tens of microseconds
    piece = 4096;  // numbers on the way to bfloat16: they stay in the first cache; a multiple of every block
constexpr unsigned most_threads = 16;  // beyond it the memory is the limit

template <float (*from_bits)(std::uint16_t)> void decode_singles(const char* at, std::size_t count, float* to) {
    for (std::size_t i = 0; i < count; ++i) {
        std::uint16_t bits;
        std::memcpy(&bits, at + 2 * i, sizeof bits);
        to[i] = from_bits(bits);
    }
}

using Dequantize = void (*)(const std::uint8_t*, float*);

Dequantize dequantizer(Encoding encoding) {
    switch (encoding) {
        case Encoding::q8_0:
            return gguf::dequantize_q8_0;
        case Encoding::q4_0:
            return gguf::dequantize_q4_0;
        case Encoding::q4_1:
            return gguf::dequantize_q4_1;
        case Encoding::q5_0:
            return gguf::dequantize_q5_0;
        case Encoding::q5_1:
            return gguf::dequantize_q5_1;
        case Encoding::q4_k:
            return gguf::dequantize_q4_k;
        default:
            return gguf::dequantize_q6_k;
    }
}

void decode_numbers(const EncodedNumbers& from, float* to) {
    if (from.encoding == Encoding::f32) {
        std::memcpy(to, from.at, from.count * sizeof(float));
    } else if (from.encoding == Encoding::f16) {
        decode_singles<from_half>(from.at, from.count, to);
    } else if (from.encoding == Encoding::bf16) {
        decode_singles<from_bfloat>(from.at, from.count, to);
    } else {
        const BlockSize block = block_size(from.encoding);
        const Dequantize dequantize = dequantizer(from.encoding);
        const auto* at = reinterpret_cast<const std::uint8_t*>(from.at);
        for (std::size_t i = 0; i < from.count; i += block.numbers, at += block.bytes) dequantize(at, to + i);
    }
}

void decode_numbers(const EncodedNumbers& from, std::uint16_t* to) {
    if (from.encoding == Encoding::bf16) {
        std::memcpy(to, from.at, from.count * sizeof *to);
        return;
    }
    std::array<float, piece> wide;
    for (std::size_t first = 0; first < from.count; first += piece) {
        const std::size_t n = std::min(piece, from.count - first);
        decode_numbers(from.part(first, n), wide.data());
        for (std::size_t i = 0; i < n; ++i) to[first + i] = to_bfloat(wide[i]);
    }
}

// body(begin, end) for stretches of 0 to count; all but the last are multiples of `unit`.
template <class Body> void in_parallel(std::size_t count, std::size_t unit, std::size_t numbers, const Body& body) {
    const std::size_t cores = std::clamp(std::thread::hardware_concurrency(), 1u, most_threads),
                      threads = std::clamp<std::size_t>(numbers / worth_a_thread, 1, cores),
                      step = (count / unit + threads - 1) / threads * unit;
    std::vector<std::jthread> others;
    for (std::size_t begin = step; begin < count && step > 0; begin += step)
        others.emplace_back([&body, begin, end = std::min(begin + step, count)] { body(begin, end); });
    body(std::size_t{0}, step > 0 ? std::min(step, count) : count);
}

template <class To> void decode_rows(const EncodedTensor& tensor, To* to) {
    const EncodedNumbers& numbers = tensor.numbers;
    const auto rows = static_cast<std::size_t>(tensor.shape[0]), length = numbers.count / rows;
    in_parallel(rows, 1, numbers.count, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row)
            decode_numbers(numbers.part(tensor.permutation(row) * length, length), to + row * length);
    });
}

}  // namespace

BlockSize block_size(Encoding encoding) {
    using namespace gguf;
    switch (encoding) {
        case Encoding::f32:
            return {1, 4};
        case Encoding::f16:
        case Encoding::bf16:
            return {1, 2};
        case Encoding::q8_0:
            return {small_block, q8_0_bytes};
        case Encoding::q4_0:
            return {small_block, q4_0_bytes};
        case Encoding::q4_1:
            return {small_block, q4_1_bytes};
        case Encoding::q5_0:
            return {small_block, q5_0_bytes};
        case Encoding::q5_1:
            return {small_block, q5_1_bytes};
        case Encoding::q4_k:
            return {large_block, q4_k_bytes};
        default:
            return {large_block, q6_k_bytes};
    }
}

EncodedNumbers EncodedNumbers::part(std::size_t first, std::size_t n) const {
    const BlockSize block = block_size(encoding);
    return {encoding, at + first / block.numbers * block.bytes, n};
}

template <class To>
void decode(const EncodedTensor& tensor, const Extents& shape, std::span<To> to, const std::string& place) {
    if (tensor.shape != shape)
        throw Refused(place + " has the shape " + text_of(tensor.shape) + "; the model's configuration says " +
                      text_of(shape));
    if (to.size() != tensor.numbers.count)
        throw Refused(place + " has " + std::to_string(tensor.numbers.count) + " numbers, but there is room for " +
                      std::to_string(to.size()));
    if (tensor.permutation && !to.empty()) return decode_rows(tensor, to.data());
    in_parallel(to.size(), piece, to.size(), [&](std::size_t begin, std::size_t end) {
        decode_numbers(tensor.numbers.part(begin, end - begin), to.data() + begin);
    });
}

template void decode(const EncodedTensor&, const Extents&, std::span<float>, const std::string&);
template void decode(const EncodedTensor&, const Extents&, std::span<std::uint16_t>, const std::string&);

std::string text_of(const Extents& shape) {
    std::string text = "[";
    for (const std::int64_t extent : shape) text += (text.size() > 1 ? "," : "") + std::to_string(extent);
    return text + "]";
}

std::int64_t element_count(const Extents& shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape)
        if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) return -1;
    return count;
}

}  // namespace hone::lm
