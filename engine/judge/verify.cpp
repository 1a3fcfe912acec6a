#include "judge/verify.hpp"
#include <algorithm>
#include "base/process.hpp"
#include "judge/prepack.hpp"

namespace hone {
namespace {

constexpr double patience = 50, least_limit = 0.25;  // times the reference; seconds
constexpr double least_on_device = 1.5;              // a driver takes so long to tell of a trap while another context works

struct Check {
    std::size_t shape;
    Variant variant;
};

// A prompt may tell all of it.
bool is_open(const Check& check) { return check.shape == 0 && check.variant == Variant::declared; }

template <class T> void shuffle(std::vector<T>& list, Chance& random) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random.below(i)]);
}

// Every variant at the timed shape; at hidden ones inputs as declared and a share of the others, dealt so that each is asked at a small
// shape and the candidate cannot foresee where. Of `wider` and `larger` one is asked at the timed shape, the other at a small one. Large shapes, which cost as much as the timed one, get one. First comes what is open: a program that
// has seen nothing else has no secret that its failure could tell, so that the reason may name everything.
std::vector<Check> plan_checks(Problem& problem, const Settings& settings, Chance& random) {
    std::vector<Check> checks;
    std::vector<Variant> others;
    if (settings.has("distributions")) others.assign(problem.variants().begin() + 1, problem.variants().end());
    const bool both = std::find(others.begin(), others.end(), Variant::larger) != others.end(), wider_first = random.below(2);
    const auto is_for = [&](Variant variant, bool timed) {
        return !both || (variant != Variant::wider && variant != Variant::larger) || ((variant == Variant::wider) == wider_first) == timed;
    };
    for (const Variant variant : others)
        if (is_for(variant, true)) checks.push_back({0, variant});
    shuffle(others, random);
    std::vector<std::size_t> small;
    const std::size_t shapes = settings.has("hidden-shapes") ? problem.shapes() : 1;
    for (std::size_t shape = 0; shape < shapes; ++shape) {
        checks.push_back({shape, Variant::declared});
        const bool large = problem.layout(shape).tensor_bytes() > problem.layout(0).tensor_bytes() / 8;
        if (!large) small.push_back(shape);
        else if (shape > 0 && !others.empty()) checks.push_back({shape, others[random.below(others.size())]});
    }
    for (std::size_t i = 0; i < others.size() && !small.empty(); ++i)
        if (is_for(others[i], false)) checks.push_back({small[i % small.size()], others[i]});
    shuffle(checks, random);
    std::swap(checks.front(), *std::find_if(checks.begin(), checks.end(), [](const Check& check) { return is_open(check); }));
    return checks;
}

std::string where(const Problem& problem, const InputSet& set) {
    return "at " + problem.shape_name(set.shape) + ", inputs " + variant_name(set.variant);
}

// One call: prepared, run and looked at. An ending says where it was.
std::optional<Ending> call(Rig& rig, Problem& problem, Subject& subject, const InputSet& set, std::uint64_t offset, Chance& random,
                           double limit) {
    Layout& layout = problem.layout(set.shape);
    const bool open = is_open({set.shape, set.variant});
    if (auto ending = make_ready(rig, layout, subject, set, {offset, random.bits(), open}, limit)) return ending;
    if (auto ending = run_call(rig, subject, layout.call(), limit)) return call_failed(*std::move(ending), set, open);
    return rig.stage.inspect(layout, set, where(problem, set), open);
}

// The same inputs as before at another address: the same bits must come out.
std::optional<Ending> repeat(Rig& rig, Problem& problem, Subject& subject, std::uint64_t offset, Chance& random, double limit) {
    const InputSet& set = problem.set(0, Variant::declared, 0);
    rig.stage.keep_outputs(problem.layout(0), set);
    if (auto ending = call(rig, problem, subject, set, offset, random, limit)) return ending;
    if (!rig.settings.has("repeat") || !must_repeat(problem.task()) || rig.stage.kept(problem.layout(0), set)) return std::nullopt;
    return failed_at({Verdict::NONDETERMINISTIC, "two calls on the same inputs gave different bits", Json::object()}, set, "does not repeat");
}

// The call after it, at that address again, with one element of one input changed: the output must follow.
std::optional<Ending> touch(Rig& rig, Problem& problem, Subject& subject, std::uint64_t offset, Chance& random, double limit) {
    if (!rig.settings.has("touch") || !can_touch(problem.task())) return std::nullopt;
    rig.stage.keep_outputs(problem.layout(0), problem.set(0, Variant::declared, 0));
    const InputSet& set = problem.set(0, Variant::touched, 0);
    std::optional<Ending> ending = call(rig, problem, subject, set, offset, random, limit);
    if (!ending || ending->verdict != Verdict::INCORRECT_NUMERICAL || !rig.stage.kept(problem.layout(0), set)) return ending;
    ending->reason = "the output stays as it was when one element of an input changes (" + where(problem, set) + ")";
    ending->failure["property"] = "stale";
    return ending;
}

}  // namespace

double call_limit(const Problem& problem, const Settings& settings) {
    if (!settings.has("deadline")) return 30 * settings.deadline;
    // so that a few calls, each just within its limit, cannot outlast what a worker allows a phase: that would cost the bench
    return std::min(settings.deadline / 4, std::max(problem.on_device() ? least_on_device : least_limit, patience * problem.reference_seconds()));
}

std::uint64_t random_offset(Chance& random) { return random.below(offset_range / tensor_alignment) * tensor_alignment; }

std::optional<Ending> run_call(Rig& rig, Subject& subject, const hone_call& call, double limit, void (Subject::*begin)(const hone_call&),
                               double* inside) {
    const bool hold = rig.settings.has("hold");
    if (hold) subject.hold(false);
    (subject.*begin)(call);
    double seconds = 0;
    if (auto ending = subject.wait(limit, seconds)) return ending;
    if (inside) *inside = seconds;
    if (hold) subject.hold(true);
    return subject.check(call);
}

std::optional<Ending> verify(Rig& rig, Problem& problem, Subject& subject, Chance& random) {
    problem.set(0, Variant::declared, 0);  // how long a call may take follows from the reference's time at the timed shape
    double spent = 0;
    for (const Check& check : plan_checks(problem, rig.settings, random)) {
        const InputSet& set = problem.set(check.shape, check.variant, 0);
        const double limit = call_limit(problem, rig.settings), begun = monotonic_seconds();
        const auto too_long = [&] { return rig.settings.has("deadline") && spent + monotonic_seconds() - begun > rig.settings.deadline; };
        if (auto ending = call(rig, problem, subject, set, random_offset(random), random, limit)) return ending;
        const std::uint64_t offset = is_open(check) ? random_offset(random) : 0;
        if (is_open(check) && !too_long())
            if (auto ending = repeat(rig, problem, subject, offset, random, limit)) return ending;
        if (is_open(check) && !too_long())
            if (auto ending = touch(rig, problem, subject, offset, random, limit)) return ending;
        if (too_long())
            return failed_at({Verdict::TIMEOUT, "all calls together take too long to be verified", Json::object()}, set, "takes too long");
        spent += monotonic_seconds() - begun;
    }
    return std::nullopt;
}

}  // namespace hone
