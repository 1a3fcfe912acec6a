#include "judge/inputs.hpp"
#include <algorithm>
#include <limits>
#include <optional>
#include "hone/abi.h"
#include "judge/numbers.hpp"

namespace hone {
namespace {

constexpr float widening = 10, touched = 128;
constexpr std::uint64_t least_for_nonfinite = 2048;  // elements: a small tensor would lose all its meaning

bool may_vary(hone_law law) { return law.kind != HONE_LAW_INDEX && law.shift == 0; }

// What the task leaves out of `special`: special = {without = {"nan", "inf"}, because = "..."}.
bool leaves_out(const Task& task, const char* what) {
    const Json special = task.doc.value("special", Json::object());
    const Json list = special.value("without", Json::array());
    return std::find(list.begin(), list.end(), what) != list.end();
}

hone_law vary(hone_law law, Variant variant, const Task& task) {
    if (!may_vary(law)) return law;
    if (variant == Variant::integers) return {HONE_LAW_INTEGER, 1, 0};
    if (variant == Variant::wider) return {law.kind, law.scale * widening, law.scale};
    if (variant == Variant::outliers) law.kind |= HONE_LAW_OUTLIERS;
    if (variant != Variant::special) return law;
    if (!leaves_out(task, "zero")) law.kind |= HONE_LAW_ZEROS;
    if (!leaves_out(task, "denormal")) law.kind |= HONE_LAW_SMALL;
    return law;
}

// What no law makes: one NaN and one infinity of each sign.
std::vector<Input::Patch> nonfinite(const Task& task, std::uint64_t n, std::uint64_t key, std::uint32_t tensor) {
    std::vector<Input::Patch> patches;
    if (n < least_for_nonfinite) return patches;
    constexpr float infinite = std::numeric_limits<float>::infinity();
    const hone_block at = hone_philox(key, n, hone_second(tensor));  // no element's block
    if (!leaves_out(task, "inf")) patches = {{at.word[0] % n, infinite}, {at.word[1] % n, -infinite}};
    if (!leaves_out(task, "nan")) patches.push_back({at.word[2] % n, std::numeric_limits<float>::quiet_NaN()});
    return patches;
}

// One element, to something that no result can overlook.
Input::Patch touch(hone_law law, std::uint64_t n, std::uint64_t key, std::uint32_t tensor, std::uint32_t word, int dtype) {
    const std::uint64_t element = word % n;
    const float value = hone_input(key, tensor, element, n, law, dtype == HONE_F16);
    return {element, (value < 0 ? 1.0f : -1.0f) * touched * law.scale};
}

// The one input that `touched` changes.
std::optional<std::size_t> touched_input(const std::vector<hone_law>& laws, std::uint32_t word) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < laws.size(); ++i)
        if (may_vary(laws[i])) open.push_back(i);
    return open.empty() ? std::nullopt : std::optional(open[word % open.size()]);
}

}  // namespace

const char* variant_word(Variant variant) {
    static constexpr const char* names[] = {"declared", "wider", "integers", "outliers", "special", "touched"};
    return names[static_cast<std::size_t>(variant)];
}

const char* variant_name(Variant variant) {
    static constexpr const char* texts[] = {"as declared",   "wider and shifted",   "whole numbers",
                                            "with outliers", "with special values", "as before but for one element"};
    return texts[static_cast<std::size_t>(variant)];
}

std::vector<Variant> variants(const Task& task) {
    std::vector<Variant> list = {Variant::declared};
    const std::vector<TensorSpec> inputs = tensors(task, "inputs", timed_shape(task));
    if (std::none_of(inputs.begin(), inputs.end(), [](const TensorSpec& input) { return may_vary(parse_law(input.law)); })) return list;
    list.push_back(Variant::wider);
    list.push_back(Variant::outliers);
    for (const char* what : {"zero", "denormal", "inf", "nan"})
        if (!leaves_out(task, what) && list.back() != Variant::special) list.push_back(Variant::special);
    if (task.doc.value("integers", true)) list.push_back(Variant::integers);
    return list;
}

std::vector<Input> make_inputs(const Task& task, const std::vector<TensorSpec>& specs, std::uint64_t key, Variant variant) {
    std::vector<hone_law> laws;
    for (const TensorSpec& spec : specs) laws.push_back(parse_law(spec.law));
    const hone_block choice = hone_philox(key, 0, 0xffffffffu);
    const std::optional<std::size_t> changed = variant == Variant::touched ? touched_input(laws, choice.word[0]) : std::nullopt;
    std::vector<Input> inputs;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        const auto n = static_cast<std::uint64_t>(specs[i].elements());
        const auto tensor = static_cast<std::uint32_t>(i);
        Input& input = inputs.emplace_back(Input{vary(laws[i], variant, task), {}});
        if (variant == Variant::special && may_vary(laws[i])) input.patches = nonfinite(task, n, key, tensor);
        if (changed == i) input.patches = {touch(laws[i], n, key, tensor, choice.word[1], specs[i].dtype)};
    }
    return inputs;
}

std::string input_bytes(const TensorSpec& spec, const Input& input, std::uint64_t key, std::uint32_t tensor) {
    const auto n = static_cast<std::size_t>(spec.elements());
    const hone_law law = input.law;
    const bool half = spec.dtype == HONE_F16, seconds = law.kind >= HONE_LAW_OUTLIERS;
    std::string floats((n + 3) / 4 * 4 * sizeof(float), '\0');  // whole blocks
    auto* const values = reinterpret_cast<float*>(floats.data());
    for (std::size_t block = 0; block * 4 < n; ++block) {
        const hone_block words = hone_philox(key, block, tensor);
        if (!seconds) {  // nearly all inputs of a judging
            for (std::size_t j = 0; j < 4; ++j) values[block * 4 + j] = hone_value(words.word[j], law);
            continue;
        }
        const hone_block second = hone_philox(key, block, hone_second(tensor));
        for (std::size_t j = 0; j < 4; ++j)
            values[block * 4 + j] = hone_element(words.word[j], second.word[j], block * 4 + j, n, law, half);
    }
    for (const Input::Patch& patch : input.patches) values[patch.element] = patch.value;
    if (spec.dtype == HONE_F32) return floats.resize(n * sizeof(float)), floats;
    std::string bytes(spec.bytes(), '\0');
    narrow(spec.dtype, std::span<const float>(values, n), bytes.data());
    return bytes;
}

std::string patch_bytes(int dtype, float value) {
    std::string bytes(dtype_bytes(dtype), '\0');
    narrow(dtype, std::span<const float>(&value, 1), bytes.data());
    return bytes;
}

}  // namespace hone
