// A truth from numbers, made as the judge makes it, in this process's memory; the judge's word on an answer; and
// numbers rounded to a format.
#pragma once
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>
#include "hone/numbers.hpp"
#include "judge/correctness/compare.hpp"
#include "judge/correctness/numbers.hpp"
#include "judge/correctness/truth.hpp"

namespace hone {

inline FetchedTruth make_truth(const TensorSpec& spec, std::vector<double> values, const std::vector<double>& eager,
                               const Epsilon& epsilon, double input_rms = 0, double least_usual = 0) {
    HostMemory memory;
    std::vector<double> local_scale((values.size() + HONE_NEAR - 1) / HONE_NEAR);
    hone_errors tally{};
    const auto address = [](const void* at) { return reinterpret_cast<std::uint64_t>(at); };
    Truth truth{spec, address(values.data()), address(local_scale.data())};
    truth.usual = least_usual;
    hone_tensor answer = tensor_at(spec, address(eager.data()));
    answer.dtype = HONE_F64;
    complete(memory, truth, answer, epsilon, input_rms, address(&tally));
    return {spec, std::move(values), truth.bounds.each.exact ? std::vector<double>() : std::move(local_scale),
            truth.bounds, truth.rms};
}

inline std::optional<Mismatch> compare(const FetchedTruth& truth, const std::string& got,
                                       std::optional<std::uint32_t> poison, const std::string& where,
                                       bool open = false) {
    hone_comparison with = truth.comparison();
    with.poison = poison.value_or(0);
    with.poisoned = poison.has_value();
    const hone_tensor answer = tensor_at(truth.spec, reinterpret_cast<std::uint64_t>(got.data()));
    const hone_errors errors = on_host::compare(answer, with);
    if (is_within(truth.bounds, errors)) return std::nullopt;
    return mismatch_of(truth, errors, got, poison, where, open);
}

inline bool agrees(const FetchedTruth& truth, std::size_t i, double got) {
    return truth.look_at(i, got).fault == HONE_FINE;
}

inline double f16(double x) { return from_f16(to_f16(static_cast<float>(x))); }
inline double bf16(double x) { return from_bf16(to_bf16(static_cast<float>(x))); }
inline double tf32(double x) {  // rounded to 11 significant bits
    int power = 0;
    const double fraction = std::frexp(x, &power);
    return std::ldexp(std::nearbyint(fraction * 2048) / 2048, power);
}
inline double f32(double x) { return static_cast<float>(x); }
inline double exact(double x) { return x; }

// What is wrong with an answer, or "fine".
inline std::string property(const FetchedTruth& truth, const std::vector<double>& got) {
    std::string bytes(got.size() * 4, '\0');
    narrow(HONE_F32, std::span<const double>(got), bytes.data());
    const auto mismatch = compare(truth, bytes, std::nullopt, "here");
    return mismatch ? mismatch->property : "fine";
}

}  // namespace hone
