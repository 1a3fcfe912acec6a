// What a measurement says of a side, and how it begins anew.
#include <algorithm>
#include <cmath>
#include "base/process.hpp"
#include "judge/call/verify.hpp"
#include "judge/timing/paired_measurement.hpp"
#include "judge/timing/pairing.hpp"

namespace hone {

std::vector<double> select(const std::vector<double>& values, const std::vector<bool>& counted) {
    std::vector<double> chosen;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (counted[i]) chosen.push_back(values[i]);
    return chosen;
}

bool is_slowed_down(const Measurement& m) {
    constexpr double times = 2, more = 30e-6;  // of the quickest call; seconds
    const double least = *std::min_element(m.baseline.begin(), m.baseline.end()),
                 usual = quantile(select(m.baseline, m.counted), 0.5);
    return usual > times * least + more;
}

double typical_candidate(const Measurement& m) { return trimmed_mean(select(m.candidate, m.counted), trimmed_share); }
double typical_baseline(const Measurement& m) { return trimmed_mean(select(m.baseline, m.counted), trimmed_share); }
double typical_independent(const Measurement& m) {
    return m.independent.empty() ? 0 : trimmed_mean(select(m.independent, m.counted), trimmed_share);
}

double typical_prepacking(const Measurement& m) { return trimmed_mean(select(m.prepacking, m.counted), trimmed_share); }

double typical_recorded(const Measurement& m) {
    std::vector<double> told = select(m.recorded, m.counted);
    std::erase_if(told, [](double seconds) { return !std::isfinite(seconds); });
    return told.empty() ? 0 : trimmed_mean(told, trimmed_share);
}

std::optional<CandidateFailure> start_afresh(BenchContext& context, PreparedTask& prepared, Comparison& comparison,
                                             Chance& random, double* opening) {
    std::optional<CandidateFailure> failure;
    const bool pair = comparison.programs && !context.apart();
    comparison.candidate.reset();
    comparison.against.reset();
    Pairing pairing(context, prepared, random);
    const InputSet& set = prepared.set(0, Variant::declared, 0);
    const bool first = random.below(2);
    for (const bool against : {first, !first}) {
        if (failure || (against && !pair)) continue;
        std::unique_ptr<Subject>& subject = against ? comparison.against : comparison.candidate;
        const double begun = monotonic_seconds();
        subject = (against ? comparison.open_against : comparison.open_candidate)(failure);
        if (opening && !against) *opening += monotonic_seconds() - begun;
        if (!failure) failure = pairing.warm(*subject, set, random_offset(random));
    }
    return failure;
}

}  // namespace hone
