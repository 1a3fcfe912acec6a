#include "judge/call/call_setup.hpp"
#include <algorithm>
#include <cstring>
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

void CallSetup::prepare(Layout& layout, const InputSet& set, std::uint64_t offset, std::uint64_t salt) {
    layout.place(arena_, offset);
    salt_ = salt;
    poisoned_ = settings_.has("poison");
    if (set.device) set.device->put(layout.call());
    for (std::size_t i = 0; i < set.inputs.size(); ++i)
        verifier_.write(layout.call().in[i].at, set.inputs[i].data(), set.inputs[i].size());
    blank_gaps(layout);
    for (std::size_t i = 0; i < layout.outputs().size(); ++i) poison_output(layout.call().out[i], layout.outputs()[i]);
    if (layout.call().scratch_bytes)
        verifier_.set(layout.call().scratch, layout.call().scratch_bytes, static_cast<std::uint32_t>(salt));
    if (set.device) set.device->settle();
}

void CallSetup::prepare_constants(Layout& layout, const InputSet& set, std::uint64_t offset, std::uint64_t salt) {
    layout.place(arena_, offset);
    arena_.blank(static_cast<std::uint32_t>(salt));
    if (set.device) set.device->put(layout.call(), true);
    for (std::size_t i = 0; i < set.inputs.size(); ++i)
        if (layout.inputs()[i].constant)
            verifier_.write(layout.call().in[i].at, set.inputs[i].data(), set.inputs[i].size());
    char last;
    verifier_.read(layout.call().out[0].at, &last, 1);  // behind all that was queued
}

// What lies before, between and behind the tensors at this offset and was theirs, or their red zones', at the last one.
void CallSetup::blank_gaps(const Layout& layout) {
    const hone_call& call = layout.call();
    std::uint64_t from = arena_.outputs();
    const auto blank_to = [&](std::uint64_t to) {
        if (to > from) verifier_.set(from, (to - from) / 4 * 4, 0);
    };
    for (std::size_t i = 0; i < layout.outputs().size(); ++i) {
        blank_to(call.out[i].at - red_zone_bytes);
        from = call.out[i].at + layout.outputs()[i].bytes() / 4 * 4 + red_zone_bytes;
    }
    if (call.scratch_bytes) from = call.scratch + call.scratch_bytes;
    blank_to(arena_.outputs() + layout.output_bytes());
}

void CallSetup::poison_output(const hone_tensor& tensor, const TensorSpec& spec) {
    const std::uint32_t word = poison_word(spec.dtype, salt_);
    const std::uint64_t end = tensor.at + spec.bytes() / 4 * 4;  // the last bytes of an odd size are the zone's first
    if (poisoned_) {
        verifier_.set(tensor.at - red_zone_bytes, end - tensor.at + 2 * red_zone_bytes, word);
    } else if (settings_.has("red-zones")) {
        verifier_.set(tensor.at - red_zone_bytes, red_zone_bytes, word);
        verifier_.set((tensor.at + spec.bytes() + 3) / 4 * 4, red_zone_bytes - 4, word);
    }
}

std::optional<CandidateFailure> CallSetup::red_zones(const Layout& layout) const {
    if (!settings_.has("red-zones")) return std::nullopt;
    for (std::size_t i = 0; i < layout.outputs().size(); ++i) {
        const TensorSpec& spec = layout.outputs()[i];
        const std::string zone = repeated(poison_word(spec.dtype, salt_), red_zone_bytes);
        const std::uint64_t begin = layout.call().out[i].at, end = (begin + spec.bytes() + 3) / 4 * 4;
        for (const bool behind : {false, true}) {
            std::string now(behind ? red_zone_bytes - 4 : red_zone_bytes, '\0');
            verifier_.read(behind ? end : begin - red_zone_bytes, now.data(), now.size());
            if (zone.compare(0, now.size(), now) != 0) return writes_outside(spec);
        }
    }
    return std::nullopt;
}

std::optional<CandidateFailure> CallSetup::changed_inputs(const Layout& layout, const InputSet& set) const {
    if (!settings_.has("input-check")) return std::nullopt;
    for (std::size_t i = 0; i < set.inputs.size(); ++i)
        if (!holds(layout.call().in[i].at, set.inputs[i])) return changes_input(layout.inputs()[i]);
    return std::nullopt;
}

// Read part by part, each of which stays in the cache.
bool CallSetup::holds(std::uint64_t at, const std::string& bytes) const {
    char now[16384];
    for (std::size_t done = 0; done < bytes.size(); done += sizeof now) {
        const std::size_t part = std::min(sizeof now, bytes.size() - done);
        verifier_.read(at + done, now, part);
        if (std::memcmp(now, bytes.data() + done, part) != 0) return false;
    }
    return true;
}

std::optional<CandidateFailure> CallSetup::wrong_outputs(const Layout& layout, const InputSet& set,
                                                         const std::string& where, bool open) const {
    if (!settings_.has("truth")) return std::nullopt;
    for (std::size_t i = 0; i < layout.outputs().size(); ++i)
        if (auto failure = wrong_output(i, set.truth[i], layout, where, open)) return failure;
    return std::nullopt;
}

std::optional<CandidateFailure> CallSetup::wrong_output(std::size_t output, const Truth& truth, const Layout& layout,
                                                        const std::string& where, bool open) const {
    const TensorSpec& spec = layout.outputs()[output];
    std::string got(spec.bytes(), '\0');
    verifier_.read(layout.call().out[output].at, got.data(), got.size());
    const std::string untouched = poisoned_ ? repeated(poison_word(spec.dtype, salt_), got.size()) : "";
    const auto mismatch = compare(truth, got, untouched, where, open);
    if (!mismatch) return std::nullopt;
    return CandidateFailure{Verdict::INCORRECT_NUMERICAL, mismatch->reason, Json::object(),
                            failure(mismatch->property.c_str(), spec)};
}

std::optional<CandidateFailure> CallSetup::tampering(const DeviceSet::Found& found, const Layout& layout) const {
    for (std::size_t i = 0; i < found.strays.size(); ++i)
        if (found.strays[i] && settings_.has("red-zones")) return writes_outside(layout.outputs()[i]);
    for (std::size_t i = 0; i < found.changed.size(); ++i)
        if (found.changed[i] && settings_.has("input-check")) return changes_input(layout.inputs()[i]);
    return std::nullopt;
}

std::optional<CandidateFailure> CallSetup::look_on_device(const Layout& layout, const InputSet& set,
                                                          const std::string& where, bool open) const {
    const DeviceSet::Found found = set.device->look(layout, salt_, poisoned_);
    if (auto failure = tampering(found, layout)) return failure;
    for (std::size_t i = 0; i < found.errors.size() && settings_.has("truth"); ++i) {
        if (set.device->is_right(i, found.errors[i])) continue;
        if (auto failure = wrong_output(i, set.device->truth(i), layout, where, open)) return failure;
        throw PartBroken("the device finds output \"" + layout.outputs()[i].name + "\" wrong and the host does not");
    }
    return std::nullopt;
}

std::optional<CandidateFailure> CallSetup::untouched(const Layout& layout, const InputSet& set) const {
    if (set.device) return tampering(set.device->look(layout, salt_, poisoned_), layout);
    std::optional<CandidateFailure> failure = red_zones(layout);
    return failure ? failure : changed_inputs(layout, set);
}

std::optional<CandidateFailure> CallSetup::inspect(const Layout& layout, const InputSet& set, const std::string& where,
                                                   bool open) const {
    std::optional<CandidateFailure> failure;
    if (set.device) failure = look_on_device(layout, set, where, open);
    else if (failure = untouched(layout, set); !failure) failure = wrong_outputs(layout, set, where, open);
    if (failure) failure->details.update(place_of(set));
    return failure;
}

constexpr const char* forbidden_call = "tried a system call that the judge forbids";

// One text a verdict, but for what says no more than the verdict does and what the judge itself saw.
std::string told_of_secret_call(const CandidateFailure& failure) {
    const auto says = [&](const char* words) { return failure.reason.find(words) != std::string::npos; };
    switch (failure.verdict) {
        case Verdict::RUNTIME_ERROR:
            return says("SIGSEGV") || says("illegal address") ? failure.reason : "the call failed";
        case Verdict::OUT_OF_MEMORY:
            return "needs more memory than a call may have";
        case Verdict::LAUNCH_ERROR:
            return "a launch was refused: its grid, block, cluster, registers or shared memory are not possible on "
                   "this device";
        case Verdict::TIMEOUT:
            return says("no answer within") ? failure.reason : "takes too long";
        default:
            return says("system call") ? forbidden_call : failure.reason;
    }
}

Json place_of(const InputSet& set) {
    Json place = {{"shape", set.shape == 0 ? "timed" : "hidden"}, {"variant", variant_word(set.variant)}};
    if (set.shape > 0) place["hidden"] = set.shape;
    return place;
}

CandidateFailure failed_at(CandidateFailure failure, const InputSet& set, const char* property) {
    failure.details = place_of(set);
    failure.details["property"] = property;
    return failure;
}

CandidateFailure call_failed(CandidateFailure failure, const InputSet& set, bool open, const char* property) {
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
        samples.push_back(verifier_.gather(layout.call().out[i], positions[i]));
    return samples;
}

std::string CallSetup::read_outputs(const Layout& layout) const {
    std::string all;
    for (std::size_t i = 0; i < layout.outputs().size(); ++i) {
        std::string bytes(layout.outputs()[i].bytes(), '\0');
        verifier_.read(layout.call().out[i].at, bytes.data(), bytes.size());
        all += bytes;
    }
    return all;
}

void CallSetup::keep_outputs(const Layout& layout, const InputSet& set) {
    if (!set.device) return void(kept_ = read_outputs(layout));
    std::uint64_t to = arena_.kept();
    for (std::size_t i = 0; i < layout.outputs().size(); to += (layout.outputs()[i++].bytes() + 3) / 4 * 4)
        verifier_.copy(to, layout.call().out[i].at, (layout.outputs()[i].bytes() + 3) / 4 * 4);
}

bool CallSetup::kept(const Layout& layout, const InputSet& set) const {
    if (!set.device) return read_outputs(layout) == kept_;
    std::uint64_t from = arena_.kept(), different = 0;
    verifier_.set(arena_.tally(), sizeof different, 0);
    for (std::size_t i = 0; i < layout.outputs().size(); from += (layout.outputs()[i++].bytes() + 3) / 4 * 4)
        verifier_.differ(from, layout.call().out[i].at, layout.outputs()[i].bytes(), arena_.tally());
    verifier_.read(arena_.tally(), &different, sizeof different);
    return different == 0;
}

}  // namespace hone
