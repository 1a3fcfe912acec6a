#include "judge/call/prepack.hpp"
#include <algorithm>
#include <cmath>
#include "base/process.hpp"
#include "judge/call/verify.hpp"

namespace hone {
namespace {

std::optional<CandidateFailure> prepack(BenchContext& context, const Layout& layout, Subject& subject, double& limit,
                                        double& told) {
    const double begun = monotonic_seconds();
    double inside = 0;
    auto failure = run_call(context, subject, layout.call(), limit, &Subject::prepack, &inside);
    limit = std::max(0.0, limit - (monotonic_seconds() - begun));
    told = std::isfinite(inside) ? inside : 0;
    return failure;
}

}  // namespace

std::optional<CandidateFailure> make_ready(BenchContext& context, Layout& layout, Subject& subject, const InputSet& set,
                                           const Placement& at, double& limit, double* told) {
    double seconds = 0;
    if (subject.prepacks()) {
        if (context.settings.has("constants-alone")) context.setup.prepare_constants(layout, set, at.offset, at.salt);
        else context.setup.prepare(layout, set, at.offset, at.salt);
        if (auto failure = prepack(context, layout, subject, limit, seconds))
            return call_failed(*std::move(failure), set, at.open, "prepack failed");
    }
    context.setup.prepare(layout, set, at.offset, at.salt, at.which);
    if (told) *told = seconds;
    return std::nullopt;
}

}  // namespace hone
