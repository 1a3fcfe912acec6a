#include <algorithm>
#include <cmath>
#include <cstring>
#include "base/random.hpp"
#include "domain/extent.hpp"
#include "hone/numbers.hpp"
#include "judge/correctness/numbers.hpp"
#include "lint/lint_positions.hpp"
#include "lint/lint_trivial.hpp"

namespace hone {
namespace {

using Inputs = std::vector<std::string>;
using Alter = std::function<std::optional<Inputs>(LintSample&, const LintCase&)>;

constexpr std::int64_t blocks = 8;
constexpr int percents[] = {1, 10, 50};

// Outputs that do not depend on the inputs which are altered say nothing of the alteration: their numbers are left out.
void leave_out_others(LintSample& sample, const LintCase& one, const Inputs& inputs, Numbers& numbers) {
    if (numbers.size() < 2) return;
    Inputs anew = one.set.inputs;
    for (std::size_t i = 0; i < anew.size(); ++i)
        if (inputs[i] != one.set.inputs[i]) anew[i] = sample.other(one).set.inputs[i];
    const Numbers then = sample.answer(anew);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (then[i] == one.set.truth[i].values) numbers[i].clear();
}

TrivialProgram altered(std::string word, std::string deed, std::string harm, TrivialKind kind, bool whole,
                       Alter alter) {
    return {std::move(word),
            std::move(deed),
            std::move(harm),
            kind,
            whole,
            [alter, whole](LintSample& sample, const LintCase& one) -> std::optional<Numbers> {
                const auto inputs = alter(sample, one);
                if (!inputs) return std::nullopt;
                try {
                    Numbers numbers = sample.answer(*inputs);
                    if (!whole) leave_out_others(sample, one, *inputs, numbers);
                    return numbers;
                } catch (const PartFailed&) {
                    return std::nullopt;  // such inputs have no answer: zeros to divide by
                }
            }};
}

std::string name_of(LintSample& sample, std::size_t input) { return "input \"" + sample.inputs()[input].name + "\""; }

double mean_of(const TensorSpec& spec, const std::string& bytes) {
    const std::vector<double> values = widened(spec.dtype, bytes.data(), static_cast<std::size_t>(spec.elements()));
    double sum = 0;
    for (const double value : values) sum += std::isfinite(value) ? value : 0;
    return sum / static_cast<double>(values.size());
}

void add_ignored(std::vector<TrivialProgram>& list, LintSample& sample, std::size_t input) {
    const std::string name = name_of(sample, input), harm = "it need not be read";
    const TensorSpec& spec = sample.inputs()[input];
    if (spec.scalar && parse_law(spec.law).scale == 0) return;  // one that every call has the same
    const auto one_input = [&](const std::string& deed,
                               std::function<std::string(LintSample&, const LintCase&)> bytes) {
        list.push_back(altered("ignored", deed, harm, TrivialKind::idle, true,
                               [input, bytes](LintSample& s, const LintCase& one) -> std::optional<Inputs> {
                                   Inputs inputs = one.set.inputs;
                                   inputs[input] = bytes(s, one);
                                   return inputs;
                               }));
    };
    const hone_law law = parse_law(spec.law);
    const bool never_zero = law.kind == HONE_LAW_INDEX && law.shift > 0;  // a divisor
    const double nothing = never_zero ? law.shift : 0;
    one_input("taking " + name + " to be " + (never_zero ? "all " + std::to_string(std::lround(law.shift)) : "zero"),
              [input, nothing](LintSample& s, const LintCase&) { return filled(s.inputs()[input], nothing); });
    one_input("taking " + name + " from another call",
              [input](LintSample& s, const LintCase& one) { return s.other(one).set.inputs[input]; });
    if (is_float(spec.dtype) && !spec.scalar && spec.elements() > 1)  // one is its own mean
        one_input("taking every element of " + name + " to be its mean", [input](LintSample& s, const LintCase& one) {
            return filled(s.inputs()[input], mean_of(s.inputs()[input], one.set.inputs[input]));
        });
}

// Other values in one block of an axis at a time: each must be seen in the output.
void add_blocks(std::vector<TrivialProgram>& list, LintSample& sample, std::size_t input) {
    const std::vector<std::int64_t>& shape = sample.inputs()[input].shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const std::int64_t n = shape[axis], parts = std::min(n, blocks);
        for (std::int64_t part = 0; parts > 1 && part < parts; ++part) {
            const std::int64_t begin = n * part / parts, end = n * (part + 1) / parts;
            const std::string deed = "leaving out " + name_of(sample, input) + " from " + std::to_string(begin) +
                                     " to " + std::to_string(end - 1) + " along axis " + std::to_string(axis);
            list.push_back(
                altered("insensitive", deed, "that part need not be read", TrivialKind::idle, true,
                        [input, axis, begin, end](LintSample& s, const LintCase& one) -> std::optional<Inputs> {
                            const TensorSpec& spec = s.inputs()[input];
                            const std::size_t width = dtype_bytes(spec.dtype);
                            const std::string& other = s.other(one).set.inputs[input];
                            // index k along the axis of every element
                            std::size_t inner = 1;
                            for (std::size_t i = axis + 1; i < spec.shape.size(); ++i)
                                inner *= static_cast<std::size_t>(spec.shape[i]);
                            Inputs inputs = one.set.inputs;
                            for (std::size_t i = 0; i < other.size() / width; ++i) {
                                const auto k = static_cast<std::int64_t>(i / inner) % spec.shape[axis];
                                if (k >= begin && k < end)
                                    inputs[input].replace(i * width, width, other, i * width, width);
                            }
                            return inputs;
                        }));
        }
    }
}

// A part of the data for all of it: the first indices along a size, repeated; for a mean or a sum that is the estimate
// from a sample.
void add_samples_along(std::vector<TrivialProgram>& list, const std::string& size, int percent) {
    list.push_back(altered(
        "sample", "reading the first " + std::to_string(percent) + " % along " + size + " and repeating it",
        "a sample is enough", TrivialKind::idle, false,
        [size, percent](LintSample& s, const LintCase& one) -> std::optional<Inputs> {
            Inputs inputs = one.set.inputs;
            bool any = false;
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                const std::vector<Extent>& shape = s.task().inputs[i].shape;
                for (std::size_t axis = 0; axis < shape.size(); ++axis) {
                    const std::int64_t n = s.inputs()[i].shape[axis], kept = n * percent / 100;
                    if (shape[axis].size != size || kept < 1) continue;
                    any = true;
                    inputs[i] = gathered(inputs[i], dtype_bytes(s.inputs()[i].dtype),
                                         along(s.inputs()[i].shape, axis, [kept](std::int64_t k) { return k % kept; }));
                }
            }
            return any ? std::optional(inputs) : std::nullopt;
        }));
}

void add_scattered_sample(std::vector<TrivialProgram>& list, int percent, bool zeros) {
    list.push_back(altered("sample",
                           "reading " + std::to_string(percent) + " % of the numbers and taking the others to be " +
                               (zeros ? "0" : "their mean"),
                           "a sample is enough", TrivialKind::idle, false,
                           [percent, zeros](LintSample& s, const LintCase& one) -> std::optional<Inputs> {
                               Inputs inputs = one.set.inputs;
                               Random random(one.set.key, "sample");
                               bool any = false;
                               for (std::size_t i = 0; i < inputs.size(); ++i) {
                                   const TensorSpec& spec = s.inputs()[i];
                                   if (!is_float(spec.dtype) || spec.scalar) continue;
                                   any = true;
                                   const std::size_t width = dtype_bytes(spec.dtype);
                                   const std::string rest = filled(spec, zeros ? 0 : mean_of(spec, inputs[i]));
                                   for (std::size_t k = 0; k < inputs[i].size(); k += width)
                                       if (random.below(100) >= static_cast<std::uint64_t>(percent))
                                           inputs[i].replace(k, width, rest, k, width);
                               }
                               return any ? std::optional(inputs) : std::nullopt;
                           }));
}

float rounded(float value, bool brain) {
    if (brain) return from_bf16(to_bf16(value));
    std::uint32_t bits = std::bit_cast<std::uint32_t>(value);  // TF32 keeps 10 of 23 bits
    if ((bits & 0x7f800000u) != 0x7f800000u) bits = (bits + 0xfffu + ((bits >> 13) & 1u)) & ~0x1fffu;
    return std::bit_cast<float>(bits);
}

// The inputs with each number of a type (T, dtype) rounded; nullopt: there are none.
template <class T, class Round>
std::optional<Inputs> rounded_inputs(LintSample& sample, const LintCase& one, int dtype, Round&& round) {
    Inputs inputs = one.set.inputs;
    bool any = false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (sample.inputs()[i].dtype != dtype) continue;
        any = true;
        for (std::size_t k = 0; k < inputs[i].size(); k += sizeof(T)) {
            T value;
            std::memcpy(&value, inputs[i].data() + k, sizeof value);
            value = round(value);
            std::memcpy(inputs[i].data() + k, &value, sizeof value);
        }
    }
    return any ? std::optional(inputs) : std::nullopt;
}

// Fewer bits than the contract's f32: what a tensor core would do with the inputs, or a store as half with the output.
void add_narrow(std::vector<TrivialProgram>& list, bool brain) {
    const std::string format = brain ? "bf16" : "tf32", harm = "the contract says f32, and half the bits are enough";
    list.push_back(altered("precision", "rounding the inputs to " + format, harm, TrivialKind::narrow, true,
                           [brain](LintSample& s, const LintCase& one) {
                               return rounded_inputs<float>(s, one, HONE_F32,
                                                            [brain](float value) { return rounded(value, brain); });
                           }));
    list.push_back({"precision", "rounding the output to " + format, harm, TrivialKind::narrow, false,
                    [brain](LintSample& s, const LintCase& one) -> std::optional<Numbers> {
                        Numbers numbers;
                        for (std::size_t i = 0; i < s.outputs().size(); ++i) {
                            std::vector<double> values;
                            if (s.outputs()[i].dtype == HONE_F32)
                                for (const double value : one.set.truth[i].values)
                                    values.push_back(rounded(static_cast<float>(value), brain));
                            numbers.push_back(std::move(values));
                        }
                        return numbers;
                    }});
}

void add_half_of_f64(std::vector<TrivialProgram>& list) {
    list.push_back(altered(
        "precision", "rounding the inputs to f32", "the contract says f64, and half the bits are enough",
        TrivialKind::narrow, true, [](LintSample& s, const LintCase& one) {
            return rounded_inputs<double>(s, one, HONE_F64, [](double value) { return static_cast<float>(value); });
        }));
}

bool contract_is_f32(const Task& task) {
    const std::string& name = task.tolerance.of_class;
    return name == "f32" || name == "f64";
}

}  // namespace

std::vector<TrivialProgram> trivial_of_inputs(LintSample& sample) {
    std::vector<TrivialProgram> list;
    for (std::size_t i = 0; i < sample.inputs().size(); ++i) add_ignored(list, sample, i);
    for (std::size_t i = 0; i < sample.inputs().size(); ++i) add_blocks(list, sample, i);
    for (const std::string& size : sample.task().sizes)
        for (const int percent : percents) add_samples_along(list, size, percent);
    for (const int percent : {1, 10})
        for (const bool zeros : {true, false}) add_scattered_sample(list, percent, zeros);
    if (contract_is_f32(sample.task()))
        for (const bool brain : {false, true}) add_narrow(list, brain);
    if (sample.task().tolerance.of_class == "f64") add_half_of_f64(list);
    return list;
}

}  // namespace hone
