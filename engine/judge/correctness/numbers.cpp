#include "judge/correctness/numbers.hpp"
#include <algorithm>
#include <cstdint>
#include <cstring>

namespace hone {
namespace {

template <class From> void narrow_all(int dtype, std::span<const From> from, void* to) {
    with_type(dtype, [&](auto zero) {
        using T = decltype(zero);
        for (std::size_t i = 0; i < from.size(); ++i) static_cast<T*>(to)[i] = from_number<T>(from[i]);
    });
}

}  // namespace

hone_tensor tensor_at(const TensorSpec& spec, std::uint64_t address) {
    return {address, spec.dtype, static_cast<std::int32_t>(spec.shape.size()), spec.shape.data()};
}

std::vector<double> gathered(Memory& memory, const hone_tensor& tensor, const std::vector<std::int64_t>& places) {
    std::vector<double> values(places.size());
    memory.gather(tensor, places.data(), static_cast<std::uint32_t>(places.size()), values.data());
    return values;
}

bool is_float(int dtype) { return dtype == HONE_F64 || dtype == HONE_F32 || dtype == HONE_F16 || dtype == HONE_BF16; }

std::vector<double> widened(int dtype, const void* from, std::size_t n) {
    return with_type(dtype, [&](auto zero) {
        const auto* values = static_cast<const decltype(zero)*>(from);
        std::vector<double> out(n);
        for (std::size_t i = 0; i < n; ++i) out[i] = to_number(values[i]);
        return out;
    });
}

double widened_at(int dtype, const void* element) {
    return with_type(dtype, [&](auto zero) {
        std::memcpy(&zero, element, sizeof zero);
        return to_number(zero);
    });
}

void narrow(int dtype, std::span<const float> from, void* to) { narrow_all(dtype, from, to); }
void narrow(int dtype, std::span<const double> from, void* to) { narrow_all(dtype, from, to); }

std::uint32_t poison_word(int dtype, std::uint64_t salt) {
    const auto bits = static_cast<std::uint32_t>(salt);
    switch (dtype) {
        case HONE_F64:
            return 0x7ff00000u | (bits & 0x7ffffu) | 1u;
        case HONE_F32:
            return 0x7f800000u | (bits & 0x3fffffu) | 1u;
        case HONE_F16:
            return (0x7c00u | (bits & 0x1ffu) | 1u) * 0x10001u;
        case HONE_BF16:
            return (0x7f80u | (bits & 0x3fu) | 1u) * 0x10001u;
        default:
            return bits;
    }
}

std::string repeated(std::uint32_t word, std::size_t bytes) {
    std::string out((bytes + 3) / 4 * 4, '\0');
    if (!out.empty()) std::memcpy(out.data(), &word, 4);
    for (std::size_t done = 4; done < out.size(); done *= 2)
        std::memcpy(out.data() + done, out.data(), std::min(done, out.size() - done));
    out.resize(bytes);
    return out;
}

}  // namespace hone
