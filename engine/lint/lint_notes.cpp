#include "lint/lint_notes.hpp"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <set>
#include "base/random.hpp"
#include "judge/correctness/drawn_shapes.hpp"
#include "judge/correctness/numbers.hpp"
#include "judge/service/bench_process.hpp"
#include "parts/timed_kinds.hpp"

namespace hone {
namespace {

constexpr double least_seconds = 20e-6;
constexpr double many_times = 8;  // stated flops over those that are needed
constexpr double far_off = 2;     // stated bytes over those of inputs and outputs, or these over those
constexpr int probes = 8;
constexpr double core_flops = 5e11, core_bytes = 1e12, beyond_doubt = 100;  // of a core a second, more than any has

std::string short_number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2g", value);
    return text;
}

void note_time(LintSample& sample, std::vector<std::string>& notes) {
    const double seconds = sample.prepared().reference_seconds();
    if (sample.task().verifier || seconds >= least_seconds) return;
    notes.push_back("short: the reference took " + short_number(1e6 * seconds) +
                    " us at the timed shape, less than 20 us: the cost of a call may hide the kernel's");
}

// Two sets of small whole numbers, whose midpoints are exact.
const LintCase* whole_numbers(LintSample& sample) {
    for (const LintCase& one : sample.cases())
        if (one.set.variant == Variant::integers) return &one;
    return nullptr;
}

std::string midpoint(const TensorSpec& spec, const std::string& a, const std::string& b) {
    const auto n = static_cast<std::size_t>(spec.elements());
    std::vector<double> x = widened(spec.dtype, a.data(), n);
    const std::vector<double> y = widened(spec.dtype, b.data(), n);
    for (std::size_t i = 0; i < n; ++i) x[i] = (x[i] + y[i]) / 2;
    std::string bytes(spec.bytes(), '\0');
    narrow(spec.dtype, std::span<const double>(x), bytes.data());
    return bytes;
}

bool close(const Numbers& a, const Numbers& b, const Numbers& halves) {
    for (std::size_t o = 0; o < a.size(); ++o)
        for (std::size_t i = 0; i < a[o].size(); ++i) {
            const double expected = (a[o][i] + b[o][i]) / 2;
            if (!(std::fabs(halves[o][i] - expected) <= 1e-9 * (std::fabs(a[o][i]) + std::fabs(b[o][i]) + 1e-3)))
                return false;
        }
    return true;
}

// Whether the outputs are an affine function of one input while the others stay.
bool is_linear_in(LintSample& sample, const LintCase& one, std::size_t input) {
    std::vector<std::string> inputs = one.set.inputs;
    const std::string& here = one.set.inputs[input];
    const std::string& there = sample.other(one).set.inputs[input];
    const Numbers first = sample.answer(inputs);
    inputs[input] = there;
    const Numbers second = sample.answer(inputs);
    inputs[input] = midpoint(sample.inputs()[input], here, there);
    return close(first, second, sample.answer(inputs));
}

// How many outputs an element of an input reaches, on average over some elements.
double reach(LintSample& sample, const LintCase& one, std::size_t input) {
    const TensorSpec& spec = sample.inputs()[input];
    const Numbers before = sample.answer(one.set.inputs);
    Random random(one.set.key, "reach");
    double changed = 0;
    for (int probe = 0; probe < probes; ++probe) {
        std::vector<std::string> inputs = one.set.inputs;
        const std::size_t at = random.below(static_cast<std::uint64_t>(spec.elements())) * dtype_bytes(spec.dtype);
        const double value = widened_at(spec.dtype, inputs[input].data() + at) + 1;
        narrow(spec.dtype, std::span<const double>(&value, 1), inputs[input].data() + at);
        const Numbers after = sample.answer(inputs);
        for (std::size_t o = 0; o < after.size(); ++o)
            for (std::size_t i = 0; i < after[o].size(); ++i) changed += after[o][i] != before[o][i];
    }
    return changed / probes;
}

// What the outputs cost where an input holds one number alone: two operations for each pair of an element of another
// input and an output that it reaches there.
double work_at(LintSample& sample, LintCase one, std::size_t input, double value) {
    one.set.inputs[input] = filled(sample.inputs()[input], value);
    double work = 0;
    for (std::size_t other = 0; other < sample.inputs().size(); ++other) {
        const TensorSpec& spec = sample.inputs()[other];
        if (other == input || !is_float(spec.dtype) || spec.scalar) continue;
        work += 2 * static_cast<double>(spec.elements()) * reach(sample, one, other);
    }
    return work;
}

// The share of the outputs whose coefficients of an input are their own: all rows of a product that is summed have the
// same. Of the usual inputs: among whole numbers different sums would often be equal.
double own_share(LintSample& sample, std::size_t input) {
    std::vector<std::string> inputs = sample.cases().front().set.inputs;
    inputs[input] = filled(sample.inputs()[input], 0);
    const Numbers without = sample.answer(inputs);
    inputs[input] = filled(sample.inputs()[input], 1);
    const Numbers with = sample.answer(inputs);
    std::set<std::uint32_t> sums;
    double outputs = 0;
    for (std::size_t o = 0; o < with.size(); ++o)
        for (std::size_t i = 0; i < with[o].size(); ++i, ++outputs)
            sums.insert(std::bit_cast<std::uint32_t>(static_cast<float>(with[o][i] - without[o][i])));
    return static_cast<double>(sums.size()) / outputs;
}

// What an output that is linear in an input needs of the other inputs: its offset, which is the product where the input
// is a bias, and its coefficients, which are the product where it is a scale.
double work_of_others(LintSample& sample, const LintCase& one, std::size_t input) {
    const double offset = work_at(sample, one, input, 0);
    return offset + std::max(0.0, work_at(sample, one, input, 1) - offset) * own_share(sample, input);
}

// An output that is linear in an input costs two operations for each pair of an element and an output that it reaches,
// once the other inputs are turned into coefficients and an offset: a sum after a matrix product needs a matrix-vector
// product only.
void note_collapse(LintSample& sample, std::vector<std::string>& notes) {
    const double stated = sample.task().flops.value_or(0);
    const LintCase* one = whole_numbers(sample);
    if (!one || stated <= 0) return;
    double elements = 0;
    for (const TensorSpec& spec : sample.inputs()) elements += static_cast<double>(spec.elements());
    for (std::size_t input = 0; input < sample.inputs().size(); ++input) {
        const TensorSpec& spec = sample.inputs()[input];
        // linear in a scalar: its coefficients are all the work
        if (!is_float(spec.dtype) || spec.scalar || !is_linear_in(sample, *one, input)) continue;
        double needed = 2 * static_cast<double>(spec.elements()) * reach(sample, *one, input) + elements;
        if (stated <= many_times * needed) continue;
        needed += work_of_others(sample, *one, input);
        if (stated > many_times * needed)
            notes.push_back("collapse: the output is linear in input \"" + spec.name + "\" and needs about " +
                            short_number(needed) + " operations, not the stated " + short_number(stated) +
                            ": algebra may replace the kernel that the task names");
    }
}

// What only arranges numbers: its results are its argument.
bool arranges(const std::string& name) {
    static const std::set<std::string> names = {"contiguous", "reshape", "view",     "squeeze", "unsqueeze",
                                                "flatten",    "clone",   "to",       "expand",  "permute",
                                                "t",          "numpy_T", "transpose"};
    return names.contains(name);
}

bool passes_without(LintSample& sample, std::size_t number) {
    try {
        ReferenceProgram program = sample.without(number);
        return std::all_of(sample.cases().begin(), sample.cases().end(), [&](const LintCase& one) {
            const Numbers numbers = sample.answer_of(program, one);
            for (std::size_t i = 0; i < numbers.size(); ++i)
                if (!sample.accepts(one, i, numbers[i])) return false;
            return true;
        });
    } catch (const PartFailed&) {
        return false;
    } catch (const Error& e) {
        if (e.blame() != Blame::input) throw;
        return false;  // it has no argument that could stand for its result
    }
}

void note_dead_operators(LintSample& sample, std::vector<std::string>& notes) {
    const std::vector<std::string> names = sample.operators();
    for (std::size_t i = 0; i < names.size(); ++i)
        if (!arranges(names[i]) && passes_without(sample, i + 1))
            notes.push_back("dead: the reference's operator " + std::to_string(i + 1) + ", " + names[i] +
                            ", may be left out");
}

// The tolerance of an unknown sum would pass half of f32's bits where there is none.
void note_terms(LintSample& sample, std::vector<std::string>& notes) {
    const std::string name = tolerance_class(sample.task());
    const std::vector<TensorSpec>& outputs = sample.outputs();
    const bool exact = std::none_of(outputs.begin(), outputs.end(), [](const auto& o) { return is_float(o.dtype); });
    if (exact || (name != "f32" && name != "f64") || sample.task().terms) return;
    std::string sizes;
    for (const std::string& size : sample.task().sizes) sizes += (sizes.empty() ? "" : ", ") + size;
    notes.push_back(
        "terms: the task does not tell how many terms its longest sum has, so the tolerance is that of 16384; write "
        "terms = 1 where there is no sum, else what the sum runs over: a number" +
        (sizes.empty() ? "" : ", a size (" + sizes + ")") +
        " or a list of factors; until then no inputs far from zero are asked for, where a variance as "
        "E[x^2] - m^2 is wrong");
}

// "*(2*N-1)*8": what an element's bytes are multiplied by.
std::string factors_text(const TaskTensor& tensor) {
    std::string text;
    for (const Extent& extent : tensor.shape)
        text += extent.summand && !extent.size.empty() ? "*(" + extent.text() + ")" : "*" + extent.text();
    return text;
}

// What reads every input and writes every output once, as a task file has it.
std::string bytes_once(const Task& task) {
    std::map<std::string, std::size_t> bytes;  // of all tensors of one shape
    for (const auto* const side : {&task.inputs, &task.outputs})
        for (const TaskTensor& tensor : *side)
            if (!tensor.scalar.value_or(false)) bytes[factors_text(tensor)] += dtype_bytes(parse_dtype(tensor.dtype));
    std::string text;
    for (const auto& [shape, of_element] : bytes)
        text += (text.empty() ? "" : " + ") + std::to_string(of_element) + shape;
    return text;
}

void note_roofline(LintSample& sample, std::vector<std::string>& notes) {
    if (!sample.task().flops && !sample.task().bytes)
        notes.push_back(
            "roofline: the task states neither flops nor bytes, so no judgement tells how near a program is to what "
            "the device can do, and no time is refused as impossible; write flops, or bytes = \"" +
            bytes_once(sample.task()) + "\" if a program needs all of its inputs");
}

std::string with_unit(double bytes) { return short_number(bytes) + " bytes"; }

// What a program must move if it reads its inputs and writes its outputs once. Where an index says what is read, where
// much of an input is left out or constants are prepared, less is right; more is right nowhere.
void note_bytes(LintSample& sample, std::vector<std::string>& notes) {
    const double stated = sample.task().bytes.value_or(0);
    double once = 0, constant = 0;
    for (const auto* const side : {&sample.inputs(), &sample.outputs()})
        for (const TensorSpec& spec : *side) {
            once += static_cast<double>(spec.bytes());
            if (spec.constant) constant += static_cast<double>(spec.bytes());
        }
    if (stated <= 0) return;
    const std::string both =
        "bytes: the task states " + with_unit(stated) + ", and its inputs and outputs hold " + with_unit(once);
    if (stated > far_off * once)
        notes.push_back(both +
                        ": the least that a program moves is no more than that, and who moves less is refused as "
                        "too fast; mend bytes");
    else if (far_off * stated < once - constant)
        notes.push_back(both + ": mend bytes, unless a program need not read all of them");
}

// Stated work that no core could have done in the reference's time: every program of the task would be TOO_FAST.
void note_impossible(LintSample& sample, std::vector<std::string>& notes) {
    const double seconds = sample.prepared().reference_seconds();
    if (seconds <= 0) return;
    const auto note = [&](const char* what, double stated, double peak) {
        if (stated / seconds > beyond_doubt * peak * core_count())
            notes.push_back("impossible: the task states " + short_number(stated) + " " + what +
                            ", and the reference took " + short_number(1e6 * seconds) +
                            " us: no machine of these cores is so fast; mend " + what);
    };
    note("flops", sample.task().flops.value_or(0), core_flops);
    note("bytes", sample.task().bytes.value_or(0), core_bytes);
}

// A program that is right up to a size, and wrong beyond, passes where no shape is longer.
void note_long_shapes(LintSample& sample, std::vector<std::string>& notes) {
    const std::vector<std::string>& sizes = sample.task().sizes;
    const std::vector<std::string> drawn = long_sizes(sample.task());
    for (const std::string& size : sizes)
        if (std::find(drawn.begin(), drawn.end(), size) == drawn.end())
            notes.push_back(
                "long: no shape is drawn in which " + size +
                " is twice its timed value: it would take more than 2.5 times the timed shape's bytes or than "
                "16 MiB, or `ranges` forbids it; a hidden shape of the task may have it");
}

// A baseline for a kind of device that nothing here times is never used, and the reference is in its place.
void note_baselines(LintSample& sample, std::vector<std::string>& notes) {
    const auto& programs = sample.task().baseline_program;
    if (!programs) return;
    const std::set<std::string> kinds = timed_kinds();
    std::string list;
    for (const std::string& kind : kinds) list += (list.empty() ? "" : ", ") + kind;
    for (const auto& [kind, program] : *programs)
        if (!kinds.contains(kind))
            notes.push_back("baseline_program: no timer here times a device of kind \"" + kind +
                            "\", so its program is not used; kinds: " + list);
}

}  // namespace

void take_notes(LintSample& sample, std::vector<std::string>& notes) {
    note_baselines(sample, notes);
    note_terms(sample, notes);
    note_roofline(sample, notes);
    note_impossible(sample, notes);
    note_bytes(sample, notes);
    note_long_shapes(sample, notes);
    note_time(sample, notes);
    note_collapse(sample, notes);
    note_dead_operators(sample, notes);
}

}  // namespace hone
