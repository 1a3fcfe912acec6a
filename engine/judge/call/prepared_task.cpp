#include "judge/call/prepared_task.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include "base/chance.hpp"
#include "judge/correctness/drawn_shapes.hpp"

namespace hone {
namespace {

constexpr std::size_t judgings_a_seed = 32;
constexpr std::size_t usual = 8;                                             // sets that calibration has
constexpr std::array known_forms = {"graph", "compiled", "compiled graph"};  // of a reference, beside "eager"

std::optional<ReferenceProgram> open_if_there_is(Reference& reference, const hone_device& device, const Task& task,
                                                 const char* form) {
    try {
        return reference.open(device, task, form);
    } catch (const PartFailed&) {  // the reference has no such form
        return std::nullopt;
    }
}

// On the device, or where the reference has no such form there, on the host. Throws PartFailed.
ReferenceProgram open_or_stage(Reference& reference, const hone_device& device, const Task& task, const char* form,
                               Memory& memory) {
    const bool on_host = std::string(device.kind) == "cpu";
    try {
        return reference.open(device, task, form);
    } catch (const PartFailed&) {
        if (on_host) throw;
    }
    ReferenceProgram program = reference.open({sizeof(hone_device), "cpu", 0, nullptr, nullptr}, task, form);
    program.stage(memory);
    return program;
}

double largest_whole(int dtype) {
    if (dtype == HONE_BOOL) return 1;
    return std::exp2(8 * static_cast<double>(dtype_bytes(dtype)) - (dtype == HONE_U8 ? 0 : 1)) - 1;
}

}  // namespace

std::vector<Variant> timed_variants(const Task& task, const Settings& settings) {
    std::vector<Variant> all = {Variant::declared};
    if (!settings.has("strays")) return all;
    if (can_stray(task)) all.push_back(Variant::strays);
    if (can_be_centred(task)) all.push_back(Variant::centred);
    if (can_have_slabs(task)) all.push_back(Variant::slabs);
    return all;
}

std::array<Variant, sets_in_turn> draw_variants(const std::vector<Variant>& of, std::uint64_t drawn) {
    const auto draw = [&drawn](std::size_t below) { return std::exchange(drawn, drawn / below) % below; };
    std::array<Variant, sets_in_turn> variants{};
    for (Variant& variant : variants) variant = of[draw(of.size())];
    if (std::find(variants.begin(), variants.end(), of.back()) == variants.end())
        variants[draw(sets_in_turn)] = of.back();
    return variants;
}

PreparedTask::PreparedTask(Task task, Arena& arena, Reference& reference, const hone_device& device,
                           const Settings& settings, std::size_t scratch_bytes)
    : task_(std::move(task)),
      drawn_task_(task_),
      arena_(arena),
      replay_(settings.seed),
      secret_(settings.has("secret")),
      draws_shapes_(settings.has("drawn-shapes") && settings.has("hidden-shapes")),
      timed_(timed_variants(task_, settings)),
      seed_(replay_ ? *replay_ : fresh_seed()),
      eager_(open_or_stage(reference, device, task_, "eager", arena.memory())),
      float64_(open_or_stage(reference, device, task_, "float64", arena.memory())),
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

Shape PreparedTask::smallest_sizes() const {
    Shape least = shapes_.front();
    for (const Shape& shape : shapes_)
        for (const auto& [name, size] : shape) least[name] = std::min(least[name], size);
    return least;
}

Shape PreparedTask::largest_sizes() const {
    Shape most = shapes_.front();
    for (const Shape& shape : shapes_)
        for (const auto& [name, size] : shape) most[name] = std::max(most[name], size);
    return most;
}

const std::string& PreparedTask::shape_name(std::size_t shape) const {
    static const std::string timed = "the timed shape", hidden = "a hidden shape";
    return shape == 0 ? timed : hidden;
}

const InputSet& PreparedTask::set(std::size_t shape, Variant variant, std::size_t n) {
    spares_.clear();
    return kept_or_spare(shape, variant, n);
}

bool PreparedTask::keeps(std::size_t shape, Variant variant) const {
    const auto sets = sets_.find({shape, variant});
    if (sets == sets_.end()) return false;
    const auto first = sets->second.find(0);
    return first != sets->second.end() && first->second;
}

std::vector<const InputSet*> PreparedTask::usual_sets(std::size_t n) {
    spares_.clear();
    std::vector<const InputSet*> sets;
    for (std::size_t i = 0; i < calls_; ++i) sets.push_back(&kept_or_spare(0, Variant::declared, (n + i) % usual));
    return sets;
}

std::vector<const InputSet*> PreparedTask::timed_sets(std::size_t n, const std::function<void()>& each) {
    spares_.clear();
    std::vector<const InputSet*> sets;
    for (std::size_t i = 0; i < calls_; ++i) sets.push_back(&timed_set(n + i)), each();
    return sets;
}

std::size_t PreparedTask::most_calls() const {
    return std::max<std::size_t>(1, pool_bytes_ / (layouts_[0]->input_bytes() + layouts_[0]->output_bytes()));
}

void PreparedTask::set_calls(std::size_t calls) {
    calls_ = calls;
    for (std::size_t i = more_calls_.size() + 1; i < calls; ++i)
        more_calls_.push_back(std::make_unique<Layout>(task_, timed_shape(task_), scratch_bytes_, i));
    input_bytes_ = std::max(input_bytes_, calls * layouts_[0]->input_bytes());
    output_bytes_ = std::max(output_bytes_, calls * layouts_[0]->output_bytes());
    noise.reset();
    undisturbed_reading = no_reading;
    long_enough = window_known = surely_fine = false;
}

const InputSet& PreparedTask::kept_or_spare(std::size_t shape, Variant variant, std::size_t n) {
    std::unique_ptr<InputSet>& kept = sets_[{shape, variant}][n];
    if (kept) return *kept;
    std::unique_ptr<InputSet> made = make_set(shape, variant, n);
    const bool full = bytes_ >= pool_bytes_;
    if (!full) bytes_ += made->bytes();
    return *(full ? spares_.emplace_back(std::move(made)) : kept = std::move(made));
}

const InputSet& PreparedTask::timed_set(std::size_t n) { return kept_or_spare(0, timed_variant(n), n); }

Variant PreparedTask::timed_variant(std::size_t n) const {
    const std::size_t turn = (n - 1) / sets_in_turn;
    return draw_variants(timed_, secret_key(seed_, task_.hash() + "/timed/" + judging_ + "/" + std::to_string(turn),
                                            secret_))[(n - 1) % sets_in_turn];
}

void PreparedTask::begin_judging(const std::string& candidate_hash, bool with_seed_of_its_own) {
    judging_ = candidate_hash;
    if (!replay_) renew(candidate_hash, with_seed_of_its_own);
    draw_shapes(candidate_hash);
}

void PreparedTask::renew(const std::string& candidate_hash, bool always) {
    if ((always && !judged_.empty()) || judged_.size() == judgings_a_seed || judged_.contains(candidate_hash)) {
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
        for (const auto& [n, set] : entry.second) bytes_ -= set ? set->bytes() : 0;
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

// At the timed shape by far, since sums of larger shapes are larger.
bool PreparedTask::outputs_hold(const InputSet& set) {
    constexpr double room = 64;
    for (std::size_t output = 0; output < set.truths().size(); ++output) {
        const FetchedTruth truth = set.fetch_truth(output);
        const double most = largest_whole(truth.spec.dtype);
        if (std::ranges::any_of(truth.values, [&](double value) { return std::fabs(value) * room > most; }))
            return false;
    }
    return true;
}

void PreparedTask::settle_variants() {
    if (std::exchange(settled_, true)) return;
    const auto furthest = std::find(variants_.begin(), variants_.end(), Variant::furthest);
    if (furthest != variants_.end() && !outputs_hold(set(0, Variant::furthest, 0))) variants_.erase(furthest);
}

void PreparedTask::forget() {
    sets_.clear();
    spares_.clear();
    bytes_ = 0;
}

std::uint64_t PreparedTask::key_for(std::size_t shape, Variant variant, std::size_t n) {
    if (variant == Variant::touched) variant = Variant::declared;  // the same inputs but for what is touched
    return secret_key(
        seed_, task_.hash() + "/" + std::to_string(shape) + "/" + variant_word(variant) + "/" + std::to_string(n),
        secret_);
}

std::vector<double> PreparedTask::least_usual(std::size_t shape, Variant variant) {
    std::vector<double> sizes;
    if (variant != Variant::one_sided) return sizes;
    for (const Truth& truth : kept_or_spare(shape, Variant::declared, 0).truths()) sizes.push_back(truth.usual);
    return sizes;
}

std::unique_ptr<InputSet> PreparedTask::make_set(std::size_t shape, Variant variant, std::size_t n) {
    Layout& layout = *layouts_[shape];
    const SetName name{key_for(shape, variant, n), shape, variant};
    std::vector<double> least = least_usual(shape, variant);
    const bool first = std::isinf(reference_seconds_);
    auto set = std::make_unique<InputSet>(
        name, arena_, layout, make_inputs(task_, layout.inputs(), name.key, variant, shapes_[shape]),
        Definition{eager_, float64_, tolerance_epsilon(task_, shapes_[shape], variant), first, std::move(least)});
    if (shape == 0) reference_seconds_ = std::min(reference_seconds_, set->eager_seconds());
    return set;
}

}  // namespace hone
