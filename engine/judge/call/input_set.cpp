#include "judge/call/input_set.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include "base/process.hpp"
#include "judge/call/bench_parts.hpp"
#include "judge/correctness/numbers.hpp"

namespace hone {
namespace {

constexpr std::uint64_t part_alignment = 256;

std::uint64_t aligned_part(std::uint64_t bytes) {
    return (bytes + part_alignment - 1) / part_alignment * part_alignment;
}
std::uint64_t word_aligned(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }
std::uint64_t wide_bytes(const TensorSpec& spec) {
    return is_float(spec.dtype) ? static_cast<std::uint64_t>(spec.elements()) * sizeof(double) : spec.bytes();
}
hone_tensor wide(hone_tensor tensor, std::uint64_t at) {
    tensor.at = at;
    tensor.dtype = HONE_F64;
    return tensor;
}
std::uint64_t neighbourhoods(const TensorSpec& spec) {
    return (static_cast<std::uint64_t>(spec.elements()) + HONE_NEAR - 1) / HONE_NEAR;
}

// A comparison that does not look would pass every answer.
void require_compared(const Truth& truth, std::uint64_t compared) {
    if (compared != truth.compared)
        throw ItemFailed("compare: the verifier compared " + std::to_string(compared) + " of " +
                         std::to_string(truth.compared) + " elements of output \"" + truth.spec.name +
                         "\" (`hone plugins --check` asks it more)");
}

}  // namespace

InputSet::InputSet(SetName name, Arena& arena, Layout& layout, const std::vector<Input>& inputs,
                   const Definition& definition)
    : SetName(name), arena_(arena), memory_(arena.memory()), piece_(memory_), inputs_(layout.inputs()) {
    lay_out(layout);
    layout.place_secret(arena_);
    fill(layout, inputs);
    layout.tell(values_);
    run_float64(layout, definition.float64);
    run_eager(layout, definition);
    const double rms = input_rms(layout);
    for (std::size_t i = 0; i < definition.least_usual.size(); ++i) truths_[i].usual = definition.least_usual[i];
    for (std::size_t i = 0; i < truths_.size(); ++i)
        complete(memory_, truths_[i], layout.call().out[i], definition.epsilon, rms, arena_.tally());
}

void InputSet::lay_out(const Layout& layout) {
    const auto part = [&](std::uint64_t bytes) {
        return std::exchange(piece_.bytes, piece_.bytes + aligned_part(bytes));
    };
    for (const TensorSpec& spec : inputs_) pristine_.push_back(part(spec.bytes()));
    for (const TensorSpec& spec : layout.outputs()) {
        Truth& truth = truths_.emplace_back(Truth{spec});
        truth.values = part(static_cast<std::uint64_t>(spec.elements()) * sizeof(double));
        truth.local_scale = part(neighbourhoods(spec) * sizeof(double));
    }
    piece_.at = memory_.reserve(piece_.bytes, 2);
    for (std::uint64_t& at : pristine_) at += piece_.at;
    for (Truth& truth : truths_) truth.values += piece_.at, truth.local_scale += piece_.at;
}

// Once from the key; from then on they are copied.
void InputSet::fill(const Layout& layout, const std::vector<Input>& inputs) {
    values_.resize(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const hone_tensor& tensor = layout.call().in[i];
        put_input(memory_, tensor, inputs[i], key, static_cast<std::uint32_t>(i));
        memory_.copy(pristine_[i], tensor.at, word_aligned(inputs_[i].bytes()));
        if (inputs_[i].scalar) memory_.read(tensor.at, &values_[i], inputs_[i].bytes());
    }
}

// On widened inputs, straight into the truth; whole numbers are widened there afterwards.
void InputSet::run_float64(const Layout& layout, ReferenceProgram& float64) const {
    hone_call call = layout.call();
    std::vector<hone_tensor> in(call.in, call.in + call.n_in), out(call.out, call.out + call.n_out);
    std::uint64_t bytes = 0;
    for (const TensorSpec& spec : inputs_) bytes += aligned_part(wide_bytes(spec));
    for (const Truth& truth : truths_) bytes += aligned_part(truth.spec.bytes());
    std::uint64_t next = arena_.wide(bytes);
    const auto room = [&next](std::uint64_t wanted) { return std::exchange(next, next + aligned_part(wanted)); };
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (!is_float(in[i].dtype)) continue;
        const hone_tensor narrow = std::exchange(in[i], wide(in[i], room(wide_bytes(inputs_[i]))));
        memory_.widen(narrow, in[i].at);
    }
    for (std::size_t i = 0; i < out.size(); ++i)
        if (is_float(out[i].dtype)) out[i] = wide(out[i], truths_[i].values);
        else out[i].at = room(truths_[i].spec.bytes());
    call.in = in.data();
    call.out = out.data();
    call.scratch = call.scratch_bytes = 0;
    call.values = nullptr;  // those of the task's dtypes
    settle();
    float64.launch(call);
    float64.wait();
    for (std::size_t i = 0; i < out.size(); ++i)
        if (!is_float(truths_[i].spec.dtype)) memory_.widen(out[i], truths_[i].values);
}

// Of all floating-point inputs together, where an output asks for it.
double InputSet::input_rms(const Layout& layout) const {
    double squares = 0, compared = 0;
    const bool lone = std::any_of(truths_.begin(), truths_.end(), [](const Truth& t) { return is_lone(t.spec); });
    for (std::size_t i = 0; i < inputs_.size() && lone; ++i) {
        if (!is_float(inputs_[i].dtype)) continue;
        const std::uint64_t values = arena_.wide(wide_bytes(inputs_[i]));
        memory_.widen(layout.call().in[i], values);
        memory_.moments(layout.call().in[i], values, arena_.tally());  // of a tensor and itself: its own
        hone_moments own;
        memory_.read(arena_.tally(), &own, sizeof own);
        squares += own.squares, compared += static_cast<double>(own.compared);
    }
    return compared > 0 ? std::sqrt(squares / compared) : 0;
}

void InputSet::run_eager(const Layout& layout, const Definition& definition) {
    settle();
    if (definition.first) definition.eager.launch(layout.call());
    definition.eager.wait();
    const double begun = monotonic_seconds();
    definition.eager.launch(layout.call());
    definition.eager.wait();
    eager_seconds_ = monotonic_seconds() - begun;
}

void InputSet::settle() const {
    std::uint64_t last;
    memory_.read(arena_.tally(), &last, sizeof last);
}

void InputSet::put(const hone_call& call, Inputs which) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i)
        if (which == Inputs::all || inputs_[i].constant == (which == Inputs::constants))
            memory_.copy(call.in[i].at, pristine_[i], word_aligned(inputs_[i].bytes()));
}

InputSet::Found InputSet::look(const Layout& layout, std::uint64_t salt, bool poisoned) const {
    const hone_call& call = layout.call();
    const std::uint64_t changed = arena_.tally(), strays = changed + 8 * inputs_.size(),
                        errors = strays + 8 * truths_.size(), past = errors + sizeof(hone_errors) * truths_.size();
    memory_.set(changed, past - changed, 0);
    for (std::size_t i = 0; i < inputs_.size(); ++i)
        memory_.differ(call.in[i].at, pristine_[i], inputs_[i].bytes(), changed + 8 * i);
    for (std::size_t i = 0; i < truths_.size(); ++i) {
        const std::uint64_t begin = call.out[i].at, end = begin + word_aligned(truths_[i].spec.bytes());
        hone_comparison with = truths_[i].comparison();
        with.poison = poison_word(truths_[i].spec.dtype, salt);
        with.poisoned = poisoned && truths_[i].spec.starts_as < 0;
        memory_.strays(begin - red_zone_bytes, red_zone_bytes, with.poison, strays + 8 * i);
        memory_.strays(end, red_zone_bytes - 4, with.poison, strays + 8 * i);
        memory_.compare(call.out[i], with, errors + sizeof(hone_errors) * i);
    }
    std::string bytes(past - changed, '\0');
    memory_.read(changed, bytes.data(), bytes.size());
    Found found{std::vector<std::uint64_t>(inputs_.size()), std::vector<std::uint64_t>(truths_.size()),
                std::vector<hone_errors>(truths_.size())};
    const char* at = bytes.data();
    const auto take = [&at](auto& list) {
        std::memcpy(list.data(), at, list.size() * sizeof list[0]);
        at += list.size() * sizeof list[0];
    };
    take(found.changed), take(found.strays), take(found.errors);
    for (std::size_t i = 0; i < truths_.size(); ++i) require_compared(truths_[i], found.errors[i].compared);
    return found;
}

bool InputSet::agrees(const Positions& positions, const Samples& samples) const {
    for (std::size_t i = 0; i < truths_.size(); ++i) {
        const Truth& truth = truths_[i];
        const bool exact = truth.bounds.each.exact;
        const std::size_t n = positions[i].size();
        std::vector<std::int64_t> near;
        for (const std::int64_t place : positions[i]) near.push_back(place / HONE_NEAR);
        const std::vector<double> values = gathered(memory_, {truth.values, HONE_F64, 0, nullptr}, positions[i]);
        const std::vector<double> scales =
            exact ? std::vector<double>(n) : gathered(memory_, {truth.local_scale, HONE_F64, 0, nullptr}, near);
        for (std::size_t k = 0; k < n; ++k)
            if (hone_look_at(values[k], samples[i][k], scales[k], truth.bounds.each).fault != HONE_FINE) return false;
    }
    return true;
}

std::string InputSet::fetch_input(std::size_t input) const {
    std::string bytes(inputs_[input].bytes(), '\0');
    memory_.read(pristine_[input], bytes.data(), bytes.size());
    return bytes;
}

}  // namespace hone
