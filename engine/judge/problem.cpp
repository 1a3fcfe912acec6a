#include "judge/problem.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include "base/process.hpp"
#include "base/random.hpp"
#include "judge/numbers.hpp"

namespace hone {
namespace {

constexpr std::size_t judgings_a_seed = 32;
constexpr std::array known_forms = {"graph", "compiled", "compiled graph"};  // of a reference, beside "eager"

std::vector<Shape> all_shapes(const Task& task) {
    std::vector<Shape> shapes = {timed_shape(task)};
    for (Shape& shape : hidden_shapes(task)) shapes.push_back(std::move(shape));
    return shapes;
}

// Of all floating-point inputs together.
double input_rms(const Layout& layout, const std::vector<std::string>& inputs) {
    double squares = 0, n = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const TensorSpec& spec = layout.inputs()[i];
        if (!is_float(spec.dtype)) continue;
        for (const double value : widened(spec.dtype, inputs[i].data(), static_cast<std::size_t>(spec.elements())))
            if (std::isfinite(value)) squares += value * value, n += 1;
    }
    return n > 0 ? std::sqrt(squares / n) : 0;
}

// Where neither part can work on the device, in the host's memory.
Program open_float64(Reference& reference, const Verifier& verifier, const hone_device& device, const Task& task, bool& on_device) {
    if (verifier.offers_checks()) try {
            Program program = reference.open(device, task, "float64 on device");
            on_device = true;
            return program;
        } catch (const PartFailed&) {}  // the reference has no such form
    return reference.open(device, task, "float64");
}

std::optional<Program> open_if_there_is(Reference& reference, const hone_device& device, const Task& task, const char* form) {
    try {
        return reference.open(device, task, form);
    } catch (const PartFailed&) {  // the reference has no such form
        return std::nullopt;
    }
}

}  // namespace

std::size_t InputSet::bytes() const {
    std::size_t total = 0;
    for (const std::string& input : inputs) total += input.size();
    for (const Truth& output : truth) total += output.values.size() * sizeof(double);
    if (device) total += device->bytes();
    return total;
}

Problem::Problem(Task task, Arena& arena, Reference& reference, const hone_device& device, std::optional<std::uint64_t> replay,
                 std::size_t scratch_bytes, std::size_t pool_bytes)
    : task_(std::move(task)),
      arena_(arena),
      replay_(replay),
      seed_(replay ? *replay : fresh_seed()),
      epsilon_(tolerance_epsilon(task_)),
      eager_(reference.open(device, task_, "eager")),
      float64_(open_float64(reference, arena.verifier(), device, task_, on_device_)),
      variants_(hone::variants(task_)),
      pool_bytes_(pool_bytes),
      reference_seconds_(std::numeric_limits<double>::infinity()) {
    for (const char* form : known_forms)
        if (auto program = open_if_there_is(reference, device, task_, form)) others_.emplace(form, std::move(*program));
    for (const Shape& shape : all_shapes(task_)) {
        layouts_.push_back(std::make_unique<Layout>(task_, shape, scratch_bytes));
        input_bytes_ = std::max(input_bytes_, layouts_.back()->input_bytes());
        output_bytes_ = std::max(output_bytes_, layouts_.back()->output_bytes());
    }
}

const std::string& Problem::shape_name(std::size_t shape) const {
    static const std::string timed = "the timed shape", hidden = "a hidden shape";
    return shape == 0 ? timed : hidden;
}

const InputSet& Problem::set(std::size_t shape, Variant variant, std::size_t n) {
    std::deque<InputSet>& sets = sets_[{shape, variant}];
    while (sets.size() <= n && bytes_ < pool_bytes_) {
        sets.push_back(make_set(shape, variant, sets.size()));
        bytes_ += sets.back().bytes();
    }
    if (n < sets.size()) return sets[n];
    return spare_ = make_set(shape, variant, n);
}

void Problem::begin_judging(const std::string& candidate_hash) {
    if (replay_) return;
    if (judged_.size() == judgings_a_seed || judged_.contains(candidate_hash)) {
        seed_ = fresh_seed();
        forget();
        judged_.clear();
    }
    judged_.insert(candidate_hash);
}

void Problem::forget() {
    sets_.clear();
    bytes_ = 0;
}

std::uint64_t Problem::key_for(std::size_t shape, Variant variant, std::size_t n) {
    if (variant == Variant::touched) variant = Variant::declared;  // the same inputs but for what is touched
    return derive_seed(seed_, task_.hash() + "/" + std::to_string(shape) + "/" + variant_word(variant) + "/" + std::to_string(n));
}

InputSet Problem::make_set(std::size_t shape, Variant variant, std::size_t n) {
    Layout& layout = *layouts_[shape];
    InputSet set{key_for(shape, variant, n), shape, variant, {}, {}, {}};
    const std::vector<Input> inputs = make_inputs(task_, layout.inputs(), set.key, variant);
    if (on_device_) {
        set.device = std::make_shared<DeviceSet>(arena_, layout, inputs, set.key, Definition{eager_, float64_, epsilon_});
        if (shape == 0) reference_seconds_ = std::min(reference_seconds_, time_eager(layout));
        return set;
    }
    for (std::size_t i = 0; i < inputs.size(); ++i)
        set.inputs.push_back(hone::input_bytes(layout.inputs()[i], inputs[i], set.key, static_cast<std::uint32_t>(i)));
    Numbers truth = answer_in_float64(float64_, layout, set.inputs);
    const Numbers eager = run_eager(set, layout);
    for (std::size_t i = 0; i < truth.size(); ++i) {
        const TensorSpec& spec = layout.outputs()[i];
        const double lone = spec.elements() < lone_elements ? lone_size(truth[i], input_rms(layout, set.inputs)) : 0;
        set.truth.push_back(make_truth(spec, std::move(truth[i]), eager[i], epsilon_, lone));
    }
    return set;
}

// The layout stands in private memory, its inputs in place.
double Problem::time_eager(const Layout& layout) {
    if (std::isinf(reference_seconds_)) eager_.launch(layout.call());  // the first call of a library starts its device
    eager_.wait();
    const double begun = monotonic_seconds();
    eager_.launch(layout.call());
    eager_.wait();
    return monotonic_seconds() - begun;
}

Numbers Problem::run_eager(const InputSet& set, Layout& layout) {
    Verifier& verifier = arena_.verifier();
    layout.place_secret(arena_);
    for (std::size_t i = 0; i < set.inputs.size(); ++i)
        verifier.write(layout.call().in[i].at, set.inputs[i].data(), set.inputs[i].size());
    const double seconds = time_eager(layout);
    if (set.shape == 0) reference_seconds_ = std::min(reference_seconds_, seconds);
    Numbers values;
    for (std::size_t i = 0; i < layout.outputs().size(); ++i) {
        const TensorSpec& spec = layout.outputs()[i];
        std::string bytes(spec.bytes(), '\0');
        verifier.read(layout.call().out[i].at, bytes.data(), bytes.size());  // waits for the device
        values.push_back(widened(spec.dtype, bytes.data(), static_cast<std::size_t>(spec.elements())));
    }
    return values;
}

}  // namespace hone
