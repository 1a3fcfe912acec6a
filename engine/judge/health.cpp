#include "judge/health.hpp"
#include <string>
#include "judge/verify.hpp"

namespace hone {
namespace {

constexpr std::uint64_t salt = 0x9e3779b97f4a7c15;  // of no judging's stream: a replay does not know who was judged before

[[noreturn]] void unfit(const std::string& cause) {
    throw PartBroken("not healthy after a candidate that ended badly: a program that does nothing " + cause);
}

}  // namespace

bool shakes(Verdict verdict) {
    return verdict == Verdict::RUNTIME_ERROR || verdict == Verdict::TIMEOUT || verdict == Verdict::OUT_OF_MEMORY ||
           verdict == Verdict::REWARD_HACK || verdict == Verdict::LAUNCH_ERROR || verdict == Verdict::INFRASTRUCTURE;
}

void probe_health(Rig& rig, Problem& problem) {
    rig.empty.reset();
    rig.open_empty(problem.task());
    if (!rig.empty) return;
    const InputSet& set = problem.set(0, Variant::declared, 0);
    Layout& layout = problem.layout(0);
    rig.stage.prepare(layout, set, 0, salt);
    rig.stage.keep_outputs(layout, set);
    std::optional<Ending> ending = run_call(rig, *rig.empty, layout.call(), call_limit(problem, rig.settings));
    if (!ending) ending = rig.stage.untouched(layout, set);
    if (ending) unfit(std::string("got ") + verdict_name(ending->verdict) + ": " + ending->reason);
    if (!rig.stage.kept(layout, set)) unfit("changed its outputs");
    if (rig.settings.has("hold")) rig.empty->hold(false);
}

}  // namespace hone
