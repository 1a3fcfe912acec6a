#include "judge/timing.hpp"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>
#include "base/process.hpp"
#include "judge/calibration.hpp"
#include "judge/clocks.hpp"
#include "judge/pairing.hpp"
#include "judge/verify.hpp"

namespace hone {
namespace {

constexpr std::size_t least_pairs = 3, most_discarded = 64;
constexpr int least_processes = 3;                // of a fresh measurement
constexpr std::size_t least_in_process = 2;       // pairs
constexpr double process_share = 0.125;           // of the time asked for, after which the next process has its turn
constexpr double opening_share = 0.5;             // of the deadline: who needs more to be opened and stopped is why there are too few processes
constexpr std::size_t least_kept = 4;             // one pair of so many must have been calm: of fewer nobody can tell whose doing it was
constexpr double many = 1e6;                      // degrees of freedom of what was counted beforehand
constexpr double most_stretched = 3;              // times the seconds asked for
constexpr double whole_window = -1;               // a precision that is never reached
constexpr std::chrono::milliseconds let_pass{2};  // whoever has the core may be done with it then

std::vector<double> select(const std::vector<double>& values, const std::vector<bool>& counted) {
    std::vector<double> chosen;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (counted[i]) chosen.push_back(values[i]);
    return chosen;
}

Error compared_with(const Ending& ending) {
    return {Blame::input, "the program to compare with", verdict_name(ending.verdict) + (": " + ending.reason), "compare with one that passes"};
}

StopRule stop_rule(const Rig& rig) {
    const Settings& s = rig.settings;
    StopRule rule{s.cuda_l1 ? whole_window : s.precision, s.level, s.pairs, s.fresh};
    if (rig.code_on_host) return rule;
    rule.disturbed = disturbed_on_device;
    if (!s.fresh) rule.blocks = blocks_on_device;  // each block of a fresh one costs a process
    return rule;
}

// Takes its own lifetime out of a stretch of time that began at `begun`.
class NotCounted {
public:
    explicit NotCounted(double& begun) : begun_(begun) {}
    ~NotCounted() { begun_ += monotonic_seconds() - since_; }
    NotCounted(const NotCounted&) = delete;
private:
    double& begun_;
    const double since_ = monotonic_seconds();
};

// One measurement in progress.
class Course {
public:
    Course(Rig& rig, Problem& problem, Contest& contest, Chance& random)
        : rig_(rig), problem_(problem), contest_(contest), random_(random), pairing_(rig, problem, random),
          sequential_(stop_rule(rig), contest.against ? no_reading : problem.quick_reading) {}

    std::optional<Measurement> run(std::optional<Ending>& ending) {
        for (bool first = true; !ending && !over(); first = false) {
            if (used_ && sequential_.begins_block() && rig_.settings.fresh) ending = reopen();
            if (!ending) ending = pair(next_set(), first);
            if (process_had_its_turn()) sequential_.begin_block(), known_ = known_ || sequential_.done();
        }
        if (ending) return std::nullopt;
        return finish(ending);
    }

private:
    // What making it took is not this candidate's time: later ones use it too.
    const InputSet& next_set() {
        const NotCounted making(begun_);
        return rig_.settings.has("fresh-keys") ? problem_.timed_set(++seen_) : problem_.set(0, Variant::declared, 0);
    }

    bool over() const {
        // two clocks that disagree after a few calls mostly agree after some more
        const bool no_more = result_.candidate.size() >= static_cast<std::size_t>(rig_.settings.pairs);
        if (known_ && (no_more || (sequential_.begins_block() && !doubtful()))) return true;
        if (is_late()) return true;
        const std::size_t kept = result_.candidate.size() - disturbed_;
        if (unread_ > most_discarded && unread_ > result_.candidate.size()) return true;
        if (!processes_suffice()) return false;
        if (disturbed_ + unread_ > std::max(most_discarded, kept)) return true;
        return spent() >= rig_.settings.seconds && (counted() >= enough() || doubtful());
    }

    // In a replay what the timer saw, so that the end does not depend on how busy the machine is.
    double spent() const { return rig_.settings.seed ? read_ : seconds_had(); }
    bool is_late() const { return rig_.settings.has("deadline") && monotonic_seconds() - started_ > rig_.settings.deadline; }

    // Slow programs too are seen in several processes.
    bool process_had_its_turn() const {
        return rig_.settings.fresh && counts_calls_alone() && sequential_.in_block() >= least_in_process &&
               spent() - spent_before_ > process_share * rig_.settings.seconds;
    }

    // Fewer say nothing of how processes differ.
    bool processes_suffice() const {
        if (!rig_.settings.fresh || !counts_calls_alone()) return true;
        return result_.processes >= least_processes && (sequential_.begins_block() || sequential_.in_block() >= least_in_process);
    }

    bool counts_calls_alone() const { return rig_.settings.has("opening"); }

    // Where time ran out: was it the candidate that took it, outside of its calls?
    std::optional<Ending> too_long() const {
        const double most = opening_share * rig_.settings.deadline;
        if (processes_suffice() || opening_ + pairing_.stopping() <= most) return std::nullopt;
        const char* const doing = opening_ > pairing_.stopping() ? "be opened in three processes" : "stand still after its calls";
        return Ending{Verdict::TIMEOUT, std::string("it takes too long to ") + doing, Json::object()};
    }

    // What the host of a virtual machine took is added at the end, up to twice the time asked for; of what it took in all, the share that
    // fell on timing and not on making sets. (The kernel's page is read here only: on a large machine that takes longer than a call.)
    double seconds_had() const {
        const double stopping = counts_calls_alone() ? pairing_.stopping() : 0;  // as long as a candidate likes
        const double passed = monotonic_seconds() - begun_ - stopping, asked = rig_.settings.seconds;
        if (passed < asked || passed > std::min(most_stretched * asked, rig_.settings.deadline)) return passed;
        return passed - (stolen_seconds() - stolen_) * passed / (monotonic_seconds() - started_);
    }

    std::size_t counted() const {
        const std::vector<bool> calm = sequential_.counted();
        return static_cast<std::size_t>(std::count(calm.begin(), calm.end(), true));
    }

    std::size_t enough() const { return std::max(least_pairs, result_.candidate.size() / least_kept); }

    // A constructor may take its time: it is none of the calls'.
    std::optional<Ending> reopen() {
        used_ = false;
        seen_ = 0;  // nothing is left of the one before, inputs neither (Arena::wipe), so the sets that it has seen are new to this one
        double ignored = 0;
        std::optional<Ending> ending;
        {
            const NotCounted opening(counts_calls_alone() ? begun_ : ignored);
            ending = start_afresh(rig_, problem_, contest_, random_, &opening_);
        }
        spent_before_ = spent();
        return ending;
    }

    std::optional<Ending> pair(const InputSet& set, bool first) {
        const std::uint64_t offset = random_offset(random_);
        const int order = static_cast<int>(random_.below(2));
        std::optional<double> times[2];  // candidate, baseline
        double inside[2] = {std::nan(""), std::nan("")};
        bool fit = true;
        for (int place = 0; place < 2; ++place) {
            const int side = place ^ order;
            std::optional<Ending> ending;
            Subject* const subject = side == 0 ? contest_.candidate.get() : contest_.against.get();
            times[side] = pairing_.time({subject, first, side == 0 ? rig_.settings.planted : 0}, set, offset, ending);
            if (subject) inside[side] = pairing_.inside();
            if (subject && side == 0) recorded_ = subject->recorded(), prepacking_ = pairing_.prepacking();
            witness_[side] = pairing_.witness();
            clocks_.add(side, witness_[side]);
            if (witnessed() && Clocks::says_nothing(witness_[side])) times[side] = std::nullopt;
            if (witnessed() && !Clocks::fit(witness_[side])) {
                fit = false;
                // what is recorded, and read by whoever takes every call (judge/cuda_l1.hpp), is then nobody's claim
                if (times[side]) times[side] = slower(*times[side], witness_[side].value);
            }
            if (witness_[side].value == 0) witness_[side].value = times[side].value_or(0);
            if (ending && side == 1) throw compared_with(*ending);
            if (ending) return ending;
        }
        if (times[0] && times[1]) add({*times[0], *times[1], fit}, inside, order);
        else ++unread_;
        return std::nullopt;
    }

    void add(Pair pair, const double* inside, int order) {
        if (!std::exchange(used_, true)) ++result_.processes;
        read_ += pair.candidate + pair.baseline;
        result_.candidate.push_back(pair.candidate);
        result_.baseline.push_back(pair.baseline);
        result_.order.push_back(order);
        result_.inside.push_back(inside[0]);
        if (contest_.against) result_.baseline_inside.push_back(inside[1]);
        result_.witness.push_back(witness_[0].value);
        result_.recorded.push_back(recorded_);
        result_.prepacking.push_back(prepacking_);
        baseline_witness_.push_back(witness_[1].value);
        sequential_.add(pair);
        known_ = known_ || sequential_.done();
        if (!rig_.code_on_host || !sequential_.was_disturbed()) return;
        ++disturbed_;
        std::this_thread::sleep_for(let_pass);
    }

    // Before anything is said of how busy the machine was: a clock that stands still disturbs every call.
    std::optional<Ending> forged() const {
        if (!witnessed()) return std::nullopt;
        if (auto own = clocks_.forged(0)) return own;
        const auto other = contest_.against ? clocks_.forged(1) : std::nullopt;
        if (other) throw compared_with(*other);
        return std::nullopt;
    }

    bool witnessed() const { return rig_.settings.has("outside-clock"); }
    bool doubtful() const { return witnessed() && clocks_.doubtful(); }

    // A program may move its own clock, and may find a way to end the witness early: no time is below what either of them says.
    static double slower(double own, double witness) { return std::max(own, witness); }

    // Where the two clocks disagree for a reason that may be innocent, the one that nobody can move counts, though it is the coarser.
    void choose_clock() {
        if (clocks_.unwitnessed()) return result_.witness.clear();
        if (!doubtful()) return;
        Sequential witnessed = sequential_.without_pairs();
        for (std::size_t i = 0; i < result_.witness.size(); ++i) {
            result_.candidate[i] = slower(result_.candidate[i], result_.witness[i]);
            result_.baseline[i] = slower(result_.baseline[i], baseline_witness_[i]);
            witnessed.add({result_.candidate[i], result_.baseline[i]});
        }
        sequential_ = std::move(witnessed);
        result_.witness_believed = true;
    }

    // Where a side had one process only, what its times differ by from process to process is no chance that more pairs would tell. (The
    // reference has one in any case.)
    Interval interval() const {
        const Interval d = sequential_.interval();
        const int sides = rig_.settings.fresh ? (contest_.against ? 0 : 1) : 2;
        const double spread = result_.witness_believed ? rig_.witness_spread : rig_.process_spread;
        const double usual = std::min(typical_candidate(result_), typical_baseline(result_));
        const double deviations = student_quantile((1 + rig_.settings.level) / 2, many), between = std::sqrt(sides) * spread / usual;
        const double half = std::hypot((d.upper - d.lower) / 2, deviations * between);
        return {d.estimate, d.estimate - half, d.estimate + half};
    }

    std::optional<Measurement> finish(std::optional<Ending>& ending) {
        if ((ending = forged())) return std::nullopt;
        choose_clock();
        result_.counted = sequential_.counted();
        const std::size_t kept = counted();
        result_.discarded = unread_ + result_.counted.size() - kept;
        if (!contest_.against) problem_.quick_reading = sequential_.quick_baseline();
        if ((ending = too_long())) return std::nullopt;
        if (kept < enough()) {
            problem_.quick_reading = no_reading;  // a machine that has become slower for good is believed the next time
            ending = too_busy();
            return std::nullopt;
        }
        result_.log_speedup = interval();
        return std::move(result_);
    }

    Rig& rig_;
    Problem& problem_;
    Contest& contest_;
    Chance& random_;
    Pairing pairing_;
    Sequential sequential_;
    Measurement result_;
    Clocks clocks_;
    Witness witness_[2];  // of the last call of either side
    std::vector<double> baseline_witness_;
    double recorded_ = 0, prepacking_ = 0;  // of the candidate's last call
    std::size_t seen_ = 0;  // sets, by the candidate's process; set 0 when it was verified or warmed
    std::size_t disturbed_ = 0, unread_ = 0;
    bool used_ = false;   // a pair was read in the present process
    bool known_ = false;  // the interval was narrow enough when it was looked at
    const double started_ = monotonic_seconds(), stolen_ = stolen_seconds();  // when; before it
    double begun_ = started_, read_ = 0;  // when, had making sets taken no time; sum of all readings
    double spent_before_ = 0, opening_ = 0;  // of the time asked for, before the present process; seconds of the candidate's openings
};

}  // namespace

double typical_candidate(const Measurement& m) { return trimmed_mean(select(m.candidate, m.counted), trimmed_share); }
double typical_baseline(const Measurement& m) { return trimmed_mean(select(m.baseline, m.counted), trimmed_share); }
double typical_witness(const Measurement& m) { return m.witness.empty() ? 0 : trimmed_mean(select(m.witness, m.counted), trimmed_share); }

double typical_prepacking(const Measurement& m) { return trimmed_mean(select(m.prepacking, m.counted), trimmed_share); }

double typical_recorded(const Measurement& m) {
    std::vector<double> told = select(m.recorded, m.counted);
    std::erase_if(told, [](double seconds) { return !std::isfinite(seconds); });
    return told.empty() ? 0 : trimmed_mean(told, trimmed_share);
}

std::optional<Ending> start_afresh(Rig& rig, Problem& problem, Contest& contest, Chance& random, double* opening) {
    std::optional<Ending> ending;
    const bool pair = contest.against != nullptr;
    contest.candidate.reset();
    contest.against.reset();
    Pairing pairing(rig, problem, random);
    const InputSet& set = problem.set(0, Variant::declared, 0);
    const bool first = random.below(2);
    for (const bool against : {first, !first}) {
        if (ending || (against && !pair)) continue;
        std::unique_ptr<Subject>& subject = against ? contest.against : contest.candidate;
        const double begun = monotonic_seconds();
        subject = (against ? contest.open_against : contest.open_candidate)(ending);
        if (opening && !against) *opening += monotonic_seconds() - begun;
        if (!ending) ending = pairing.warm(*subject, set, random_offset(random));
    }
    return ending;
}

std::optional<Measurement> measure(Rig& rig, Problem& problem, Contest& contest, Chance& random, std::optional<Ending>& ending) {
    return Course(rig, problem, contest, random).run(ending);
}

}  // namespace hone
