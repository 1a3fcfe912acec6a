#include "judge/call/call_setup.hpp"
#include "judge/correctness/compare.hpp"
#include "judge/correctness/numbers.hpp"

namespace hone {
namespace {

Json failure(const char* property, const TensorSpec& tensor) {
    return {{"property", property}, {"tensor", tensor.name}};
}

CandidateFailure writes_outside(const TensorSpec& spec) {
    return {Verdict::RUNTIME_ERROR, "it writes outside output \"" + spec.name + "\"", Json::object(),
            failure("writes outside", spec)};
}
CandidateFailure changes_input(const TensorSpec& spec) {
    return {Verdict::REWARD_HACK, "it changes its input \"" + spec.name + "\"", Json::object(),
            failure("changes input", spec)};
}

}  // namespace

void CallSetup::prepare(Layout& layout, const InputSet& set, std::uint64_t offset, std::uint64_t salt, Inputs which) {
    layout.place(arena_, offset);
    salt_ = salt;
    poisoned_ = settings_.has("poison");
    set.put(layout.call(), which);
    const bool all = which == Inputs::all;
    layout.tell(all ? set.values() : std::vector<std::uint64_t>(layout.inputs().size()));
    blank_gaps(layout);
    for (std::size_t i = 0; i < layout.outputs().size(); ++i) {
        poison_output(layout.call().out[i], layout.outputs()[i]);
        if (all) start_output(layout, i);
    }
    if (layout.call().scratch_bytes)
        memory_.set(layout.call().scratch, layout.call().scratch_bytes, static_cast<std::uint32_t>(salt));
    set.settle();
}

void CallSetup::exchange_inputs(Layout& layout, const InputSet& set, Inputs which) {
    set.put(layout.call(), which);
    layout.tell(set.values());
    for (std::size_t i = 0; i < layout.outputs().size(); ++i) start_output(layout, i);
    set.settle();
}

void CallSetup::prepare_constants(Layout& layout, const InputSet& set, std::uint64_t offset, std::uint64_t salt) {
    layout.place(arena_, offset);
    arena_.blank(static_cast<std::uint32_t>(salt));
    set.put(layout.call(), Inputs::constants);
    layout.tell(std::vector<std::uint64_t>(layout.inputs().size()));
    set.settle();
}

// What lies before, between and behind the tensors at this offset and was theirs, or their red zones', at the last one.
void CallSetup::blank_gaps(const Layout& layout) {
    const hone_call& call = layout.call();
    std::uint64_t from = layout.outputs_begin(arena_);
    const auto blank_to = [&](std::uint64_t to) {
        if (to > from) memory_.set(from, (to - from) / 4 * 4, 0);
    };
    for (std::size_t i = 0; i < layout.outputs().size(); ++i) {
        blank_to(call.out[i].at - red_zone_bytes);
        from = call.out[i].at + layout.outputs()[i].bytes() / 4 * 4 + red_zone_bytes;
    }
    if (call.scratch_bytes) from = call.scratch + call.scratch_bytes;
    blank_to(layout.outputs_begin(arena_) + layout.output_bytes());
}

void CallSetup::poison_output(const hone_tensor& tensor, const TensorSpec& spec) {
    const std::uint32_t word = poison_word(spec.dtype, salt_);
    const std::uint64_t end = tensor.at + spec.bytes() / 4 * 4;  // the last bytes of an odd size are the zone's first
    if (poisoned_) {
        memory_.set(tensor.at - red_zone_bytes, end - tensor.at + 2 * red_zone_bytes, word);
    } else if (settings_.has("red-zones")) {
        memory_.set(tensor.at - red_zone_bytes, red_zone_bytes, word);
        memory_.set((tensor.at + spec.bytes() + 3) / 4 * 4, red_zone_bytes - 4, word);
    }
}

// An output that is updated in place begins as its input, red zones around it.
void CallSetup::start_output(const Layout& layout, std::size_t output) {
    const TensorSpec& spec = layout.outputs()[output];
    if (spec.starts_as < 0) return;
    memory_.copy(layout.call().out[output].at, layout.call().in[spec.starts_as].at, (spec.bytes() + 3) / 4 * 4);
}

std::optional<CandidateFailure> CallSetup::tampering(const InputSet::Found& found, const Layout& layout) const {
    for (std::size_t i = 0; i < found.strays.size(); ++i)
        if (found.strays[i] && settings_.has("red-zones")) return writes_outside(layout.outputs()[i]);
    for (std::size_t i = 0; i < found.changed.size(); ++i)
        if (found.changed[i] && settings_.has("input-check")) return changes_input(layout.inputs()[i]);
    return std::nullopt;
}

CandidateFailure CallSetup::wrong_output(std::size_t output, const hone_errors& errors, const Layout& layout,
                                         const InputSet& set, const std::string& where, bool open) const {
    const TensorSpec& spec = layout.outputs()[output];
    std::string got(spec.bytes(), '\0');
    memory_.read(layout.call().out[output].at, got.data(), got.size());
    const std::optional<std::uint32_t> poison =
        poisoned_ && spec.starts_as < 0 ? std::optional(poison_word(spec.dtype, salt_)) : std::nullopt;
    const Mismatch mismatch = mismatch_of(set.fetch_truth(output), errors, got, poison, where, open);
    return {Verdict::INCORRECT_NUMERICAL, mismatch.reason, Json::object(), failure(mismatch.property.c_str(), spec)};
}

std::optional<CandidateFailure> CallSetup::untouched(const Layout& layout, const InputSet& set) const {
    return tampering(set.look(layout, salt_, poisoned_), layout);
}

std::optional<CandidateFailure> CallSetup::inspect(const Layout& layout, const InputSet& set, const std::string& where,
                                                   bool open) const {
    const InputSet::Found found = set.look(layout, salt_, poisoned_);
    std::optional<CandidateFailure> failure = tampering(found, layout);
    for (std::size_t i = 0; i < found.errors.size() && settings_.has("truth") && !failure; ++i)
        if (!is_within(set.truths()[i].bounds, found.errors[i]))
            failure = wrong_output(i, found.errors[i], layout, set, where, open || reveals());
    if (failure) failure->details.update(place_of(set));
    if (failure) reveal(*failure, layout, set);
    return failure;
}

void CallSetup::reveal(CandidateFailure& failure, const Layout& layout, const InputSet& set) const {
    if (!reveals()) return;
    const bool wrong = failure.verdict == Verdict::INCORRECT_NUMERICAL;
    failure.details.update(
        hone::reveal(*revealing_, memory_, layout, set, wrong ? failure.details.value("tensor", "") : ""));
}

constexpr const char* forbidden_call = "tried a system call that the judge forbids";

// One text a verdict, but for what says no more than the verdict does and what the judge itself saw.
std::string told_of_secret_call(const CandidateFailure& failure) {
    const auto says = [&](const char* words) { return failure.reason.find(words) != std::string::npos; };
    switch (failure.verdict) {
        case Verdict::RUNTIME_ERROR:
            return says("SIGSEGV") || says("illegal address") ? failure.reason : "the call failed";
        case Verdict::INCORRECT_SHAPE:
            return "it returned something of another shape than the task's";
        case Verdict::OUT_OF_MEMORY:
            return "needs more memory than a call may have";
        case Verdict::LAUNCH_ERROR:
            return "a launch was refused: its grid, block, cluster, registers or shared memory are not possible on "
                   "this device";
        case Verdict::TIMEOUT:
            return says("no answer within") || says("calls took more than") ? failure.reason : "takes too long";
        default:
            return says("system call") ? forbidden_call : failure.reason;
    }
}

Json place_of(const SetName& set) {
    Json place = {{"shape", set.shape == 0 ? "timed" : "hidden"}, {"variant", variant_word(set.variant)}};
    if (set.shape > 0) place["hidden"] = set.shape;
    return place;
}

CandidateFailure failed_at(CandidateFailure failure, const SetName& set, const char* property) {
    failure.details = place_of(set);
    failure.details["property"] = property;
    return failure;
}

CandidateFailure call_failed(CandidateFailure failure, const SetName& set, bool open, const char* property) {
    if (!open) {
        failure.reason = told_of_secret_call(failure);
        if (failure.verdict == Verdict::REWARD_HACK && failure.reason == forbidden_call)
            failure.facts["kind"] = "system call";
        if (failure.facts.is_object()) failure.facts.erase("xid");
    }
    return failed_at(std::move(failure), set, property);
}

Samples CallSetup::sample(const Layout& layout, const Positions& positions) const {
    Samples samples;
    for (std::size_t i = 0; i < positions.size(); ++i)
        samples.push_back(gathered(memory_, layout.call().out[i], positions[i]));
    return samples;
}

void CallSetup::keep_outputs(const Layout& layout) {
    std::uint64_t to = arena_.kept();
    for (std::size_t i = 0; i < layout.outputs().size(); to += (layout.outputs()[i++].bytes() + 3) / 4 * 4)
        memory_.copy(to, layout.call().out[i].at, (layout.outputs()[i].bytes() + 3) / 4 * 4);
}

bool CallSetup::kept(const Layout& layout) const {
    std::uint64_t from = arena_.kept(), different = 0;
    memory_.set(arena_.tally(), sizeof different, 0);
    for (std::size_t i = 0; i < layout.outputs().size(); from += (layout.outputs()[i++].bytes() + 3) / 4 * 4)
        memory_.differ(from, layout.call().out[i].at, layout.outputs()[i].bytes(), arena_.tally());
    memory_.read(arena_.tally(), &different, sizeof different);
    return different == 0;
}

std::string CallSetup::changed(const Layout& layout, const InputSet& set) const {
    const InputSet::Found found = set.look(layout, salt_, poisoned_);
    for (std::size_t i = 0; i < found.changed.size(); ++i)
        if (found.changed[i]) return "input \"" + layout.inputs()[i].name + "\"";
    for (std::size_t i = 0; i < found.strays.size(); ++i)
        if (found.strays[i] && settings_.has("red-zones"))
            return "memory around output \"" + layout.outputs()[i].name + "\"";
    return kept(layout) ? "" : "the outputs";
}

}  // namespace hone
