#include "judge/prepack.hpp"
#include "base/process.hpp"
#include "judge/verify.hpp"

namespace hone {

std::optional<Ending> make_ready(Rig& rig, Layout& layout, Subject& subject, const InputSet& set, const Readiness& how, double* seconds) {
    if (subject.prepacks()) {
        if (rig.settings.has("constants-alone")) rig.stage.prepare_constants(layout, set, how.offset, how.salt);
        else rig.stage.prepare(layout, set, how.offset, how.salt);
        const double begun = monotonic_seconds();
        if (auto ending = run_call(rig, subject, layout.call(), how.limit, &Subject::prepack)) return failed_at(*std::move(ending), set, "prepack failed");
        if (seconds) *seconds = monotonic_seconds() - begun;
    }
    rig.stage.prepare(layout, set, how.offset, how.salt);
    return std::nullopt;
}

}  // namespace hone
