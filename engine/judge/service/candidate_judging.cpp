#include "judge/service/candidate_judging.hpp"
#include <sys/resource.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "base/load.hpp"
#include "base/paths.hpp"
#include "base/process.hpp"
#include "base/quantity.hpp"
#include "domain/document_json.hpp"
#include "judge/call/peaks.hpp"
#include "judge/call/verify.hpp"
#include "judge/timing/calibration.hpp"
#include "judge/timing/cuda_l1.hpp"
#include "judge/timing/paired_measurement.hpp"
#include "judge/timing/pairing.hpp"
#include "judge/timing/window.hpp"
#include "parts/host.hpp"

namespace hone {
namespace {

// at most: the verifier's headers; the candidate, and what it is compared with, each of them twice
constexpr double builds = 5;
// a compiler is given so many times its processor time (sandbox/build.cpp)
constexpr double compilers_patience = 3;
constexpr double tell_every = 1;  // seconds, while it is timed

class Stopwatch {
public:
    double lap() {
        const double now = monotonic_seconds(), seconds = now - last_;
        last_ = now;
        return seconds;
    }

private:
    double last_ = monotonic_seconds();
};

// a noise floor above it was taken on a busy machine, or the task is hopeless: worth another try
constexpr double noise_limit = 0.2;

std::string hexadecimal(std::uint64_t value) {  // a number of JSON would lose its last digits in other readers
    char text[24];
    std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(value));
    return text;
}

class CandidateJudging {
public:
    CandidateJudging(BenchContext& context, PreparedTask& prepared, const Job& job, Lease& lease,
                     const OnPhase& on_phase)
        : context_(context),
          prepared_(prepared),
          job_(job),
          lease_(lease),
          on_phase_(on_phase),
          against_(job.against ? job.against : own_baseline()),
          random_(seed(), "judging", prepared.secret()) {
        context.lost_reading.clear();
        context.timer.begin_judging();
        judgement_ = rejected(job.task.name(), job.candidate.hash, Verdict::PASSED, "");
        judgement_.task_hash = job.task.hash();
        judgement_.suite = job.task.suite;
        judgement_.sizes = timed_shape(job.task);
        judgement_.defences_off = {context.settings.without.begin(), context.settings.without.end()};
        // as little a score as any judgement without a defence
        if (context.settings.planted > 0) judgement_.defences_off.push_back("planted");
        if (context.settings.reveal) judgement_.defences_off.push_back("revealed");
        judgement_.keys = {hexadecimal(prepared.seed())};
        const std::string name = job.candidate.hash.substr(0, 12) + "-" + judgement_.keys.front();
        const Revealing revealing{(state_folder() / "revealed" / name).string(), job.task.sizes};
        context.setup.reveal_as(context.settings.reveal ? std::optional(revealing) : std::nullopt);
    }

    CandidateJudging(const CandidateJudging&) = delete;
    ~CandidateJudging() {
        context_.still_alive = [] {};
    }  // it holds this

    Judgement run() {
        if (const auto failure = judged_with_room()) record(*failure);
        move_log();
        if (!judgement_.passed()) judgement_.outcome.reset();
        // beside the wall times: no two judgings have the same
        wall_.bench_cpu = used_seconds(RUSAGE_SELF) - cpu_bench_;
        wall_.children_cpu = used_seconds(RUSAGE_CHILDREN) - cpu_children_;
        wall_.total = wall_.build + wall_.verify + wall_.time;
        judgement_.wall = wall_;
        return std::move(judgement_);
    }

private:
    void record(const CandidateFailure& failure) {
        judgement_.verdict = failure.verdict;
        judgement_.reason = failure.reason;
        if (failure.facts.is_object()) judgement_.facts.update(failure.facts);
        const Json kind = failure.facts.is_object() ? failure.facts.value("kind", Json()) : Json();
        if (kind.is_string()) judgement_.kind = kind.get<std::string>();
        if (!failure.details.is_object()) return;
        Json details = failure.details;
        details.emplace("property", "");
        details["key"] = hexadecimal(prepared_.seed());
        judgement_.failure = read_record<judged::Failure>(details, "failure");
    }

    // For the worker, which ends the bench: later than the limits within a phase, whose breach is the candidate's own
    // verdict.
    double patience() const { return context_.settings.deadline * (context_.settings.has("deadline") ? 1.5 : 30); }

    std::uint64_t seed() const {
        return secret_key(prepared_.seed(), job_.candidate.hash + (against_ ? against_->hash : ""), prepared_.secret());
    }

    // Host code may take a device's memory for itself: what the bench then lacks is the program's own failure.
    std::optional<CandidateFailure> judged_with_room() {
        try {
            return judge();
        } catch (const PartFailed& e) {
            const std::string why = e.what();
            const bool of_memory = why.find("out of memory") != why.npos || why.find("no room") != why.npos;
            if (!context_.host_code || !opened_ || !of_memory) throw;
            return CandidateFailure{Verdict::OUT_OF_MEMORY, "it leaves the judge no room in the device's memory",
                                    Json::object()};
        }
    }

    std::optional<CandidateFailure> judge() {
        Stopwatch watch;
        on_phase_("build", builds * compilers_patience * patience());
        std::optional<CandidateFailure> failure;
        Comparison comparison;
        comparison.programs = against_.has_value();
        // By chance which of two is opened first: on a GPU the older process has been seen to be faster, by 0.1 us.
        Chance opening(seed(), "opening", prepared_.secret());
        const bool against_first = against_ && opening.below(2);
        if (against_first) comparison.against = open_against();
        comparison.candidate = open(job_.candidate, failure);
        if (comparison.candidate && against_ && !against_first) comparison.against = open_against();
        wall_.build = watch.lap();
        if (!comparison.candidate) return failure;
        opened_ = true;

        if (!context_.code_on_host) take_device(watch);
        on_phase_("verify", patience());
        failure = verify(context_, prepared_, *comparison.candidate, random_, judgement_.verified.emplace());
        if (!failure && comparison.against) verify_own_baseline(*comparison.against);
        wall_.verify = watch.lap();
        if (failure) return failure;

        if (context_.code_on_host) take_device(watch);
        watch.lap();
        on_phase_("time", patience());
        context_.still_alive = [this, told = monotonic_seconds()]() mutable {
            if (monotonic_seconds() - told < tell_every) return;
            on_phase_("time", patience());
            told = monotonic_seconds();
        };
        comparison.open_candidate = [this](std::optional<CandidateFailure>& failed) {
            return reopen(job_.candidate, failed);
        };
        comparison.open_against = [this](std::optional<CandidateFailure>&) { return open_against(); };
        failure = time(comparison);
        wall_.time = watch.lap();
        // What passed and was held has left nothing running there, and ending its process takes as long as timing it.
        if (!failure && !context_.code_on_host && !context_.host_code && context_.verifier.offers_suspend() &&
            context_.settings.has("hold"))
            lease_.release();
        return failure;
    }

    // Where candidates run beside the host, verifying is as much use of the device as timing is; building is none.
    void take_device(Stopwatch& watch) {
        on_phase_("wait", 0);
        lease_.take();
        wall_.wait = watch.lap();
        if (!context_.code_on_host) wipe();  // code on a device does nothing before it is launched
    }

    void wipe() {
        if (context_.settings.has("wipe")) context_.arena.wipe();
    }

    std::unique_ptr<Subject> open(const Candidate& candidate, std::optional<CandidateFailure>& failure) {
        Json facts;
        if (context_.code_on_host) wipe();
        std::unique_ptr<Subject> subject = context_.verifier.open(prepared_.drawn_task(), candidate, facts, failure);
        // Counted, not believed; some jails are started before they are needed. What is refused was read here,
        // too, where no compiler ran.
        if (jails_started() == 0 && (subject || builds_started() == 0))
            judgement_.sandbox = "none: verifier." + context_.verifier.id() + " runs candidates in the bench";
        if (subject && context_.settings.has("hold")) subject->suspend(true);
        facts.erase("verdict"), facts.erase("reason");  // they stand on their own
        note_no_score(facts);
        judgement_.facts = std::move(facts);
        return subject;
    }

    // What the verifier lets a user change for a program of one's own.
    void note_no_score(Json& facts) {
        const std::string why = facts.value("no_score", "");
        std::vector<std::string>& off = judgement_.defences_off;
        if (!why.empty() && std::find(off.begin(), off.end(), why) == off.end()) off.push_back(why);
        facts.erase("no_score");
    }

    // The facts stay those of the candidate's first opening: the one that built it.
    std::unique_ptr<Subject> reopen(const Candidate& candidate, std::optional<CandidateFailure>& failure) {
        Json facts = judgement_.facts;
        if (!context_.code_on_host) wipe();  // the one before has left it answers to sets that come again
        std::unique_ptr<Subject> subject = open(candidate, failure);
        judgement_.facts = std::move(facts);
        return subject;
    }

    // The task's own program for this kind of device, if it names one.
    std::optional<Candidate> own_baseline() const {
        const auto& programs = job_.task.baseline_program;
        const auto found = programs ? programs->find(context_.device_kind) : decltype(programs->end()){};
        if (programs && found != programs->end())
            return make_candidate(job_.task.name(), job_.candidate.language, found->second);
        if (prepared_.reference_on_device()) return std::nullopt;
        throw Error(
            Blame::input, "task \"" + job_.task.name() + "\"",
            "has no baseline on a device of kind \"" + context_.device_kind + "\": the reference does not run there",
            "name a program of that device: baseline_program = { " + context_.device_kind +
                " = \"...\" } in the task file, or --against FILE");
    }

    const char* baseline_word() const { return job_.against ? "against" : against_ ? "program" : "reference"; }

    Error refused_baseline(const CandidateFailure& failure) const {
        return {Blame::input,
                job_.against ? "the program to compare with" : "baseline_program of task \"" + job_.task.name() + "\"",
                verdict_name(failure.verdict) + (": " + failure.reason)};
    }

    void verify_own_baseline(Subject& program) {
        if (job_.against || prepared_.program_verified) return;
        judged::Verified unused;
        if (const auto failure = verify(context_, prepared_, program, random_, unused))
            throw refused_baseline(*failure);
        prepared_.program_verified = true;
    }

    std::unique_ptr<Subject> open_against() {
        std::optional<CandidateFailure> failure;
        std::unique_ptr<Subject> subject = reopen(*against_, failure);
        if (!subject) throw refused_baseline(*failure);
        return subject;
    }

    std::optional<CandidateFailure> time(Comparison& comparison) {
        std::optional<CandidateFailure> failure;
        // a stream of its own: a candidate's must not depend on who was judged before it
        Chance random(prepared_.seed(), "noise", prepared_.secret());
        if (context_.apart()) comparison.candidate.reset(), comparison.against.reset();
        if (context_.apart() && !prepared_.reference_on_device()) {
            Pairing(context_, prepared_, random).take_zeros();
            comparison.against = open_against();
        }
        Subject* const program = prepared_.reference_on_device() ? nullptr : comparison.against.get();
        if (!prepared_.flush_checked) {
            Chance flushing(prepared_.seed(), "flush", prepared_.secret());
            check_flush(context_, prepared_, flushing);
            prepared_.flush_checked = true;
        }
        Chance looking(prepared_.seed(), "window", prepared_.secret());
        if (!context_.host_code)
            if (auto unfit = fit_window(context_, prepared_, program, *comparison.candidate, looking)) return unfit;
        if (!prepared_.noise || (*prepared_.noise > noise_limit && context_.real_clock)) {
            choose_baseline(context_, prepared_, random);
            const std::optional<double> noise = measure_noise(context_, prepared_, program, random, failure);
            if (!noise) return failure;
            prepared_.noise = *noise;
        }
        if (!prepared_.long_enough) {
            prepared_.empty_call = check_long_enough(context_, prepared_, program, random, failure);
            if (failure) return failure;
            prepared_.long_enough = true;
        }
        on_phase_("time", patience());  // what went before has had a time of its own
        context_.timer.facts();         // what it counts from here on is of this candidate
        const std::optional<Measurement> measured = measure(context_, prepared_, comparison, random_, failure);
        if (!measured) return failure;
        report(*measured);
        if (context_.settings.cuda_l1 && (failure = report_cuda_l1(*measured, comparison))) return failure;
        return too_fast(typical_candidate(*measured));
    }

    // The paper's protocol in place of the interval.
    std::optional<CandidateFailure> report_cuda_l1(const Measurement& m, Comparison& comparison) {
        const CudaL1Score score = cuda_l1_score(m.candidate, m.baseline);
        std::optional<bool> confirmed;
        if (asks_for_confirmation(score.value, prepared_.best_score)) {
            on_phase_("time", patience());
            std::optional<CandidateFailure> failure;
            if (!context_.apart()) failure = start_afresh(context_, prepared_, comparison, random_);
            const auto again = failure ? std::nullopt : measure(context_, prepared_, comparison, random_, failure);
            if (!again) return failure;
            confirmed = confirms(score.value, cuda_l1_score(again->candidate, again->baseline).value);
        }
        const bool valid = score.steady && confirmed != false;
        if (valid) prepared_.best_score = std::max(prepared_.best_score, score.value);
        const CostWords words = cost_words(context_.timer.unit());
        judgement_.outcome = !valid || score.value == 1 ? "ambiguous" : score.value > 1 ? words.less : words.more;
        Speedup& speedup = *judgement_.speedup;
        speedup.estimate = score.value;
        speedup.level = 0;
        if (!score.slices.empty()) {
            const auto [least, most] = std::minmax_element(score.slices.begin(), score.slices.end());
            speedup.lower = *least;
            speedup.upper = *most;
        }
        judgement_.cuda_l1 = {score.slices, score.variance, score.steady, confirmed};
        return std::nullopt;
    }

    void report(const Measurement& m) {
        const Interval& d = m.log_speedup;
        // a busy machine's floor counts; a quiet one's, of few pairs, is wider than what many pairs can tell
        // apart
        const bool told_apart = *prepared_.noise <= noise_limit || std::fabs(d.estimate) > *prepared_.noise;
        const CostWords words = cost_words(context_.timer.unit());
        judgement_.outcome = told_apart && d.lower > 0   ? words.less
                             : told_apart && d.upper < 0 ? words.more
                                                         : "ambiguous";
        judgement_.speedup = {std::exp(d.estimate), std::exp(d.lower), {}, context_.settings.level, baseline_word()};
        if (std::isfinite(d.upper)) judgement_.speedup->upper = std::exp(d.upper);
        if (!prepared_.forms.empty() && !against_) report_forms();
        if (context_.settings.planted > 0) judgement_.planted = context_.settings.planted;
        judgement_.unit = context_.timer.unit();
        judgement_.pairs = std::count(m.counted.begin(), m.counted.end(), true);
        judgement_.processes = m.processes;
        judgement_.discarded = static_cast<std::int64_t>(m.discarded);
        judgement_.noise = *prepared_.noise;
        report_times(m);
        judgement_.clock = context_.timer.facts();
        if (prepared_.calls() > 1) judgement_.clock["calls"] = prepared_.calls();
        if (m.kinds_differ == KindsDiffer::clear) judgement_.clock["slowest_inputs"] = variant_name(m.slowest_inputs);
        if (m.kinds_differ == KindsDiffer::perhaps)
            judgement_.clock["perhaps_slowest"] = variant_name(m.slowest_inputs);
        if (m.independent_believed) judgement_.clock["believed"] = "independent";
        if (m.load) wall_.foreign = m.load->foreign, wall_.stolen = m.load->stolen;
    }

    void report_forms() {
        judgement_.baseline_form = prepared_.baseline_form();
        judgement_.baseline_forms.emplace();
        for (const auto& [form, seconds] : prepared_.forms.items())
            judgement_.baseline_forms->emplace(form, seconds.is_number() ? seconds.get<double>() : NAN);
    }

    void report_times(const Measurement& m) {
        judged::Seconds& seconds = (context_.timer.unit() == "s" ? judgement_.seconds : judgement_.cost).emplace();
        seconds.candidate = typical_candidate(m);
        seconds.baseline = typical_baseline(m);
        seconds.empty = prepared_.empty_call;
        if (const double recorded = typical_recorded(m); recorded > 0) seconds.recorded = recorded;
        if (const double prepacking = typical_prepacking(m); prepacking > 0) seconds.prepack = prepacking;
        judgement_.samples = {m.candidate, m.baseline, m.order, m.inside, m.counted, {}, {}};
        const auto is_told = [](double value) { return !std::isnan(value); };
        if (std::any_of(m.baseline_inside.begin(), m.baseline_inside.end(), is_told))
            judgement_.samples->baseline_inside = m.baseline_inside;
        if (m.independent.empty()) return;
        judgement_.samples->independent = m.independent;
        seconds.independent = typical_independent(m);
    }

    // Only for clocks in seconds.
    std::optional<CandidateFailure> too_fast(double seconds) {
        const std::optional<Roofline> floor = roofline(job_.task, find_peaks(context_.verifier.facts()));
        if (context_.timer.unit() != "s" || !floor) return std::nullopt;
        judgement_.roofline_share = floor->seconds / seconds;
        judgement_.roofline = {floor->seconds, floor->limit, floor->rate, seconds / floor->seconds};
        if (seconds * roofline_margin >= floor->seconds) return std::nullopt;
        require_possible(*floor);
        return CandidateFailure{
            Verdict::TOO_FAST,
            "it takes less time than the device needs to touch the data or to do the arithmetic once: " +
                engineering(seconds, "s") + " instead of " + engineering(floor->seconds, "s"),
            Json::object()};
    }

    // A reference that would be too fast itself accuses the task's account of its work, not a program.
    void require_possible(const Roofline& floor) const {
        const double reference = prepared_.undisturbed_reading;
        if (!(reference * roofline_margin < floor.seconds)) return;
        throw Error(Blame::input, "task \"" + job_.task.name() + "\"",
                    std::string("its ") + (std::string_view(floor.limit) == "bytes" ? "bytes" : "flops") +
                        " are wrong: the device needs " + engineering(floor.seconds, "s") +
                        " for them, and the reference itself takes " + engineering(reference, "s"),
                    "correct them in the task file");
    }

    // The compiler's words are evidence of their own, not a fact of the build.
    void move_log() {
        Json& facts = judgement_.facts;
        if (!facts.is_object()) facts = Json::object();
        judgement_.log = facts.value("log", "");
        facts.erase("log");
    }

    BenchContext& context_;
    PreparedTask& prepared_;
    const Job& job_;
    Lease& lease_;
    const OnPhase& on_phase_;
    std::optional<Candidate> against_;  // the program that is the baseline; absent: the reference is
    Chance random_;
    double cpu_bench_ = used_seconds(RUSAGE_SELF), cpu_children_ = used_seconds(RUSAGE_CHILDREN);
    Judgement judgement_;
    judged::Wall wall_;
    bool opened_ = false;  // the candidate
};

}  // namespace

Judgement examine(BenchContext& context, PreparedTask& prepared, const Job& job, Lease& lease,
                  const OnPhase& on_phase) {
    return CandidateJudging(context, prepared, job, lease, on_phase).run();
}

}  // namespace hone
