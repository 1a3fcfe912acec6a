#include "judge/call/device_set.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include "judge/correctness/numbers.hpp"

namespace hone {
namespace {

constexpr std::uint64_t part_alignment = 256;

std::uint64_t aligned(std::uint64_t bytes) { return (bytes + part_alignment - 1) / part_alignment * part_alignment; }
std::uint64_t neighbourhoods(std::int64_t elements) {
    return (static_cast<std::uint64_t>(elements) + HONE_NEAR - 1) / HONE_NEAR;
}
std::uint64_t word_aligned(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }

hone_tensor at_address(hone_tensor tensor, std::uint64_t at, int dtype) {
    tensor.at = at;
    tensor.dtype = dtype;
    return tensor;
}

}  // namespace

DeviceSet::DeviceSet(Arena& arena, Layout& layout, const std::vector<Input>& inputs, std::uint64_t key,
                     const ReferencePrograms& definition)
    : arena_(arena), verifier_(arena.verifier()), inputs_(layout.inputs()) {
    lay_out(layout);
    layout.place_secret(arena_);
    fill(layout, inputs, key);
    run(layout, definition);
    for (std::size_t i = 0; i < outputs_.size(); ++i) measure(outputs_[i], layout.call().out[i], definition.epsilon);
}

DeviceSet::~DeviceSet() {
    if (memory_) verifier_.release(memory_);
}

void DeviceSet::lay_out(const Layout& layout) {
    const auto part = [&](std::uint64_t bytes) { return std::exchange(bytes_, bytes_ + aligned(bytes)); };
    for (const TensorSpec& spec : inputs_) pristine_.push_back(part(spec.bytes()));
    for (const TensorSpec& spec : layout.outputs()) {
        Output& output = outputs_.emplace_back(Output{spec});
        output.yardstick.truth = part(static_cast<std::uint64_t>(spec.elements()) * sizeof(double));
        output.yardstick.sizes = part(neighbourhoods(spec.elements()) * sizeof(double));
    }
    memory_ = verifier_.reserve(bytes_, 2);
    for (std::uint64_t& at : pristine_) at += memory_;
    for (Output& output : outputs_) output.yardstick.truth += memory_, output.yardstick.sizes += memory_;
}

// Once from the key; from then on they are copied.
void DeviceSet::fill(const Layout& layout, const std::vector<Input>& inputs, std::uint64_t key) const {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const hone_tensor& tensor = layout.call().in[i];
        verifier_.put(tensor, inputs_[i], inputs[i], key, static_cast<std::uint32_t>(i));
        verifier_.copy(pristine_[i], tensor.at, word_aligned(inputs_[i].bytes()));
    }
}

// The eager form as it is timed; the float64 form on widened inputs, straight into the truth.
void DeviceSet::run(const Layout& layout, const ReferencePrograms& definition) {
    hone_call call = layout.call();
    std::vector<hone_tensor> in(call.in, call.in + call.n_in), out(call.out, call.out + call.n_out);
    std::uint64_t wide = 0;
    for (const TensorSpec& spec : inputs_)
        wide += aligned(static_cast<std::uint64_t>(spec.elements()) * sizeof(double));
    for (const Output& output : outputs_) wide += aligned(output.spec.bytes());
    std::uint64_t next = arena_.wide(wide);
    double squares = 0, compared = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (!is_float(in[i].dtype)) continue;
        verifier_.widen(in[i], next);
        verifier_.survey(in[i], next, arena_.tally());  // of a tensor and itself: its own sums
        const auto own = tallied<hone_survey>();
        squares += own.squares, compared += static_cast<double>(own.compared);
        in[i] = at_address(in[i], next, HONE_F64);
        next += aligned(static_cast<std::uint64_t>(inputs_[i].elements()) * sizeof(double));
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        const bool real = is_float(out[i].dtype);
        out[i] =
            real ? at_address(out[i], outputs_[i].yardstick.truth, HONE_F64) : at_address(out[i], next, out[i].dtype);
        if (!real) next += aligned(outputs_[i].spec.bytes());
    }
    input_rms_ = compared > 0 ? std::sqrt(squares / compared) : 0;
    call.in = in.data();
    call.out = out.data();
    call.scratch = call.scratch_bytes = 0;
    settle();
    definition.eager.launch(layout.call());
    definition.eager.wait();
    definition.float64.launch(call);
    definition.float64.wait();
    for (std::size_t i = 0; i < out.size(); ++i)
        if (!is_float(out[i].dtype)) verifier_.widen(out[i], outputs_[i].yardstick.truth);
}

void DeviceSet::settle() const { tallied<std::uint64_t>(); }

template <class T> T DeviceSet::tallied() const {
    T found;
    verifier_.read(arena_.tally(), &found, sizeof found);
    return found;
}

// judge/correctness/truth.cpp's make_truth, on the device.
void DeviceSet::measure(Output& output, const hone_tensor& eager, const Epsilon& epsilon) const {
    hone_yardstick& yardstick = output.yardstick;
    yardstick.allowed.exact = !is_float(output.spec.dtype);
    output.centred_allowed = std::numeric_limits<double>::infinity();
    if (yardstick.allowed.exact) return;
    verifier_.survey(eager, yardstick.truth, arena_.tally());
    const auto survey = tallied<hone_survey>();
    const auto compared = static_cast<double>(std::max<std::uint64_t>(1, survey.compared));
    output.rms = std::sqrt(survey.squares / compared);
    const std::vector<std::int64_t>& shape = output.spec.shape;
    const auto row = static_cast<std::uint64_t>(shape.size() > 1 ? shape.back() : HONE_NEAR);
    verifier_.sizes(yardstick.truth, static_cast<std::uint64_t>(output.spec.elements()), row, usual_size(output),
                    roundoff(output.spec.dtype), yardstick.sizes);
    if (output.spec.elements() < lone_elements) widen_lone(output);
    yardstick.allowed.least = least_error(output.spec.dtype);
    yardstick.allowed.element = std::numeric_limits<double>::infinity();
    verifier_.compare(eager, yardstick, arena_.tally());
    const auto errors = tallied<hone_errors>();
    const Allowance allowance =
        allow({compared, errors.squares, errors.relative, errors.worst,
               std::sqrt(std::max(0.0, survey.squares - survey.sum * survey.sum / compared) / compared)},
              epsilon, yardstick.allowed.least, has_many(shape));
    yardstick.allowed.element = allowance.element;
    output.mean_allowed = allowance.mean;
    output.centred_allowed = allowance.centred;
}

void DeviceSet::widen_lone(Output& output) const {
    std::vector<double> values(static_cast<std::size_t>(output.spec.elements()));
    verifier_.read(output.yardstick.truth, values.data(), values.size() * sizeof(double));
    double size = 0;
    verifier_.read(output.yardstick.sizes, &size, sizeof size);
    size = std::max(size, lone_size(values, input_rms_));
    verifier_.write(output.yardstick.sizes, &size, sizeof size);
}

double DeviceSet::usual_size(const Output& output) const {
    std::vector<std::int64_t> places = size_sample(static_cast<std::size_t>(output.spec.elements()));
    const auto n = static_cast<std::int64_t>(output.spec.elements());
    std::vector<double> values = verifier_.gather({output.yardstick.truth, HONE_F64, 1, &n}, places);
    return usual_of(values, output.rms);
}

void DeviceSet::put(const hone_call& call, bool constants_only) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i)
        if (inputs_[i].constant || !constants_only)
            verifier_.copy(call.in[i].at, pristine_[i], word_aligned(inputs_[i].bytes()));
}

DeviceSet::Found DeviceSet::look(const Layout& layout, std::uint64_t salt, bool poisoned) const {
    const hone_call& call = layout.call();
    const std::uint64_t changed = arena_.tally(), strays = changed + 8 * inputs_.size(),
                        errors = strays + 8 * outputs_.size();
    verifier_.set(changed, errors - changed, 0);
    for (std::size_t i = 0; i < inputs_.size(); ++i)
        verifier_.differ(call.in[i].at, pristine_[i], inputs_[i].bytes(), changed + 8 * i);
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        const std::uint64_t begin = call.out[i].at, end = begin + word_aligned(outputs_[i].spec.bytes());
        hone_yardstick yardstick = outputs_[i].yardstick;
        yardstick.poison = poison_word(outputs_[i].spec.dtype, salt);
        yardstick.poisoned = poisoned;
        verifier_.strays(begin - red_zone_bytes, red_zone_bytes, yardstick.poison, strays + 8 * i);
        verifier_.strays(end, red_zone_bytes - 4, yardstick.poison, strays + 8 * i);
        verifier_.compare(call.out[i], yardstick, errors + sizeof(hone_errors) * i);
    }
    std::string bytes(errors - changed + sizeof(hone_errors) * outputs_.size(), '\0');
    verifier_.read(changed, bytes.data(), bytes.size());
    Found found{std::vector<std::uint64_t>(inputs_.size()), std::vector<std::uint64_t>(outputs_.size()),
                std::vector<hone_errors>(outputs_.size())};
    const char* at = bytes.data();
    const auto take = [&at](auto& list) {
        std::memcpy(list.data(), at, list.size() * sizeof list[0]);
        at += list.size() * sizeof list[0];
    };
    take(found.changed), take(found.strays), take(found.errors);
    return found;
}

bool DeviceSet::is_right(std::size_t output, const hone_errors& errors) const {
    const Output& o = outputs_[output];
    if (errors.unwritten) return false;
    for (const std::uint64_t fault : errors.faults)
        if (fault) return false;
    if (o.yardstick.allowed.exact || !errors.compared) return true;
    const auto n = static_cast<double>(errors.compared);
    return std::sqrt(errors.relative / n) <= o.mean_allowed && std::sqrt(errors.squares / n) <= o.centred_allowed;
}

Truth DeviceSet::truth(std::size_t output) const {
    const Output& o = outputs_[output];
    Truth truth;
    truth.name = o.spec.name;
    truth.dtype = o.spec.dtype;
    truth.shape = o.spec.shape;
    truth.values.resize(static_cast<std::size_t>(o.spec.elements()));
    verifier_.read(o.yardstick.truth, truth.values.data(), truth.values.size() * sizeof(double));
    truth.centred_allowed = o.centred_allowed;
    if (o.yardstick.allowed.exact) return truth;
    truth.sizes.resize(neighbourhoods(o.spec.elements()));
    verifier_.read(o.yardstick.sizes, truth.sizes.data(), truth.sizes.size() * sizeof(double));
    truth.rms = o.rms;
    truth.element_allowed = o.yardstick.allowed.element;
    truth.least = o.yardstick.allowed.least;
    truth.mean_allowed = o.mean_allowed;
    return truth;
}

}  // namespace hone
