#include "judge/inputs.hpp"
#include "hone/abi.h"
#include "judge/numbers.hpp"

namespace hone {
namespace {

constexpr float widening = 10;

bool may_vary(hone_law law) { return law.kind != HONE_LAW_INDEX && law.shift == 0; }

}  // namespace

const char* variant_name(Variant variant) {
    switch (variant) {
        case Variant::declared: return "as declared";
        case Variant::wider: return "wider and shifted";
        default: return "whole numbers";
    }
}

std::vector<Variant> variants(const Task& task) {
    bool any = false;
    for (const TensorSpec& input : tensors(task, "inputs", timed_shape(task))) any |= may_vary(parse_law(input.law));
    std::vector<Variant> list = {Variant::declared};
    if (any) list.push_back(Variant::wider);
    if (any && task.doc.value("integers", true)) list.push_back(Variant::integers);
    return list;
}

hone_law vary(hone_law law, Variant variant) {
    if (variant == Variant::declared || !may_vary(law)) return law;
    if (variant == Variant::integers) return {HONE_LAW_INTEGER, 1, 0};
    return {law.kind, law.scale * widening, law.scale};
}

std::string make_input(const TensorSpec& spec, std::uint32_t tensor, std::uint64_t key, hone_law law) {
    const auto n = static_cast<std::size_t>(spec.elements());
    std::vector<float> values((n + 3) / 4 * 4);
    for (std::size_t block = 0; block * 4 < n; ++block) {
        const hone_block words = hone_philox(key, block, tensor);
        for (std::size_t i = 0; i < 4; ++i) values[block * 4 + i] = hone_value(words.word[i], law);
    }
    std::string bytes(spec.bytes(), '\0');
    if (spec.dtype == HONE_F32) bytes.assign(reinterpret_cast<const char*>(values.data()), n * sizeof(float));
    else narrow(spec.dtype, std::span<const float>(values.data(), n), bytes.data());
    return bytes;
}

}  // namespace hone
