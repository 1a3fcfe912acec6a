#include "judge/service/health.hpp"
#include <string>
#include "judge/call/verify.hpp"

namespace hone {
namespace {

// of no judging's stream: a replay does not know who was judged before
constexpr std::uint64_t salt = 0x9e3779b97f4a7c15;

[[noreturn]] void unfit(const std::string& cause) {
    throw PartBroken("not healthy after a candidate that ended badly: a program that does nothing " + cause);
}

}  // namespace

bool needs_health_check(Verdict verdict) {
    return verdict == Verdict::RUNTIME_ERROR || verdict == Verdict::TIMEOUT || verdict == Verdict::OUT_OF_MEMORY ||
           verdict == Verdict::REWARD_HACK || verdict == Verdict::LAUNCH_ERROR || verdict == Verdict::INFRASTRUCTURE;
}

void probe_health(BenchContext& context, PreparedTask& prepared) {
    context.empty.reset();
    context.open_empty(prepared.task());
    if (!context.empty) return;
    const InputSet& set = prepared.set(0, Variant::declared, 0);
    Layout& layout = prepared.layout(0);
    context.setup.prepare(layout, set, 0, salt);
    context.setup.keep_outputs(layout);
    std::optional<CandidateFailure> failure =
        run_call(context, *context.empty, layout.call(), call_limit(context, prepared));
    if (!failure) failure = context.setup.untouched(layout, set);
    if (failure) unfit(std::string("got ") + verdict_name(failure->verdict) + ": " + failure->reason);
    if (!context.setup.kept(layout)) unfit("changed its outputs");
    if (context.settings.has("hold")) context.empty->suspend(false);
}

}  // namespace hone
