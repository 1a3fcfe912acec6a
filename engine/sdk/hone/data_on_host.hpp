// hone/data_on_host.hpp: tensors in this process's own memory, where an address is a pointer: their elements as
// numbers, and the inputs of hone/inputs.h.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>
#include "hone/abi.h"
#include "hone/inputs.h"
#include "hone/numbers.hpp"

namespace hone::on_host {

template <class T> T* at(std::uint64_t address) { return reinterpret_cast<T*>(address); }

inline std::uint64_t elements(const hone_tensor& tensor) {
    std::uint64_t n = 1;
    for (std::int32_t i = 0; i < tensor.rank; ++i) n *= static_cast<std::uint64_t>(tensor.shape[i]);
    return n;
}

template <class T> void to_numbers(const T* raw, std::uint64_t n, double* numbers) {
    for (std::uint64_t i = 0; i < n; ++i) numbers[i] = to_number(raw[i]);
}

inline void widen(const hone_tensor& from, double* to) {
    with_type(from.dtype, [&](auto zero) { to_numbers(at<const decltype(zero)>(from.at), elements(from), to); });
}

inline void gather(const hone_tensor& from, const std::int64_t* index, std::uint32_t n, double* to) {
    with_type(from.dtype, [&](auto element) {
        for (std::uint32_t i = 0; i < n; ++i) {
            std::memcpy(&element, at<const char>(from.at) + static_cast<std::uint64_t>(index[i]) * sizeof element,
                        sizeof element);
            to[i] = to_number(element);
        }
    });
}

// Four elements, of one block of hone_philox, which it returns.
inline hone_block fill_block(float* values, std::uint64_t block, std::uint64_t n, std::uint64_t key,
                             std::uint32_t number, hone_law law, bool half) {
    const hone_block words = hone_philox(key, block, number);
    if (law.kind < HONE_LAW_OUTLIERS) {  // nearly all inputs of a judging
        for (std::uint64_t j = 0; j < 4; ++j) values[j] = hone_value(words.word[j], law);
        return words;
    }
    const hone_block second = hone_philox(key, block, hone_second(number));
    for (std::uint64_t j = 0; j < 4; ++j)
        values[j] = hone_element(words.word[j], second.word[j], block * 4 + j, n, law, half);
    return words;
}

template <class T> T element_of(float value, std::uint32_t word, hone_law law) {
    if constexpr (std::is_same_v<T, double>) return hone_wide(value, word, law);
    else return from_number<T>(value);
}

template <class T> void fill(T* to, std::uint64_t n, std::uint64_t key, std::uint32_t number, hone_law law, bool half) {
    float values[4];
    for (std::uint64_t block = 0; block < n / 4; ++block) {
        const hone_block words = fill_block(values, block, n, key, number, law, half);
        for (std::uint64_t j = 0; j < 4; ++j) to[block * 4 + j] = element_of<T>(values[j], words.word[j], law);
    }
    if (n % 4 == 0) return;
    const hone_block words = fill_block(values, n / 4, n, key, number, law, half);
    for (std::uint64_t j = 0; j < n % 4; ++j) to[n / 4 * 4 + j] = element_of<T>(values[j], words.word[j], law);
}

inline void fill(const hone_tensor& to, std::uint64_t key, std::uint32_t number, hone_law law) {
    with_type(to.dtype, [&](auto zero) {
        fill(at<decltype(zero)>(to.at), elements(to), key, number, law, to.dtype == HONE_F16);
    });
}

}  // namespace hone::on_host
