#include "judge/timing/window.hpp"
#include <algorithm>
#include <cmath>
#include <limits>
#include "base/quantity.hpp"
#include "judge/call/verify.hpp"
#include "judge/timing/calibration.hpp"
#include "judge/timing/pairing.hpp"

namespace hone {
namespace {

constexpr int looks = 4, most_looks = 16;  // where the first ones read nothing
constexpr double least_steps = 10, margin = 1.25;
// of the reference: a candidate that is as fast as few are still reads ten
constexpr double many_steps = 100;
constexpr double share_of_deadline = 0.05, windows_of_reference = 4;  // that a run of the reference may take at most
constexpr std::size_t unseen = 1 << 20;                               // number of a set that no measurement reaches

struct Look {
    double value = 0;                                          // of a run, on the mean
    double seconds = std::numeric_limits<double>::infinity();  // of the shortest run
};

std::optional<Look> look_at(BenchContext& context, PreparedTask& prepared, Subject* subject, bool unseen_sets,
                            Chance& random, std::optional<CandidateFailure>& failure) {
    Pairing pairing(context, prepared, random);
    Look look;
    int taken = 0;
    for (; taken < looks || (look.value == 0 && taken < most_looks); ++taken) {
        const auto n = static_cast<std::size_t>(taken);
        pairing.time({subject, false},
                     unseen_sets ? prepared.timed_sets(unseen + n * prepared.calls(), context.still_alive)
                                 : prepared.usual_sets(n),
                     random_offset(random), failure);
        if (failure) return std::nullopt;
        look.value += pairing.run_value();
        if (pairing.run_seconds() > 0) look.seconds = std::min(look.seconds, pairing.run_seconds());
    }
    look.value /= taken;
    return look;
}

// How many calls a run must have for what it looked like. Of runs that read 0 only their length tells.
double calls_for(const Timer& timer, const Look& look, std::size_t calls) {
    const double steps = timer.resolution() > 0 && look.value > 0 ? look.value / timer.resolution() / least_steps : 1;
    const double windows = timer.least_window() > 0 ? look.seconds / timer.least_window() : 1;
    const double enough = std::min(steps, windows);  // above 1: more than that
    return enough >= 1 ? static_cast<double>(calls) : std::ceil(margin * static_cast<double>(calls) / enough);
}

bool reads_enough(const Timer& timer, const Look& look) {
    return timer.resolution() == 0 || look.value >= least_steps * timer.resolution();
}

// What is wrong with runs that look so, whose more cannot be had; nothing: they are good enough.
struct Shortage {
    std::string cause, cure;
};
std::optional<Shortage> shortage(const Timer& timer, const PreparedTask& prepared, const Look& look, double wanted,
                                 const std::string& whose) {
    if (look.value == 0 && look.seconds >= timer.least_window())
        return Shortage{
            "it reads 0 for every run of " + whose + " calls, of which the shortest took " +
                engineering(look.seconds, "s"),
            std::string("mend the meter, or, if it is that coarse, ") +
                (timer.least_window() > 0 ? "make \"least_window\" longer" : "tell \"least_window\" in its facts")};
    if (wanted > static_cast<double>(prepared.most_calls()))
        return Shortage{"its runs of " + engineering(timer.least_window(), "s") + " need " +
                            std::to_string(static_cast<long>(wanted)) + " of " + whose +
                            " calls, and there is memory for " + std::to_string(prepared.most_calls()),
                        "make judge.pool_mb larger, or the task's timed shape"};
    if (reads_enough(timer, look)) return std::nullopt;
    return Shortage{"its resolution of " + engineering(timer.resolution(), timer.unit()) + " is " +
                        (timer.resolution() > look.value ? "larger than " : "more than a tenth of ") + whose + " " +
                        engineering(look.value, timer.unit()),
                    "tell \"least_window\" in its facts: runs of several calls are then timed"};
}

// A run that ends later is taken for one that hangs.
void require_window_within_deadline(const Timer& timer, const Settings& settings) {
    if (!settings.has("deadline") || margin * timer.least_window() <= settings.deadline / 2) return;
    throw Error(Blame::input, timer.name(),
                "its \"least_window\" of " + engineering(timer.least_window(), "s") +
                    " does not fit into half of judge.deadline, which is " + engineering(settings.deadline, "s"),
                "make it shorter, or judge.deadline longer (--set judge.deadline=SECONDS)");
}

// The reference's runs have as many calls as the candidate's. Beside a candidate that is very much faster they would
// take minutes in all.
std::optional<CandidateFailure> takes_reference_too_long(const BenchContext& context, const PreparedTask& prepared,
                                                         double calls) {
    const Timer& timer = context.timer;
    const double run = calls * prepared.reference_seconds(), deadline = context.settings.deadline;
    if (!context.settings.has("deadline") ||
        run <= std::max(share_of_deadline * deadline, windows_of_reference * timer.least_window()))
        return std::nullopt;
    return CandidateFailure{Verdict::INFRASTRUCTURE,
                            timer.name() + ": its runs need " + std::to_string(static_cast<long>(calls)) +
                                " of the candidate's calls, and so many of the reference take " +
                                engineering(run, "s") +
                                "; make \"least_window\" shorter, or judge.deadline longer (--set "
                                "judge.deadline=SECONDS)",
                            Json::object()};
}

}  // namespace

double step_of(const BenchContext& context, const PreparedTask& prepared) {
    return context.timer.resolution() / static_cast<double>(prepared.calls());
}

std::optional<CandidateFailure> fit_window(BenchContext& context, PreparedTask& prepared, Subject* baseline,
                                           Subject& candidate, Chance& random) {
    const Timer& timer = context.timer;
    if (timer.resolution() == 0 && timer.least_window() == 0) return std::nullopt;
    require_window_within_deadline(timer, context.settings);
    std::optional<CandidateFailure> failure;
    for (const bool own : {false, true}) {
        if (own && prepared.surely_fine) return std::nullopt;
        if (!own && prepared.window_known) continue;
        const std::optional<Look> look = look_at(context, prepared, own ? &candidate : baseline, own, random, failure);
        if (failure && !own) failure->verdict = Verdict::INFRASTRUCTURE;
        if (!look) return failure;
        if (!std::isfinite(look->seconds) || (look->value == 0 && !timer.discards().empty()))
            return unreadable(context);
        const double wanted = timer.least_window() > 0 ? calls_for(timer, *look, prepared.calls())
                                                       : static_cast<double>(prepared.calls());
        const auto short_of = shortage(timer, prepared, *look, wanted, own ? "the candidate's" : "the task's");
        if (wanted > static_cast<double>(prepared.calls()) && wanted <= static_cast<double>(prepared.most_calls())) {
            if (own && (failure = takes_reference_too_long(context, prepared, wanted))) return failure;
            throw MoreCalls{static_cast<std::size_t>(wanted)};
        }
        if (short_of && !own) throw Error(Blame::input, timer.name(), short_of->cause, short_of->cure);
        if (short_of)
            return CandidateFailure{Verdict::INFRASTRUCTURE,
                                    timer.name() + ": " + short_of->cause + "; " + short_of->cure, Json::object()};
        if (own) continue;
        prepared.window_known = true;
        prepared.run_seconds = std::isfinite(look->seconds) ? look->seconds : 0;
        prepared.surely_fine = timer.least_window() == 0 && look->value >= many_steps * timer.resolution();
    }
    return std::nullopt;
}

}  // namespace hone
