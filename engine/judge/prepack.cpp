#include "judge/prepack.hpp"
#include <algorithm>
#include <cmath>
#include "base/process.hpp"
#include "judge/verify.hpp"

namespace hone {
namespace {

std::optional<Ending> prepack(Rig& rig, const Layout& layout, Subject& subject, double& limit, double& told) {
    const double begun = monotonic_seconds();
    double inside = 0;
    auto ending = run_call(rig, subject, layout.call(), limit, &Subject::prepack, &inside);
    limit = std::max(0.0, limit - (monotonic_seconds() - begun));
    told = std::isfinite(inside) ? inside : 0;
    return ending;
}

}  // namespace

std::optional<Ending> make_ready(Rig& rig, Layout& layout, Subject& subject, const InputSet& set, const Placement& at, double& limit, double* told) {
    double seconds = 0;
    if (subject.prepacks()) {
        if (rig.settings.has("constants-alone")) rig.stage.prepare_constants(layout, set, at.offset, at.salt);
        else rig.stage.prepare(layout, set, at.offset, at.salt);
        if (auto ending = prepack(rig, layout, subject, limit, seconds)) return call_failed(*std::move(ending), set, at.open, "prepack failed");
    }
    rig.stage.prepare(layout, set, at.offset, at.salt);
    if (told) *told = seconds;
    return std::nullopt;
}

}  // namespace hone
