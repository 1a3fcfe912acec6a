#include "judge/timing/calibration.hpp"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>
#include <vector>
#include "base/process.hpp"
#include "base/quantity.hpp"
#include "judge/call/verify.hpp"
#include "judge/timing/machine_load.hpp"
#include "judge/timing/paired_measurement.hpp"
#include "judge/timing/pairing.hpp"
#include "judge/timing/sequential_test.hpp"
#include "judge/timing/window.hpp"

namespace hone {
namespace {

constexpr int noise_pairs = 64, least_noise_pairs = 8;
constexpr double noise_share = 0.25;  // of the time for a candidate
constexpr double least_times = 2;     // the hand-over, and what two clocks may differ by, that a reference must last
constexpr double most_of_passed = 2;  // times the bench's clock that a clock of seconds reads without work
constexpr double most_doubt = 100;    // times the reference, that a timer says its readings may be off by
constexpr double surely_short = 1.5;  // times the hand-over: the same reference reads 1.9 and 2.2 in two benches
constexpr std::size_t form_rounds = 32;
constexpr int tries = 4;  // on a busy machine one may find no undisturbed call without work
constexpr auto pause_before_try = std::chrono::milliseconds(50);  // the kernel counts load in ticks of 10 ms
constexpr double busy = 0.25;  // cores: so much work of others makes a call without work longer than it is

// Somebody's word until it has answered rightly. The second call is the one that is looked at, at other addresses and
// with poison in its outputs: what was recorded as a graph ran without it at its first.
bool answers_rightly(BenchContext& context, PreparedTask& prepared, const std::string& form, Chance& random) {
    prepared.choose_form(form);
    Layout& layout = prepared.layout(0);
    const InputSet& set = prepared.set(0, Variant::declared, 0);
    for (int call = 0; call < 2; ++call) {
        context.setup.prepare(layout, set, random_offset(random), random.bits());
        prepared.baseline().launch(layout.call());
        prepared.baseline().wait();
        prepared.baseline().deliver(layout.call());
    }
    return !context.setup.inspect(layout, set, "in its reference's form " + form, true);
}

struct FormReadings {
    std::string name;
    std::vector<double> seconds, log_ratios;  // to eager, of the same round
};

// Rounds in which every form is called once, in random order; readings of rounds in which one could not be read are
// left out.
void time_forms(BenchContext& context, PreparedTask& prepared, std::vector<FormReadings>& forms, Chance& random) {
    Pairing pairing(context, prepared, random);
    std::optional<CandidateFailure> none;
    std::vector<std::size_t> order(forms.size());
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t n = 0; n < form_rounds; ++n) {
        const std::vector<const InputSet*> sets = prepared.usual_sets(n);
        const std::uint64_t offset = random_offset(random);
        for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
        std::vector<std::optional<double>> round(forms.size());
        for (const std::size_t form : order) {
            prepared.choose_form(forms[form].name);
            round[form] = pairing.time({nullptr, false}, sets, offset, none);
        }
        if (!std::all_of(round.begin(), round.end(), [](const auto& value) { return value.has_value(); })) continue;
        for (std::size_t form = 0; form < forms.size(); ++form) {
            forms[form].seconds.push_back(*round[form]);
            forms[form].log_ratios.push_back(std::log(*round[form] / *round[0]));
        }
    }
}

// What the reference's own call says that its two clocks may differ by; 0: there is one clock, or the call is longer
// than they matter for.
double clock_tolerance(BenchContext& context, PreparedTask& prepared, const TimedSide& baseline, Chance& random) {
    Pairing pairing(context, prepared, random);
    std::optional<CandidateFailure> none;
    double tolerance = 0;
    for (int i = 0; i < tries && tolerance == 0; ++i) {
        pairing.time(baseline, prepared.usual_sets(0), random_offset(random), none);
        tolerance = pairing.independent().tolerance;
    }
    return tolerance;
}

CandidateFailure near_the_limit(const PreparedTask& prepared, double empty, double foreign, const std::string& unit) {
    const std::string meanwhile =
        foreign < busy ? "" : " (other programs kept " + engineering(foreign, "core", 2) + " busy meanwhile)";
    return {Verdict::INFRASTRUCTURE,
            "the reference of task \"" + prepared.task().name() + "\" takes " +
                engineering(prepared.undisturbed_reading, unit) + ", of which a call without work takes " +
                engineering(empty, unit) + meanwhile +
                ": this time too much to be timed; try again, or make the task's timed shape larger",
            Json{{"kind", "busy"}}};
}

Error too_short(const PreparedTask& prepared, const char* beside, double value, const std::string& unit) {
    return {Blame::input, "task \"" + prepared.task().name() + "\"",
            "is too short to be timed: its reference takes " + engineering(prepared.undisturbed_reading, unit) + ", " +
                beside + " " + engineering(value, unit),
            "make its timed shape larger (of `hone judge`: --shape)"};
}

// The very same number with work and without is no matter of the task, nor are seconds that have not passed.
bool is_the_timers(const BenchContext& context, const PreparedTask& prepared, double empty, double passed) {
    return empty == prepared.undisturbed_reading || (context.timer.unit() == "s" && is_offset(empty, passed));
}

Error too_short_with_work(const BenchContext& context, const PreparedTask& prepared, double empty, double passed) {
    const std::string& unit = context.timer.unit();
    if (unit == "s" && empty != prepared.undisturbed_reading && is_offset(empty, passed))
        return {Blame::input, context.timer.name(),
                "reads " + engineering(empty, unit) + " for a call without work, which takes " +
                    engineering(passed, unit) + " by the bench's clock: an offset of " +
                    engineering(empty - passed, unit) + " is in each of its readings",
                "take it out of them, or tell \"least_window\" in its facts: runs of several calls are then timed"};
    if (empty != prepared.undisturbed_reading)
        return too_short(prepared, "of which a call without work takes", empty, unit);
    return {Blame::input, context.timer.name(),
            "reads " + engineering(empty, unit) + " for the reference of task \"" + prepared.task().name() +
                "\" and for a call without work alike",
            "`hone plugins --check` tells whether it follows the work"};
}

}  // namespace

CandidateFailure unreadable(const BenchContext& context) {
    if (!context.lost_reading.empty()) return {Verdict::INFRASTRUCTURE, context.lost_reading, Json::object()};
    if (const std::string many = context.timer.discards(); !many.empty())
        return {Verdict::INFRASTRUCTURE,
                many +
                    ": this machine is too busy to time anything, or the timer is at fault; try again when less is "
                    "running on it",
                Json{{"kind", "busy"}}};
    return {Verdict::INFRASTRUCTURE,
            "this machine is too busy to time anything: nearly every call was disturbed; try again when less is "
            "running on it",
            Json{{"kind", "busy"}}};
}

void require_sensible(const BenchContext& context, const PreparedTask& prepared, const char* what, double doubt) {
    const std::string& unit = context.timer.unit();
    const double reading = prepared.undisturbed_reading;
    if (doubt <= most_doubt * reading) return;
    throw Error(Blame::input, context.timer.name(),
                std::string("tells a ") + what + " of " + engineering(doubt, unit) + " and reads " +
                    engineering(reading, unit) + " for the reference of task \"" + prepared.task().name() + "\"",
                "give 0 to " + engineering(most_doubt * reading, unit) + ", in its unit");
}

bool is_offset(double empty, double passed) { return passed > 0 && empty > most_of_passed * passed; }

Length length_of(double reference, double empty, double shortest, double foreign) {
    if (reference >= least_times * empty) return Length::enough;
    if (reference >= least_times * shortest) return Length::disturbed;
    return reference >= surely_short * empty || foreign >= busy ? Length::near_limit : Length::too_short;
}

void check_flush(BenchContext& context, PreparedTask& prepared, Chance& random) {
    if (!context.timer.offers_flush()) return;
    Layout& layout = prepared.layout(0);
    const InputSet& set = prepared.set(0, Variant::declared, 0);
    context.setup.prepare(layout, set, random_offset(random), random.bits());
    context.setup.keep_outputs(layout);
    try {
        context.timer.flush(layout.call());
    } catch (const ReadingLost&) {
        return;  // that readings are lost is told where they are
    }
    const std::string changed = context.setup.changed(layout, set);
    if (!changed.empty()) context.timer.broke("flush changed " + changed);
}

void choose_baseline(BenchContext& context, PreparedTask& prepared, Chance& random) {
    if (prepared.other_forms().empty()) return;
    prepared.forms = Json::object();
    std::vector<FormReadings> forms = {{"eager", {}, {}}};
    for (const auto& [form, program] : prepared.other_forms()) {
        if (answers_rightly(context, prepared, form, random)) forms.push_back({form, {}, {}});
        else prepared.forms[form] = nullptr;
    }
    time_forms(context, prepared, forms, random);
    prepared.choose_form("eager");
    prepared.undisturbed_reading = no_reading;  // of another form, perhaps
    double least = 0;
    for (const FormReadings& form : forms) {
        if (form.seconds.empty()) continue;
        prepared.forms[form.name] = trimmed_mean(form.seconds, trimmed_share);
        const double ratio = trimmed_mean(form.log_ratios, trimmed_share);
        if (ratio < least) least = ratio, prepared.choose_form(form.name);
    }
}

std::optional<double> measure_noise(BenchContext& context, PreparedTask& prepared, Subject* program, Chance& random,
                                    std::optional<CandidateFailure>& failure) {
    Pairing pairing(context, prepared, random);
    const StopRule rule{context.settings.precision / 2, context.settings.level, noise_pairs};
    SequentialTest sequential(context.code_on_host ? rule : on_device(rule), prepared.undisturbed_reading);
    int pairs = 0;
    const double until = monotonic_seconds() + noise_share * context.settings.seconds;
    for (int n = 0; n < noise_pairs && !sequential.done() && (pairs < least_noise_pairs || monotonic_seconds() < until);
         ++n) {
        const std::vector<const InputSet*> sets = prepared.usual_sets(static_cast<std::size_t>(n));
        const std::uint64_t offset = random_offset(random);
        const auto a = pairing.time({program, false}, sets, offset, failure),
                   b = failure ? a : pairing.time({program, false}, sets, offset, failure);
        if (failure) {
            failure->verdict = Verdict::INFRASTRUCTURE;
            failure->reason = "the baseline program failed: " + failure->reason;
            return std::nullopt;
        }
        if (!a || !b) continue;
        sequential.add({*a, *b});
        ++pairs;
    }
    prepared.undisturbed_reading = sequential.undisturbed_baseline();
    const Interval interval = sequential.interval();
    if (!std::isfinite(interval.upper)) {
        failure = unreadable(context);
        return std::nullopt;
    }
    return std::fabs(interval.estimate) + (interval.upper - interval.lower) / 2 +
           step_of(context, prepared) / prepared.undisturbed_reading;
}

std::optional<double> check_long_enough(BenchContext& context, PreparedTask& prepared, Subject* program, Chance& random,
                                        std::optional<CandidateFailure>& failure) {
    std::optional<double> empty;  // an undisturbed reading, as that of the reference to which it is held
    double shortest = std::numeric_limits<double>::infinity(), passed = shortest, foreign = 0;
    const auto length = [&] {
        return empty ? length_of(prepared.undisturbed_reading, *empty, shortest, foreign) : Length::enough;
    };
    const Comparison nobody;
    const LoadMeter meter(context, nobody);
    const bool has_empty = context.real_clock && context.empty_in_window();
    for (int i = 0; has_empty && (i == 0 || (i < tries && length() != Length::enough)); ++i) {
        if (i > 0) std::this_thread::sleep_for(pause_before_try);
        Pairing pairing(context, prepared, random);
        std::vector<double> readings = pairing.time_empty_calls(false);
        if (readings.empty()) break;
        passed = std::min(passed, pairing.empty_seconds());
        shortest = std::min(shortest, *std::min_element(readings.begin(), readings.end()));
        empty =
            std::min(empty.value_or(std::numeric_limits<double>::infinity()), undisturbed_reading(std::move(readings)));
    }
    if (const auto load = meter.read(); load && length() != Length::enough) foreign = load->foreign + load->stolen;
    switch (length()) {
        case Length::enough:
            break;
        case Length::disturbed:
            failure = unreadable(context);
            return std::nullopt;
        case Length::near_limit:
            // a clock that stands still does so on a busy machine, too
            if (is_the_timers(context, prepared, *empty, passed))
                throw too_short_with_work(context, prepared, *empty, passed);
            failure = near_the_limit(prepared, *empty, foreign, context.timer.unit());
            return std::nullopt;
        case Length::too_short:
            throw too_short_with_work(context, prepared, *empty, passed);
    }
    const double tolerance = clock_tolerance(context, prepared, {program, false}, random);
    require_sensible(context, prepared, "tolerance", tolerance);
    require_sensible(context, prepared, "process_spread", context.process_spread);
    require_sensible(context, prepared, "independent_spread", context.independent_spread);
    if (prepared.undisturbed_reading < least_times * tolerance)
        throw too_short(prepared, "and the two clocks of a call may differ by", tolerance, context.timer.unit());
    if (prepared.calls() == 1 || !empty) return empty;
    // the way and what the calls of a run have between them
    std::vector<double> readings = Pairing(context, prepared, random).time_empty_calls(true);
    if (readings.empty()) return empty;
    return undisturbed_reading(std::move(readings));
}

}  // namespace hone
