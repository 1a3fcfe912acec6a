#include "judge/timing/paired_measurement.hpp"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>
#include "base/process.hpp"
#include "base/quantity.hpp"
#include "judge/call/verify.hpp"
#include "judge/timing/by_inputs.hpp"
#include "judge/timing/calibration.hpp"
#include "judge/timing/clocks.hpp"
#include "judge/timing/not_counted.hpp"
#include "judge/timing/other_laws.hpp"
#include "judge/timing/pairing.hpp"
#include "judge/timing/window.hpp"

namespace hone {
namespace {

constexpr std::size_t least_pairs = 3, most_discarded = 64;
constexpr int least_processes = 3;           // of a fresh measurement
constexpr std::size_t least_in_process = 2;  // pairs
constexpr double process_share = 0.125;      // of the time asked for, after which the next process has its turn
// of the deadline: who needs more to be opened and stopped is why there are too few processes
constexpr double opening_share = 0.5;
// one pair of so many must have been undisturbed: of fewer nobody can tell whose doing it was
constexpr std::size_t least_kept = 4;
constexpr double many = 1e6;                      // degrees of freedom of what was counted beforehand
constexpr double most_stretched = 3;              // times the seconds asked for
constexpr double whole_window = -1;               // a precision that is never reached
constexpr std::chrono::milliseconds let_pass{2};  // whoever has the core may be done with it then
constexpr int settling_calls = 3;                 // of a process with host code: its first ones take 200 us more
constexpr double stock_share = 0.5;               // of a process's time, that the baseline's calls before it may take

Error compared_with(const CandidateFailure& failure) {
    return {Blame::input, "the program to compare with", verdict_name(failure.verdict) + (": " + failure.reason),
            "compare with one that passes"};
}

StopRule stop_rule(const BenchContext& context) {
    const Settings& s = context.settings;
    const StopRule rule{s.cuda_l1 ? whole_window : s.precision, s.level, s.pairs, s.fresh};
    return context.code_on_host ? rule : on_device(rule);
}

// One measurement in progress.
class PairedMeasurement {
public:
    PairedMeasurement(BenchContext& context, PreparedTask& prepared, Comparison& comparison, Chance& random)
        : context_(context),
          prepared_(prepared),
          comparison_(comparison),
          random_(random),
          pairing_(context, prepared, random),
          other_chance_(random.bits(), "other laws", prepared.secret()),
          other_pairing_(context, prepared, other_chance_),
          other_laws_(context, prepared, other_chance_),
          load_(context, comparison),
          sequential_(stop_rule(context), comparison.programs ? no_reading : prepared.undisturbed_reading) {}

    std::optional<Measurement> run(std::optional<CandidateFailure>& failure) {
        for (bool first = true; !failure && !over(); first = false) {
            if (needs_process()) failure = reopen();
            if (!failure) failure = try_other_laws();
            if (!failure) failure = pair(next_sets(), first);
            if (process_had_its_turn()) sequential_.begin_block(), known_ = known_ || sequential_.done();
        }
        if (!failure) failure = leave(true);
        if (failure) return std::nullopt;
        return finish(failure);
    }

private:
    bool needs_process() const {
        return (context_.apart() && stock_.empty()) || (used_ && sequential_.begins_block() && context_.settings.fresh);
    }

    // What making it took is not this candidate's time: later ones use it too.
    std::vector<const InputSet*> next_sets() {
        const NotCounted making(begun_);
        return sets_of(std::exchange(seen_, seen_ + prepared_.calls()));
    }

    // seen: sets that the candidate's process has had before.
    std::vector<const InputSet*> sets_of(std::size_t seen) {
        if (!context_.settings.has("fresh-keys")) return prepared_.usual_sets(0);
        return prepared_.timed_sets((seen / prepared_.calls() ^ order_) * prepared_.calls() + 1, context_.still_alive);
    }

    bool over() const {
        // two clocks that disagree after a few calls mostly agree after some more
        const bool no_more = result_.candidate.size() >= static_cast<std::size_t>(context_.settings.pairs);
        if (known_ && (no_more || (sequential_.begins_block() && !doubtful() && !more_pairs_may_tell()))) return true;
        if (is_late()) return true;
        const std::size_t kept = result_.candidate.size() - disturbed_;
        if (unread_ > most_discarded && unread_ > result_.candidate.size()) return true;
        if (!processes_suffice()) return false;
        if (disturbed_ + unread_ > std::max(most_discarded, kept)) return true;
        if (spent() < context_.settings.seconds || (counted() < enough() && !doubtful())) return false;
        return spent() > most_stretched * context_.settings.seconds || !more_pairs_may_tell();
    }

    // In a replay what the timer saw, so that the end does not depend on how busy the machine is.
    double spent() const { return context_.settings.seed && context_.timer.unit() == "s" ? read_ : seconds_had(); }
    bool is_late() const {
        return context_.settings.has("deadline") && monotonic_seconds() - started_ > context_.settings.deadline;
    }

    // Slow programs too are seen in several processes.
    bool process_had_its_turn() const {
        return context_.settings.fresh && counts_calls_alone() && sequential_.in_block() >= least_in_process &&
               spent() - spent_before_ > process_share * context_.settings.seconds;
    }

    // Fewer say nothing of how processes differ.
    bool processes_suffice() const {
        if (!context_.settings.fresh || !counts_calls_alone()) return true;
        return result_.processes >= least_processes &&
               (sequential_.begins_block() || sequential_.in_block() >= least_in_process);
    }

    bool counts_calls_alone() const { return context_.settings.has("opening"); }

    // Where time ran out: was it the candidate that took it, outside of its calls?
    std::optional<CandidateFailure> too_long() const {
        const double most = opening_share * context_.settings.deadline;
        if (processes_suffice() || opening_ + pairing_.stopping() <= most) return std::nullopt;
        const char* const doing =
            opening_ > pairing_.stopping() ? "be opened in three processes" : "stand still after its calls";
        return CandidateFailure{Verdict::TIMEOUT, std::string("it takes too long to ") + doing, Json::object()};
    }

    // What the host of a virtual machine took is added at the end, up to twice the time asked for; of what it took in
    // all, the share that fell on timing and not on making sets. (The kernel's page is read here only: on a large
    // machine that takes longer than a call.)
    double seconds_had() const {
        const double stopping = counts_calls_alone() ? pairing_.stopping() : 0;  // as long as a candidate likes
        const double passed = monotonic_seconds() - begun_ - stopping, asked = context_.settings.seconds;
        if (passed < asked || passed > std::min(most_stretched * asked, context_.settings.deadline)) return passed;
        return passed - (stolen_seconds() - stolen_) * passed / (monotonic_seconds() - started_);
    }

    std::size_t counted() const {
        const std::vector<bool> counted = sequential_.counted();
        return static_cast<std::size_t>(std::count(counted.begin(), counted.end(), true));
    }

    std::size_t enough() const { return std::max(least_pairs, result_.candidate.size() / least_kept); }

    // The candidate's process has had its last timed call.
    std::optional<CandidateFailure> leave(bool last) {
        const NotCounted checking(begun_);
        if (!used_ || !comparison_.candidate) return std::nullopt;
        return verify_timed(context_, prepared_, *comparison_.candidate, random_, last);
    }

    // A constructor may take its time: it is none of the calls'.
    std::optional<CandidateFailure> reopen() {
        if (auto failure = leave(false)) return failure;
        used_ = false;
        // Nothing is left of the one before, inputs neither (Arena::wipe), so the sets that it has seen are new to this
        // one, but where a program can leave a trace; with host code there may be a way that nobody has thought of.
        // Their order is another, lest the first call of each has the same distribution.
        if (!context_.host_code && !context_.leaves_traces) seen_ = 0, order_ = random_.below(sets_in_turn);
        double ignored = 0;
        std::optional<CandidateFailure> failure;
        {
            const NotCounted opening(counts_calls_alone() ? begun_ : ignored);
            if (context_.apart()) take_stock();
            failure = start_afresh(context_, prepared_, comparison_, random_, &opening_);
            if (!failure && context_.apart()) failure = settle(0);
        }
        spent_before_ = spent();
        return failure;
    }

    struct Reading {
        std::optional<double> value;
        double inside = std::nan("");
        IndependentClock independent;
        bool fit = true;
        bool waited = false;  // see has_waited
    };

    // side: 0 is the candidate.
    std::optional<CandidateFailure> read(int side, const std::vector<const InputSet*>& sets, std::uint64_t offset,
                                         bool first, Reading& reading) {
        std::optional<CandidateFailure> failure;
        Subject* const subject = side == 0 ? comparison_.candidate.get() : comparison_.against.get();
        const double planted = side == 0 ? context_.settings.planted : 0;
        const bool watched = context_.code_on_host && context_.real_clock;
        reading.value = pairing_.time({subject, first, planted, watched}, sets, offset, failure);
        reading.waited = has_waited(pairing_.run_seconds(), pairing_.waited());
        if (failure && side == 1) throw compared_with(*failure);
        if (failure) return failure;
        if (subject) reading.inside = pairing_.inside();
        if (side == 0) recorded_ = subject->recorded(), prepacking_ = pairing_.prepacking();
        reading.independent = pairing_.independent();
        // a reference may have one clock alone; a part of a long call's own time is no nonsense
        if (reading.independent.tolerance > reading.independent.value)
            require_sensible(context_, prepared_, "tolerance", reading.independent.tolerance);
        clocks_.add(side, reading.independent);
        if (checks_clock() && Clocks::says_nothing(reading.independent)) reading.value = std::nullopt;
        if (checks_clock() && !Clocks::fit(reading.independent)) {
            reading.fit = false;
            // what is recorded, and read by whoever takes every call (judge/timing/cuda_l1.hpp), is then nobody's claim
            if (reading.value) reading.value = slower(*reading.value, reading.independent.value);
        }
        if (reading.independent.value == 0) reading.independent.value = reading.value.value_or(0);
        return std::nullopt;
    }

    std::optional<CandidateFailure> pair(const std::vector<const InputSet*>& sets, bool first) {
        const std::uint64_t offset = random_offset(random_);
        const int order = context_.apart() ? 1 : static_cast<int>(random_.below(2));
        Reading readings[2];
        for (int place = 0; place < 2; ++place) {
            const int side = place ^ order;
            if (side == 1 && context_.apart()) readings[1] = stock_.back(), stock_.pop_back();
            else if (auto failure = read(side, sets, offset, first, readings[side])) return failure;
        }
        if (readings[0].value && readings[1].value) add(readings, order), kinds_.push_back(sets[0]->variant);
        else ++unread_;
        return std::nullopt;
    }

    std::optional<CandidateFailure> try_other_laws() {
        if (!comparison_.candidate) return std::nullopt;
        if (sequential_.begins_block() && std::exchange(block_, result_.candidate.size()) != result_.candidate.size())
            other_laws_.begin_block(sequential_.block(), least_in_process, result_.processes == 0 && !context_.apart());
        const NotCounted checking(begun_);
        while (const InputSet* set = other_laws_.next(sequential_.in_block()))
            if (auto failure = call_as_timed(*set)) return failure;
        return std::nullopt;
    }

    // A pair as the others are, for whoever looks at times, memory and caches; its readings are dropped.
    std::optional<CandidateFailure> call_as_timed(const InputSet& set) {
        const std::vector<const InputSet*> sets(prepared_.calls(), &set);
        const std::uint64_t offset = random_offset(other_chance_);
        const int order = static_cast<int>(other_chance_.below(2));
        for (int place = 0; place < 2; ++place) {
            const int side = place ^ order;
            if (side == 1 && context_.apart()) continue;
            Subject* const subject = side == 0 ? comparison_.candidate.get() : comparison_.against.get();
            std::optional<CandidateFailure> failure;
            other_pairing_.time({subject, true}, sets, offset, failure);
            if (failure && side == 1) throw compared_with(*failure);
            if (failure) return failure;
        }
        return std::nullopt;
    }

    // Calls that do not count, on inputs that the process has had.
    std::optional<CandidateFailure> settle(int side) {
        std::optional<CandidateFailure> failure;
        for (int i = 0; i < settling_calls && !failure; ++i) {
            Subject* const subject = side == 0 ? comparison_.candidate.get() : comparison_.against.get();
            pairing_.time({subject, false}, prepared_.usual_sets(0), random_offset(random_), failure);
        }
        return failure;
    }

    // Nothing of the candidate's is left while the baseline is timed, nor the other way round.
    void take_stock() {
        comparison_.candidate.reset();
        comparison_.against.reset();
        const std::size_t most = make_sets();
        pairing_.take_zeros();
        if (comparison_.programs) open_baseline();
        stock_.clear();
        const double until = stock_until();
        while (stock_.size() < least_in_process || (stock_.size() < most && monotonic_seconds() < until)) {
            context_.still_alive();
            const auto sets = sets_of(seen_ + stock_.size() * prepared_.calls());
            Reading reading;
            read(1, sets, random_offset(random_), stock_.empty(), reading);
            stock_.push_back(reading);
        }
        comparison_.against.reset();
        std::reverse(stock_.begin(), stock_.end());  // its end is taken first
    }

    double stock_until() const {
        const double share = context_.settings.fresh ? process_share : 1;
        return monotonic_seconds() + stock_share * share * context_.settings.seconds;
    }

    // The sets of a process's calls, for both sides: a call behind the making of a set finds its caches cold. Their
    // number, as many as the time allows.
    std::size_t make_sets() {
        const auto pairs = static_cast<std::size_t>(context_.settings.pairs);
        const std::size_t most = context_.settings.fresh ? sequential_.block() : pairs;
        const double until = stock_until();
        std::size_t made = 0;
        for (; made < most && (made < least_in_process || monotonic_seconds() < until); ++made)
            sets_of(seen_ + made * prepared_.calls());
        return made;
    }

    void open_baseline() {
        std::optional<CandidateFailure> failure;
        comparison_.against = comparison_.open_against(failure);
        const InputSet& set = prepared_.set(0, Variant::declared, 0);
        if (!failure) failure = pairing_.warm(*comparison_.against, set, random_offset(random_));
        if (failure) throw compared_with(*failure);
        if ((failure = settle(1))) throw compared_with(*failure);
    }

    void add(const Reading* readings, int order) {
        const Pair pair{*readings[0].value, *readings[1].value, readings[0].fit && readings[1].fit, readings[0].waited,
                        readings[1].waited};
        if (!std::exchange(used_, true)) ++result_.processes;
        read_ += (pair.candidate + pair.baseline) * static_cast<double>(prepared_.calls());
        result_.candidate.push_back(pair.candidate);
        result_.baseline.push_back(pair.baseline);
        result_.order.push_back(order);
        result_.inside.push_back(readings[0].inside);
        if (comparison_.programs) result_.baseline_inside.push_back(readings[1].inside);
        result_.independent.push_back(readings[0].independent.value);
        result_.recorded.push_back(recorded_);
        result_.prepacking.push_back(prepacking_);
        baseline_independent_.push_back(readings[1].independent.value);
        sequential_.add(pair);
        known_ = known_ || sequential_.done();
        if (!context_.code_on_host || !sequential_.was_disturbed()) return;
        ++disturbed_;
        std::this_thread::sleep_for(let_pass);
    }

    // Before anything is said of how busy the machine was: a clock that stands still disturbs every call.
    std::optional<CandidateFailure> forged() const {
        if (!checks_clock()) return std::nullopt;
        if (auto own = clocks_.forged(0, context_.timer.unit())) return own;
        const auto other = comparison_.programs ? clocks_.forged(1, context_.timer.unit()) : std::nullopt;
        if (other) throw compared_with(*other);
        return std::nullopt;
    }

    bool checks_clock() const { return context_.settings.has("outside-clock"); }
    bool doubtful() const { return checks_clock() && clocks_.doubtful(); }

    // A program may move its own clock, and may find a way to end the independent clock early: no time is below what
    // either of them says.
    static double slower(double own, double independent) { return std::max(own, independent); }

    // Where the two clocks disagree for a reason that may be innocent, the one that nobody can move counts, though it
    // is the coarser.
    void choose_clock() {
        if (clocks_.without_independent()) return result_.independent.clear();
        if (!doubtful()) return;
        SequentialTest by_independent = sequential_.without_pairs();
        for (std::size_t i = 0; i < result_.independent.size(); ++i) {
            if (i > 0 && sequential_.block_of(i) != sequential_.block_of(i - 1) && !by_independent.begins_block())
                by_independent.begin_block();
            result_.candidate[i] = slower(result_.candidate[i], result_.independent[i]);
            result_.baseline[i] = slower(result_.baseline[i], baseline_independent_[i]);
            by_independent.add({result_.candidate[i], result_.baseline[i]});
        }
        sequential_ = std::move(by_independent);
        result_.independent_believed = true;
    }

    // Not by CUDA-L1's protocol, and not in runs of several calls, whose kinds are mixed.
    bool tells_kinds_apart() const {
        return context_.settings.has("slowest-inputs") && prepared_.calls() == 1 && !context_.settings.cuda_l1;
    }

    std::vector<PairOfKind> pairs_of_kinds() const {
        const std::vector<bool> counted = sequential_.counted();
        std::vector<PairOfKind> pairs;
        for (std::size_t i = 0; i < counted.size(); ++i)
            if (counted[i])
                pairs.push_back(
                    {std::log(result_.baseline[i] / result_.candidate[i]), kinds_[i], sequential_.block_of(i)});
        return pairs;
    }

    bool more_pairs_may_tell() const {
        return tells_kinds_apart() && kinds_differ(ratios_by_kind(pairs_of_kinds())) == KindsDiffer::perhaps;
    }

    Interval of_pairs() {
        const Interval all = sequential_.interval();
        if (!tells_kinds_apart()) return all;
        const ByInputs by = by_inputs(all, pairs_of_kinds(), context_.settings.level);
        result_.kinds_differ = by.differ, result_.slowest_inputs = by.slowest;
        for (std::size_t i = 0; by.differ == KindsDiffer::clear && i < kinds_.size(); ++i)
            result_.counted[i] = result_.counted[i] && kinds_[i] == by.slowest;
        return by.log_speedup;
    }

    // Where a side had one process only, what its times differ by from process to process is no chance that more pairs
    // would tell. (The reference has one in any case.)
    Interval interval(const Interval& d) const {
        const double deviations = student_quantile((1 + context_.settings.level) / 2, many),
                     candidate = typical_candidate(result_), baseline = typical_baseline(result_),
                     between = std::hypot(spread_between(0) / candidate, spread_between(1) / baseline);
        const double step = step_of(context_, prepared_) / std::min(candidate, baseline);
        const auto half = [&](double of_pairs) { return std::hypot(of_pairs, deviations * between) + step; };
        return {d.estimate, d.estimate - half(d.estimate - d.lower), d.estimate + half(d.upper - d.estimate)};
    }

    // Of a side that had one process only.
    double spread_between(int side) const {
        const bool program = side == 0 || comparison_.programs;
        if (context_.settings.fresh && program) return 0;
        if (result_.independent_believed && !context_.host_code) return context_.independent_spread;
        return program ? context_.candidate_spread : context_.process_spread;
    }

    std::optional<Measurement> finish(std::optional<CandidateFailure>& failure) {
        if ((failure = forged())) return std::nullopt;
        choose_clock();
        result_.counted = sequential_.counted();
        const std::size_t kept = counted();
        result_.discarded = unread_ + result_.counted.size() - kept;
        if (!comparison_.programs) prepared_.undisturbed_reading = sequential_.undisturbed_baseline();
        if ((failure = too_long())) return std::nullopt;
        if (kept < enough()) {
            prepared_.undisturbed_reading =
                no_reading;  // a machine that has become slower for good is believed the next time
            failure = too_few_pairs();
            return std::nullopt;
        }
        if (context_.code_on_host && is_slowed_down(result_)) {
            failure = unreadable(context_);
            return std::nullopt;
        }
        result_.log_speedup = interval(of_pairs());
        result_.load = load_.read();
        return std::move(result_);
    }

    CandidateFailure apart(double offset) const {
        const std::string& unit = context_.timer.unit();
        return {Verdict::INFRASTRUCTURE,
                context_.timer.name() + ": its independent clock shows " + engineering(std::fabs(offset), unit) +
                    (offset > 0 ? " more" : " less") +
                    " than its value in the baseline's calls too, far beyond its tolerance: so steady an offset is the "
                    "timer's; take it out of \"independent\", or make \"tolerance\" hold it",
                Json::object()};
    }

    // Pairs that the machine left in peace are few because each takes long.
    CandidateFailure too_few_pairs() const {
        if (const auto offset = checks_clock() ? clocks_.steady_offset() : std::nullopt) return apart(*offset);
        const std::size_t read = result_.candidate.size();
        if (!is_late() || 2 * (disturbed_ + unread_) > read) return unreadable(context_);
        const std::string or_window =
            context_.timer.least_window() > 0 ? ", or the timer's \"least_window\" shorter" : "";
        return {Verdict::INFRASTRUCTURE,
                "judge.deadline, which is " + engineering(context_.settings.deadline, "s") +
                    ", ended the measurement after " + engineering(static_cast<double>(read), "pair") +
                    "; make it longer (--set judge.deadline=SECONDS)" + or_window,
                Json::object()};
    }

    BenchContext& context_;
    PreparedTask& prepared_;
    Comparison& comparison_;
    Chance& random_;
    Pairing pairing_;
    Chance other_chance_;    // of what no timed call draws from, so that a replay has the same ones
    Pairing other_pairing_;  // the calls that do not count
    OtherLaws other_laws_;
    std::size_t block_ = static_cast<std::size_t>(-1);  // pairs before the block whose places were drawn last
    LoadMeter load_;
    SequentialTest sequential_;
    Measurement result_;
    Clocks clocks_;
    std::vector<Reading> stock_;  // of the baseline, where sides are timed apart
    std::vector<double> baseline_independent_;
    std::vector<Variant> kinds_;            // of inputs, one a pair
    double recorded_ = 0, prepacking_ = 0;  // of the candidate's last call
    std::size_t seen_ = 0;                  // sets, by the candidate's process; set 0 when it was verified or warmed
    std::size_t order_ = 0;                 // of those that the present process meets
    std::size_t disturbed_ = 0, unread_ = 0;
    bool used_ = false;   // a pair was read in the present process
    bool known_ = false;  // the interval was narrow enough when it was looked at
    const double started_ = monotonic_seconds(), stolen_ = stolen_seconds();  // when; before it
    double begun_ = started_, read_ = 0;  // when, had making sets taken no time; sum of all readings
    // of the time asked for, before the present process; seconds of the candidate's openings
    double spent_before_ = 0, opening_ = 0;
};

}  // namespace

std::optional<Measurement> measure(BenchContext& context, PreparedTask& prepared, Comparison& comparison,
                                   Chance& random, std::optional<CandidateFailure>& failure) {
    auto measured = PairedMeasurement(context, prepared, comparison, random).run(failure);
    if (!failure || !clock_was_moved(*failure)) return measured;
    failure = start_afresh(context, prepared, comparison, random);
    if (failure) return std::nullopt;
    return PairedMeasurement(context, prepared, comparison, random).run(failure);
}

}  // namespace hone
