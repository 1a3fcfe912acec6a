#include "judge/verify.hpp"
#include <algorithm>
#include "base/process.hpp"

namespace hone {
namespace {

constexpr double patience = 50, least_limit = 0.25;  // times the reference; seconds

struct Check {
    std::size_t shape;
    Variant variant;
};

std::vector<Check> plan_checks(const Problem& problem, const Settings& settings, Random& random) {
    std::vector<Check> checks;
    const std::size_t shapes = settings.has("hidden-shapes") ? problem.shapes() : 1;
    for (std::size_t shape = 0; shape < shapes; ++shape)
        for (Variant variant : problem.variants()) checks.push_back({shape, variant});
    for (std::size_t i = checks.size(); i > 1; --i) std::swap(checks[i - 1], checks[random.below(i)]);
    return checks;
}

std::string where(const Problem& problem, const Check& check) {
    return "at " + problem.shape_name(check.shape) + ", inputs " + variant_name(check.variant);
}

bool must_repeat(const Task& task, const Settings& settings) {
    if (!settings.has("repeat")) return false;
    const Json& tolerance = task.doc.at("tolerance");
    return !tolerance.is_object() || tolerance.value("deterministic", true);
}

std::optional<Ending> repeat(Rig& rig, Layout& layout, const InputSet& set, Subject& subject, Random& random, double limit) {
    const std::string before = rig.stage.read_outputs(layout);
    rig.stage.prepare(layout, set, random_offset(random), random.bits());
    if (auto ending = run_call(rig, subject, layout.call(), limit)) return ending;
    if (rig.stage.read_outputs(layout) == before) return std::nullopt;
    return Ending{Verdict::NONDETERMINISTIC, "two calls on the same inputs gave different bits", Json::object()};
}

}  // namespace

double call_limit(const Problem& problem, const Settings& settings) {
    if (!settings.has("deadline")) return 30 * settings.deadline;
    return std::min(settings.deadline, std::max(least_limit, patience * problem.reference_seconds()));
}

std::uint64_t random_offset(Random& random) { return random.below(offset_range / tensor_alignment) * tensor_alignment; }

std::optional<Ending> run_call(Rig& rig, Subject& subject, const hone_call& call, double limit) {
    const bool hold = rig.settings.has("hold");
    if (hold) subject.hold(false);
    subject.launch(call);
    double inside = 0;
    if (auto ending = subject.wait(limit, inside)) return ending;
    if (hold) subject.hold(true);
    return subject.check(call);
}

std::optional<Ending> verify(Rig& rig, Problem& problem, Subject& subject, Random& random) {
    problem.set(0, Variant::declared, 0);  // how long a call may take follows from the reference's time at the timed shape
    double spent = 0;
    for (const Check& check : plan_checks(problem, rig.settings, random)) {
        const InputSet& set = problem.set(check.shape, check.variant, 0);
        Layout& layout = problem.layout(check.shape);
        const double limit = call_limit(problem, rig.settings), begun = monotonic_seconds();
        rig.stage.prepare(layout, set, random_offset(random), random.bits());
        if (auto ending = run_call(rig, subject, layout.call(), limit)) return ending;
        if (auto ending = rig.stage.inspect(layout, set, where(problem, check))) return ending;
        if (check.shape == 0 && check.variant == Variant::declared && must_repeat(problem.task(), rig.settings))
            if (auto ending = repeat(rig, layout, set, subject, random, limit)) return ending;
        spent += monotonic_seconds() - begun;
        if (spent > rig.settings.deadline && rig.settings.has("deadline"))
            return Ending{Verdict::TIMEOUT, "all calls together take too long to be verified", Json::object()};
    }
    return std::nullopt;
}

}  // namespace hone
