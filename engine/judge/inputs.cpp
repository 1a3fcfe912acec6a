#include "judge/inputs.hpp"
#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include "hone/abi.h"
#include "judge/numbers.hpp"

namespace hone {
namespace {

constexpr float widening = 10;
// One element then outweighs thousands in a sum of squares, and a few together all the others; more or larger ones, and plain sums in f32
// would lose the ordinary elements by rounding.
constexpr float outlier = 128;
constexpr std::size_t outliers = 16;
constexpr std::uint32_t zero_every = 16;
constexpr std::uint64_t least_for_nonfinite = 2048;  // elements: a small tensor would lose all its meaning
constexpr std::uint32_t choices = 0x80000000u;       // tensor numbers of the streams that choose positions

bool may_vary(hone_law law) { return law.kind != HONE_LAW_INDEX && law.shift == 0; }

hone_law vary(hone_law law, Variant variant) {
    if (!may_vary(law)) return law;
    if (variant == Variant::integers) return {HONE_LAW_INTEGER, 1, 0};
    if (variant == Variant::wider) return {law.kind, law.scale * widening, law.scale};
    return law;
}

// What the task leaves out of `special`: special = {without = {"nan", "inf"}, because = "..."}.
bool leaves_out(const Task& task, const char* what) {
    const Json special = task.doc.value("special", Json::object());
    const Json list = special.value("without", Json::array());
    return std::find(list.begin(), list.end(), what) != list.end();
}

class Values {
public:
    Values(const TensorSpec& spec, std::uint32_t tensor, std::uint64_t key, hone_law law)
        : spec_(spec), tensor_(tensor), key_(key), n_(static_cast<std::size_t>(spec.elements())), values_((n_ + 3) / 4 * 4) {
        each_word(tensor, [&](std::size_t i, std::uint32_t word) { values_[i] = hone_value(word, law); });
    }

    void add_outliers() {
        const auto every = static_cast<std::uint32_t>(std::clamp<std::size_t>(n_ / outliers, 16, 1u << 31));
        each_word(tensor_ | choices, [&](std::size_t i, std::uint32_t word) {
            if (i == 0 || i + 1 == n_ || word % every == 0) values_[i] *= outlier;
        });
    }

    void add_special(const Task& task) {
        const bool zeros = !leaves_out(task, "zero"), small = !leaves_out(task, "denormal");
        each_word(tensor_ | choices, [&](std::size_t i, std::uint32_t word) {
            const float sign = word & 0x80000000u ? -1.0f : 1.0f;
            if (zeros && word % zero_every == 0) values_[i] = sign * 0.0f;
            else if (small && word % zero_every == 1) values_[i] = sign * denormal(word >> 8);
        });
        if (n_ < least_for_nonfinite) return;
        constexpr float infinite = std::numeric_limits<float>::infinity();
        const hone_block at = hone_philox(key_, n_, tensor_ | choices);  // no element's block
        if (!leaves_out(task, "inf")) values_[at.word[0] % n_] = infinite, values_[at.word[1] % n_] = -infinite;
        if (!leaves_out(task, "nan")) values_[at.word[2] % n_] = std::numeric_limits<float>::quiet_NaN();
    }

    // One element, to something that no result can overlook.
    void touch(std::uint32_t word, hone_law law) {
        float& value = values_[word % n_];
        value = (value < 0 ? 1.0f : -1.0f) * outlier * law.scale;
    }

    std::size_t size() const { return n_; }

    std::string bytes() const {
        std::string bytes(spec_.bytes(), '\0');
        if (spec_.dtype == HONE_F32) bytes.assign(reinterpret_cast<const char*>(values_.data()), n_ * sizeof(float));
        else narrow(spec_.dtype, std::span<const float>(values_.data(), n_), bytes.data());
        return bytes;
    }

private:
    template <class Visit> void each_word(std::uint32_t stream, Visit&& visit) const {
        for (std::size_t block = 0; block * 4 < n_; ++block) {
            const hone_block words = hone_philox(key_, block, stream);
            for (std::size_t i = 0; i < 4; ++i) visit(block * 4 + i, words.word[i]);
        }
    }
    // below the dtype's normal numbers and not zero
    float denormal(std::uint32_t bits) const {
        if (spec_.dtype == HONE_F16) return static_cast<float>(bits % 1023 + 1) * 0x1p-24f;
        return std::bit_cast<float>((bits & 0x7fffffu) | 0x10000u);  // a bit that bf16 keeps
    }

    const TensorSpec& spec_;
    std::uint32_t tensor_;
    std::uint64_t key_;
    std::size_t n_;
    std::vector<float> values_;
};

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
    for (const TensorSpec& spec : specs) laws.push_back(vary(parse_law(spec.law), variant));
    const hone_block touch = hone_philox(key, 0, 0xffffffffu);
    std::vector<Input> inputs;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        Values values(specs[i], static_cast<std::uint32_t>(i), key, laws[i]);
        const bool open = may_vary(laws[i]), changed = variant == Variant::touched && touched_input(laws, touch.word[0]) == i;
        if (open && variant == Variant::outliers) values.add_outliers();
        if (open && variant == Variant::special) values.add_special(task);
        if (changed) values.touch(touch.word[1], laws[i]);
        const bool lawful = !changed && (!open || (variant != Variant::outliers && variant != Variant::special));
        inputs.push_back({values.bytes(), laws[i], lawful});
    }
    return inputs;
}

}  // namespace hone
