#include "judge/call/prepared_task.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include "base/chance.hpp"
#include "base/process.hpp"
#include "judge/correctness/drawn_shapes.hpp"
#include "judge/correctness/numbers.hpp"

namespace hone {
namespace {

constexpr std::size_t judgings_a_seed = 32;
constexpr std::array known_forms = {"graph", "compiled", "compiled graph"};  // of a reference, beside "eager"

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
ReferenceProgram open_float64(Reference& reference, const Verifier& verifier, const hone_device& device,
                              const Task& task, bool& on_device) {
    if (verifier.offers_checks()) try {
            ReferenceProgram program = reference.open(device, task, "float64 on device");
            on_device = true;
            return program;
        } catch (const PartFailed&) {
        }  // the reference has no such form
    return reference.open(device, task, "float64");
}

std::optional<ReferenceProgram> open_if_there_is(Reference& reference, const hone_device& device, const Task& task,
                                                 const char* form) {
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

PreparedTask::PreparedTask(Task task, Arena& arena, Reference& reference, const hone_device& device,
                           const Settings& settings, std::size_t scratch_bytes)
    : task_(std::move(task)),
      drawn_task_(task_),
      arena_(arena),
      replay_(settings.seed),
      secret_(settings.has("secret")),
      draws_shapes_(settings.has("drawn-shapes") && settings.has("hidden-shapes")),
      strays_(settings.has("strays") && can_stray(task_)),
      seed_(replay_ ? *replay_ : fresh_seed()),
      eager_(reference.open(device, task_, "eager")),
      float64_(open_float64(reference, arena.verifier(), device, task_, on_device_)),
      scratch_bytes_(scratch_bytes),
      variants_(hone::variants(task_)),
      pool_bytes_(settings.pool_bytes / 4),
      reference_seconds_(std::numeric_limits<double>::infinity()) {
    for (const char* form : known_forms)
        if (auto program = open_if_there_is(reference, device, task_, form)) others_.emplace(form, std::move(*program));
    add_shape(timed_shape(task_));
    for (const Shape& shape : hidden_shapes(task_)) add_shape(shape);
    lasting_ = layouts_.size();
    for (const auto& layout : layouts_) {
        input_bytes_ = std::max(input_bytes_, layout->input_bytes());
        output_bytes_ = std::max(output_bytes_, layout->output_bytes());
    }
    if (draws_shapes_) make_room_for_drawn();
}

// What a layout needs beside its tensors is no more than the timed one needs in all.
void PreparedTask::make_room_for_drawn() {
    const std::uint64_t inputs = layouts_[0]->input_bytes(), outputs = layouts_[0]->output_bytes();
    for (const DrawnBound& bound : drawn_bounds(task_)) {
        const Layout largest(task_, bound.shape, scratch_bytes_);
        input_bytes_ = std::max(input_bytes_, std::min(largest.input_bytes(), bound.bytes + inputs));
        output_bytes_ = std::max(output_bytes_, std::min(largest.output_bytes(), bound.bytes + outputs));
    }
}

void PreparedTask::add_shape(const Shape& shape) {
    layouts_.push_back(std::make_unique<Layout>(task_, shape, scratch_bytes_));
    shapes_.push_back(shape);
}

const std::string& PreparedTask::shape_name(std::size_t shape) const {
    static const std::string timed = "the timed shape", hidden = "a hidden shape";
    return shape == 0 ? timed : hidden;
}

const InputSet& PreparedTask::set(std::size_t shape, Variant variant, std::size_t n) {
    std::map<std::size_t, InputSet>& sets = sets_[{shape, variant}];
    if (const auto found = sets.find(n); found != sets.end()) return found->second;
    InputSet made = make_set(shape, variant, n);
    if (bytes_ >= pool_bytes_) return spare_ = std::move(made);
    bytes_ += made.bytes();
    return sets.emplace(n, std::move(made)).first->second;
}

const InputSet& PreparedTask::timed_set(std::size_t n) {
    const bool stray =
        strays_ && secret_key(seed_, task_.hash() + "/stray/" + judging_ + "/" + std::to_string(n), secret_) % 2;
    return set(0, stray ? Variant::strays : Variant::declared, n);
}

void PreparedTask::begin_judging(const std::string& candidate_hash) {
    judging_ = candidate_hash;
    if (!replay_) renew(candidate_hash);
    draw_shapes(candidate_hash);
}

void PreparedTask::renew(const std::string& candidate_hash) {
    if (judged_.size() == judgings_a_seed || judged_.contains(candidate_hash)) {
        seed_ = fresh_seed();
        forget();
        judged_.clear();
    }
    judged_.insert(candidate_hash);
}

void PreparedTask::draw_shapes(const std::string& candidate_hash) {
    layouts_.resize(lasting_);
    shapes_.resize(lasting_);
    std::erase_if(sets_, [this](const auto& entry) {
        if (entry.first.first < lasting_) return false;
        for (const auto& [n, set] : entry.second) bytes_ -= set.bytes();
        return true;
    });
    drawn_task_ = task_;
    if (!draws_shapes_) return;
    Chance chance(seed_, "shapes/" + candidate_hash, secret_);
    for (const Shape& shape : hone::draw_shapes(task_, chance)) {
        add_shape(shape);
        const Layout& layout = *layouts_.back();
        if (layout.input_bytes() > input_bytes_ || layout.output_bytes() > output_bytes_)
            throw std::logic_error("a drawn shape is larger than its bound");
        drawn_task_.hidden.push_back(shape);
    }
}

void PreparedTask::forget() {
    sets_.clear();
    bytes_ = 0;
}

std::uint64_t PreparedTask::key_for(std::size_t shape, Variant variant, std::size_t n) {
    if (variant == Variant::touched) variant = Variant::declared;  // the same inputs but for what is touched
    return secret_key(
        seed_, task_.hash() + "/" + std::to_string(shape) + "/" + variant_word(variant) + "/" + std::to_string(n),
        secret_);
}

InputSet PreparedTask::make_set(std::size_t shape, Variant variant, std::size_t n) {
    Layout& layout = *layouts_[shape];
    InputSet set{key_for(shape, variant, n), shape, variant, {}, {}, {}};
    const std::vector<Input> inputs = make_inputs(task_, layout.inputs(), set.key, variant);
    const Epsilon epsilon = tolerance_epsilon(task_, shapes_[shape], variant);
    if (on_device_) {
        set.device =
            std::make_shared<DeviceSet>(arena_, layout, inputs, set.key, ReferencePrograms{eager_, float64_, epsilon});
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
        set.truth.push_back(make_truth(spec, std::move(truth[i]), eager[i], epsilon, lone));
    }
    return set;
}

// The layout stands in private memory, its inputs in place.
double PreparedTask::time_eager(const Layout& layout) {
    if (std::isinf(reference_seconds_)) eager_.launch(layout.call());  // the first call of a library starts its device
    eager_.wait();
    const double begun = monotonic_seconds();
    eager_.launch(layout.call());
    eager_.wait();
    return monotonic_seconds() - begun;
}

Numbers PreparedTask::run_eager(const InputSet& set, Layout& layout) {
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
