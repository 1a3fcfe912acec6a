#include "judge/correctness/inputs.hpp"
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include "hone/abi.h"
#include "judge/correctness/numbers.hpp"

namespace hone {
namespace {

constexpr std::size_t variant_count = static_cast<std::size_t>(Variant::furthest) + 1;
constexpr float widening = 10, touched = 128;  // times a law's scale
// beyond the range of 16 bits. (As small, outputs are often nearly constant, and nothing can be told by them.)
constexpr float resizing = 1 << 24;
constexpr float faint = 0x1p-30f;  // its square is a normal number
constexpr std::uint64_t most_strays = 8;
constexpr float whole_without_growth = 256, most_growth = 16;     // the first: a root of elements
constexpr float nearest_far = 16, farthest = 1024, one_side = 6;  // deviations
// deviations: from 2^24 on a float32 sum has lost what varies
constexpr double largest_sum = 1 << 22;
constexpr std::uint64_t slabs_a_tensor = 8;  // so that their rows make the mean error
constexpr std::uint32_t of_slabs = 0x40000000u,
                        a_dimension = 0x1000000u;    // set in a tensor's number: their values are not its first ones
constexpr std::uint32_t edge = 8;                    // elements at either end
constexpr std::uint64_t least_for_nonfinite = 2048;  // elements: a small tensor would lose all its meaning

bool may_change(const TensorSpec& spec) {
    const hone_law law = parse_law(spec.law);
    return law.scale > (law.kind == HONE_LAW_INDEX ? 1.0f : 0.0f);
}

// A hundred times as far from zero, where a start of -40 or -1000 for a maximum of numbers around -20 is seen; and
// still exact in the dtype.
float far_away(float shift, int dtype) {
    const float most = dtype == HONE_BF16 ? 200 : dtype == HONE_F16 ? 1000 : 4000;
    return std::clamp(std::round(100 * shift), -most, most);
}

bool is_beside_zero(hone_law law) {
    const bool can_be = law.kind == HONE_LAW_NORMAL || law.kind == HONE_LAW_UNIFORM;
    return can_be && law.scale > 0 && std::fabs(law.shift) >= law.scale;
}

bool is_around_zero(const TensorSpec& spec) {
    return may_vary(spec) && is_float(spec.dtype) && !is_beside_zero(parse_law(spec.law));
}

bool has_furthest(const TensorSpec& spec) {
    const hone_law law = parse_law(spec.law);
    return !spec.strict && law.kind == HONE_LAW_INDEX && law.scale > 1;
}

// The two numbers of a law that lie furthest from zero: of products of one number alone, such as 2^14, float32 keeps
// every bit of a long sum.
hone_law furthest_of(hone_law index) {
    const float last = index.shift + index.scale - 1;
    return {HONE_LAW_INDEX, 2, std::fabs(index.shift) > std::fabs(last) ? index.shift : last - 1};
}

// Where each answer is exact, and may be asked for at the end of a law.
bool is_whole(const Task& task, const std::vector<TensorSpec>& inputs) {
    const auto floats = [](const TensorSpec& spec) { return is_float(spec.dtype); };
    return std::none_of(inputs.begin(), inputs.end(), may_vary) &&
           std::ranges::none_of(tensors(task, "outputs", timed_shape(task)), floats);
}

hone_law vary(const TensorSpec& spec, Variant variant, const Task& task) {
    hone_law law = parse_law(spec.law);
    if (variant == Variant::furthest && has_furthest(spec)) return furthest_of(law);
    if (!may_vary(spec)) return law;
    if (variant == Variant::integers) return {HONE_LAW_INTEGER, 1, far_away(law.shift, spec.dtype)};
    if (variant == Variant::wider) return {law.kind, law.scale * widening, law.shift + law.scale};
    if (variant == Variant::centred && is_beside_zero(law)) law.shift = 0;
    if (variant == Variant::outliers) law.kind |= HONE_LAW_OUTLIERS;
    if (variant != Variant::special) return law;
    if (!leaves_out(task, "zero")) law.kind |= HONE_LAW_ZEROS;
    if (!leaves_out(task, "denormal")) law.kind |= HONE_LAW_SMALL;
    return law;
}

bool has_room(const TensorSpec& spec) { return may_vary(spec) && (spec.dtype == HONE_F32 || spec.dtype == HONE_F64); }

// Of all inputs of a kind that has room for it, by chance.
std::optional<std::size_t> larger_input(const std::vector<TensorSpec>& specs, std::uint32_t word) {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < specs.size(); ++i)
        if (has_room(specs[i])) all.push_back(i);
    return all.empty() ? std::nullopt : std::optional(all[word % all.size()]);
}

// For each dimension but the last neighbours at an eighth of its places: samples, channels, rows. What a program takes
// together lies in one of them as a rule. No slab is more than half of the tensor. changed: a slab's law, of the
// tensor's and of a coin.
std::vector<Input::Slab> slabs(const TensorSpec& spec, std::uint64_t key, std::uint32_t tensor,
                               const std::function<hone_law(hone_law, bool coin)>& changed) {
    std::vector<Input::Slab> slabs;
    std::uint64_t places = 1, each = static_cast<std::uint64_t>(spec.elements());
    for (std::size_t d = 0; d + 1 < spec.shape.size(); ++d) {
        const auto size = static_cast<std::uint64_t>(spec.shape[d]);
        places *= size, each /= size;
        if (size < 2 || each < 2) continue;
        const std::uint32_t number = (tensor | of_slabs) + static_cast<std::uint32_t>(d) * a_dimension;
        const hone_block at = hone_philox(key, 0, hone_second(number));
        const std::uint64_t wide = (places + slabs_a_tensor - 1) / slabs_a_tensor;
        slabs.push_back({at.word[0] % (places - wide + 1) * each, wide * each, number,
                         changed(parse_law(spec.law), at.word[1] % 2)});
    }
    return slabs;
}

std::vector<Input::Slab> far_slabs(const TensorSpec& spec, std::uint64_t key, std::uint32_t tensor, float distance) {
    return slabs(spec, key, tensor, [distance](hone_law law, bool coin) {
        return hone_law{law.kind, law.scale, law.shift + (coin ? distance : -distance) * law.scale};
    });
}

// Rows of padding, and rows whose squares a small summand outweighs.
std::vector<Input::Slab> faint_slabs(const TensorSpec& spec, std::uint64_t key, std::uint32_t tensor) {
    return slabs(spec, key, tensor, [](hone_law law, bool coin) {
        return coin ? hone_law{HONE_LAW_INDEX, 1, 0} : hone_law{law.kind, faint * law.scale, faint * law.shift};
    });
}

// Of whole numbers many are alike already. Where equal numbers are told apart (the place of a maximum), a task knows
// none.
bool can_have_faint_slabs(const Task& task) {
    return tells_of_sums(task) && task.integers && !leaves_out(task, "zero");
}

// Of the largest of those, weights only where there is nothing else; cut: of those that have slabs.
std::optional<std::size_t> far_input(const std::vector<TensorSpec>& specs, std::uint32_t word, bool cut = false) {
    const auto size = [&](std::size_t i) { return std::pair(!specs[i].constant, specs[i].elements()); };
    std::vector<std::size_t> largest;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        if (!has_room(specs[i]) || (cut && far_slabs(specs[i], 0, 0, 1).empty())) continue;
        if (!largest.empty() && size(i) > size(largest[0])) largest.clear();
        if (largest.empty() || size(i) == size(largest[0])) largest.push_back(i);
    }
    return largest.empty() ? std::nullopt : std::optional(largest[word % largest.size()]);
}

// What no law makes: one NaN and one infinity of each sign; every second time one of them lies within the first or the
// last elements, where programs have code of their own.
std::vector<Input::Patch> nonfinite(const Task& task, std::uint64_t n, std::uint64_t key, std::uint32_t tensor) {
    std::vector<Input::Patch> patches;
    if (n < least_for_nonfinite) return patches;
    constexpr float infinite = std::numeric_limits<float>::infinity();
    const hone_block at = hone_philox(key, n, hone_second(tensor));  // no element's block
    if (!leaves_out(task, "inf")) patches = {{at.word[0] % n, infinite}, {at.word[1] % n, -infinite}};
    if (!leaves_out(task, "nan")) patches.push_back({at.word[2] % n, std::numeric_limits<float>::quiet_NaN()});
    const std::uint32_t chance = at.word[3];
    if (patches.empty() || chance % 2) return patches;
    const std::uint64_t from_end = chance / 4 % edge;
    patches[chance / (4 * edge) % patches.size()].element = chance & 2 ? from_end : n - 1 - from_end;
    return patches;
}

// Another value of a law whose tensor has no others: near its other end.
float other_value(hone_law law, float value, std::uint32_t word) {
    if (law.kind == HONE_LAW_INDEX) {
        const auto n = static_cast<std::uint64_t>(law.scale);
        const auto place = static_cast<std::uint64_t>(value - law.shift);
        return static_cast<float>((place + 1 + word % (n - 1)) % n) + law.shift;
    }
    const float end = law.kind == HONE_LAW_NORMAL ? 3.4f : law.kind == HONE_LAW_UNIFORM ? 0.99f : 4.0f;
    return law.shift + (value < law.shift ? end : -end) * law.scale;
}

// One element, to something that no result can overlook.
Input::Patch touch(const TensorSpec& spec, std::uint64_t key, std::uint32_t tensor, const hone_block& choice) {
    const hone_law law = parse_law(spec.law);
    const auto n = static_cast<std::uint64_t>(spec.elements());
    const std::uint64_t element = choice.word[1] % n;
    const float value = hone_input(key, tensor, element, n, law, spec.dtype == HONE_F16);
    if (!may_vary(spec)) return {element, other_value(law, value, choice.word[2])};
    return {element, (value < 0 ? 1.0f : -1.0f) * touched * law.scale};
}

// So that a norm or a sum of squares over all of a large tensor shows them too, they grow with its root; in f16 squares
// would then overflow.
float growth(std::uint64_t n, int dtype) {
    const float root = std::sqrt(static_cast<float>(n)) / whole_without_growth;
    return dtype == HONE_F16 ? 1 : std::clamp(root, 1.0f, most_growth);
}

// Some neighbours of both signs, 2 to 128 times as large as the law's scale (in a tensor of more than 65536 elements up
// to 16 times that): too few to be found by a look at a part of the data.
std::vector<Input::Patch> strays(const TensorSpec& spec, std::uint64_t key, std::uint32_t tensor,
                                 const hone_block& choice) {
    const auto n = static_cast<std::uint64_t>(spec.elements()), first = choice.word[1] % n;
    std::vector<Input::Patch> patches;
    for (std::uint64_t i = first; i < std::min(first + most_strays, n); ++i) {
        const hone_block at = hone_philox(key, n + 1 + i, hone_second(tensor));  // no element's block
        const float size = parse_law(spec.law).scale * growth(n, spec.dtype) * static_cast<float>(2u << at.word[1] % 7);
        patches.push_back({i, at.word[0] % 2 ? size : -size});
    }
    return patches;
}

std::optional<std::size_t> stray_input(const std::vector<TensorSpec>& specs, std::uint32_t word) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < specs.size(); ++i)
        if (may_vary(specs[i]) && is_float(specs[i].dtype)) open.push_back(i);
    return open.empty() ? std::nullopt : std::optional(open[word % open.size()]);
}

// The one input that `touched` changes.
std::optional<std::size_t> touched_input(const std::vector<TensorSpec>& specs, std::uint32_t word) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < specs.size(); ++i)
        if (may_change(specs[i])) open.push_back(i);
    return open.empty() ? std::nullopt : std::optional(open[word % open.size()]);
}

// On which side of zero inputs lie.
struct Side {
    float away;   // 1: above zero; -1: below
    bool all;     // all inputs whose laws lie around zero
    bool larger;  // one input alone, which is `resizing` times as large
};

// Where nothing is summed, huge inputs are right for every honest program. `larger` lies above zero then, and
// `one_sided` at the timed shape below, huge too: no number that a wrong minimum or maximum begins with lies beyond.
Side side_of_zero(const Task& task, const std::vector<TensorSpec>& specs, Variant variant, bool timed, bool coin) {
    const bool one_sided = variant == Variant::one_sided,
               huge = task.larger && !tells_of_sums(task) && larger_input(specs, 0);
    if (huge && variant == Variant::larger) return {1, false, true};
    if (huge && one_sided && timed) return {-1, false, true};
    return {coin ? 1.0f : -1.0f, one_sided, false};
}

}  // namespace

float far_distance(const Task& task, const Shape& sizes) {
    const std::string& of_class = task.tolerance.of_class;
    if (of_class != "f32" && of_class != "f64") return nearest_far;
    const double terms = sum_terms(task, sizes).value_or(1);
    return std::clamp(static_cast<float>(largest_sum / terms), nearest_far, farthest);
}

bool tells_of_sums(const Task& task) { return sum_terms(task, timed_shape(task)).value_or(1) > 1; }

bool may_vary(const TensorSpec& spec) { return !spec.strict && parse_law(spec.law).kind != HONE_LAW_INDEX; }

const char* variant_word(Variant variant) {
    static constexpr const char* names[] = {"declared",  "wider",   "larger", "integers", "outliers", "special", "far",
                                            "one_sided", "touched", "strays", "slabs",    "centred",  "furthest"};
    static_assert(std::size(names) == variant_count);
    return names[static_cast<std::size_t>(variant)];
}

const char* variant_name(Variant variant) {
    static constexpr const char* texts[] = {"as declared",
                                            "wider and shifted",
                                            "far larger",
                                            "whole numbers",
                                            "with outliers",
                                            "with special values",
                                            "far from zero",
                                            "on one side of zero",
                                            "as before but for one element",
                                            "as declared but for a few neighbours",
                                            "as declared but for some rows",
                                            "around zero",
                                            "furthest from zero"};
    static_assert(std::size(texts) == variant_count);
    return texts[static_cast<std::size_t>(variant)];
}

std::vector<Variant> variants(const Task& task) {
    std::vector<Variant> list = {Variant::declared};
    const std::vector<TensorSpec> inputs = tensors(task, "inputs", timed_shape(task));
    if (is_whole(task, inputs) && std::ranges::any_of(inputs, has_furthest)) list.push_back(Variant::furthest);
    if (std::none_of(inputs.begin(), inputs.end(), may_vary)) return list;
    list.push_back(Variant::wider);
    if (task.larger && larger_input(inputs, 0)) list.push_back(Variant::larger);
    list.push_back(Variant::outliers);
    for (const char* what : {"zero", "denormal", "inf", "nan"})
        if (!leaves_out(task, what) && list.back() != Variant::special) list.push_back(Variant::special);
    if (task.integers) list.push_back(Variant::integers);
    if (tells_of_sums(task) && far_input(inputs, 0)) list.push_back(Variant::far);
    else if (std::any_of(inputs.begin(), inputs.end(), is_around_zero)) list.push_back(Variant::one_sided);
    return list;
}

bool has_room_for_nonfinite(const std::vector<TensorSpec>& inputs) {
    return std::any_of(inputs.begin(), inputs.end(), [](const TensorSpec& spec) {
        return may_vary(spec) && static_cast<std::uint64_t>(spec.elements()) >= least_for_nonfinite;
    });
}

bool can_have_slabs(const Task& task) {
    return tells_of_sums(task) && far_input(tensors(task, "inputs", timed_shape(task)), 0, true);
}

bool can_be_centred(const Task& task) {
    const std::vector<TensorSpec> inputs = tensors(task, "inputs", timed_shape(task));
    return tells_of_sums(task) && std::any_of(inputs.begin(), inputs.end(), [](const TensorSpec& spec) {
               return may_vary(spec) && is_float(spec.dtype) && is_beside_zero(parse_law(spec.law));
           });
}

bool can_stray(const Task& task) { return stray_input(tensors(task, "inputs", timed_shape(task)), 0).has_value(); }
bool can_touch(const Task& task) { return touched_input(tensors(task, "inputs", timed_shape(task)), 0).has_value(); }

std::vector<Input> make_inputs(const Task& task, const std::vector<TensorSpec>& specs, std::uint64_t key,
                               Variant variant, const std::optional<Shape>& sizes) {
    const float distance = far_distance(task, sizes.value_or(timed_shape(task)));
    const hone_block choice = hone_philox(key, 0, 0xffffffffu);
    const std::optional<std::size_t> changed =
        variant == Variant::touched ? touched_input(specs, choice.word[0]) : std::nullopt;
    const std::optional<std::size_t> strayed =
        variant == Variant::strays ? stray_input(specs, choice.word[0]) : std::nullopt;
    const std::optional<std::size_t> moved = variant == Variant::far ? far_input(specs, choice.word[0]) : std::nullopt,
                                     cut = variant == Variant::slabs || variant == Variant::special
                                               ? far_input(specs, choice.word[0], true)
                                               : std::nullopt;
    const Side side = side_of_zero(task, specs, variant, !sizes || *sizes == timed_shape(task), choice.word[1] % 2);
    const std::optional<std::size_t> resized =
        variant == Variant::larger || side.larger ? larger_input(specs, choice.word[0]) : std::nullopt;
    std::vector<Input> inputs;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        const auto n = static_cast<std::uint64_t>(specs[i].elements());
        const auto tensor = static_cast<std::uint32_t>(i);
        Input& input = inputs.emplace_back(Input{vary(specs[i], variant, task), {}, {}});
        if (variant == Variant::special && may_vary(specs[i])) input.patches = nonfinite(task, n, key, tensor);
        if (cut == i && variant == Variant::slabs) input.slabs = far_slabs(specs[i], key, tensor, distance);
        if (cut == i && variant == Variant::special && can_have_faint_slabs(task))
            input.slabs = faint_slabs(specs[i], key, tensor);
        if (strayed == i) input.patches = strays(specs[i], key, tensor, choice);
        if (changed == i) input.patches = {touch(specs[i], key, tensor, choice)};
        const bool sided = side.larger ? resized == i : side.all;
        if (sided && is_around_zero(specs[i])) input.law.shift += side.away * one_side * input.law.scale;
        if (resized == i) input.law = {input.law.kind, resizing * input.law.scale, resizing * input.law.shift};
        if (moved == i) input.law.shift += side.away * distance * input.law.scale;
    }
    return inputs;
}

void put_input(Memory& memory, const hone_tensor& to, const Input& input, std::uint64_t key, std::uint32_t tensor) {
    memory.fill(to, key, tensor, input.law.kind, input.law.scale, input.law.shift);
    for (const Input::Slab& slab : input.slabs) {
        const auto count = static_cast<std::int64_t>(slab.count);
        const hone_tensor part{to.at + slab.first * dtype_bytes(to.dtype), to.dtype, 1, &count};
        memory.fill(part, key, slab.number, slab.law.kind, slab.law.scale, slab.law.shift);
    }
    for (const Input::Patch& patch : input.patches) {
        std::string bytes(dtype_bytes(to.dtype), '\0');
        narrow(to.dtype, std::span<const float>(&patch.value, 1), bytes.data());
        memory.write(to.at + patch.element * bytes.size(), bytes.data(), bytes.size());
    }
}

std::string input_bytes(const TensorSpec& spec, const Input& input, std::uint64_t key, std::uint32_t tensor) {
    std::string bytes(spec.bytes(), '\0');
    HostMemory memory;
    put_input(memory, tensor_at(spec, reinterpret_cast<std::uint64_t>(bytes.data())), input, key, tensor);
    return bytes;
}

}  // namespace hone
