#include "judge/timing/pairing.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include "base/process.hpp"
#include "base/quantity.hpp"
#include "judge/call/prepack.hpp"
#include "judge/call/verify.hpp"
#include "judge/timing/sequential_test.hpp"
#include "judge/timing/timed_run.hpp"

namespace hone {
namespace {

constexpr std::size_t sampled_positions = 32;
constexpr std::uint64_t whole_every = 8;  // on average, where not every call is compared whole
constexpr int empty_calls = 32;
constexpr int zero_tries = 3;

Positions random_positions(const Layout& layout, Chance& random) {
    Positions positions;
    for (const TensorSpec& output : layout.outputs()) {
        std::vector<std::int64_t>& list = positions.emplace_back();
        const auto n = static_cast<std::uint64_t>(output.elements());
        for (std::size_t k = 0; k < std::min<std::size_t>(sampled_positions, n); ++k)
            list.push_back(static_cast<std::int64_t>(random.below(n)));
    }
    return positions;
}

bool same_bits(const Samples& a, const Samples& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof(double)) != 0) return false;
    return true;
}

CandidateFailure wrote_late(const InputSet& set) {
    return failed_at({Verdict::REWARD_HACK, "it goes on writing after it has said that it is finished", Json::object()},
                     set, "writes late");
}

}  // namespace

Pairing::Pairing(BenchContext& context, PreparedTask& prepared, Chance& random)
    : context_(context),
      prepared_(prepared),
      random_(random),
      limit_(call_limit(context, prepared)),
      inside_(std::nan("")) {}

// Each call of the run has tensors of its own. Where inputs come late, what is to come can be seen nowhere: all begin
// with those of the first call, or with constants alone. (The reference may be called once before, with inputs.)
std::optional<CandidateFailure> Pairing::place(Subject* subject, const Sets& sets, bool late, std::uint64_t offset,
                                               double& limit) {
    if (subject && subject->prepacks() && sets.size() > 1)
        return CandidateFailure{Verdict::INFRASTRUCTURE,
                                context_.timer.name() +
                                    ": its runs are of several calls, and a program that prepacks "
                                    "is ready for one at a time",
                                Json::object()};
    const std::uint64_t salt = random_.bits();
    const Inputs which = late && context_.host_code ? Inputs::constants : Inputs::all;
    std::optional<CandidateFailure> failure;
    for (std::size_t i = 0; i < sets.size() && !failure; ++i) {
        Layout& layout = prepared_.call_layout(i);
        const InputSet& set = *sets[late ? 0 : i];
        if (subject)
            failure = make_ready(context_, layout, *subject, set, {offset, salt, false, which}, limit, &prepacking_);
        else context_.setup.prepare(layout, set, offset, salt);
    }
    return failure;
}

std::optional<double> Pairing::time(const TimedSide& side, const Sets& sets, std::uint64_t offset,
                                    std::optional<CandidateFailure>& failure) {
    context_.still_alive();
    Subject* const subject = side.subject;
    double limit = call_limit(context_, prepared_, sets[0]->variant);
    run_value_ = run_seconds_ = 0;
    const bool late = gives_late(sets);
    if (!subject && context_.apart() && zeroed_.insert(prepared_.baseline_form()).second) take_zero(false);
    if ((failure = place(subject, sets, late, offset, limit))) return std::nullopt;
    const hone_call& first = prepared_.layout(0).call();
    if (subject && sets.size() == 1) subject->prepare(first);
    if (!subject && prepared_.baseline().offers_null_call()) warm_reference(first);
    const bool hold = subject && context_.settings.has("hold");
    const std::unique_ptr<TimedRun> timed = run_of(subject, sets, limit, side.planted, late);
    TimedRun& run = *timed;
    if (side.watched) run.watch(waits_);
    const std::optional<hone_sample> sample = read(run, hold ? subject : nullptr);
    waited_ = run.waited();
    seen_ = run.seen();
    looked_ = run.looked();
    const auto calls = static_cast<double>(sets.size());
    if (subject) inside_ = run.inside() / calls;
    if (run.failure()) {
        failure = call_failed(*run.failure(), *sets[0], context_.setup.reveals());
        context_.setup.reveal(*failure, prepared_.layout(0), *sets[0]);
    }
    if (!sample || failure) return std::nullopt;
    independent_ = {sample->independent / calls, (sample->independent - sample->value) / calls,
                    sample->tolerance / calls};
    run_value_ = sample->discard ? 0 : sample->value;
    run_seconds_ = run.seconds();
    if (subject) failure = look(*subject, hold, sets, side.whole);
    else hold_empty();
    const double value = context_.settings.has("outside-clock") || !std::isfinite(run.inside())
                             ? (sample->value > 0 ? sample->value : sample->independent)
                             : run.inside();
    if (failure) return std::nullopt;
    // Such a program can keep the device busy before its call, and leave out what an empty call takes: neither lets it
    // choose which of its readings count. Below what processes differ by a reading says nothing.
    if (subject && context_.apart() && context_.candidate_spread > 0)
        return std::max(value / calls, context_.candidate_spread);
    if (sample->discard || !(value > 0)) return std::nullopt;
    return value / calls;
}

// Of a run of several calls each but the first gets its inputs when it is launched, and then the outputs of the call
// before are looked at: a program that computes ahead has nothing to compute with, and one that leaves its work to a
// later call has not written it. Where host code commands the device, work may wait there for the inputs of the first
// call as well. The reference's runs are the same, so that both sides pay for it.
bool Pairing::gives_late(const Sets& sets) const {
    return (sets.size() > 1 || context_.host_code) && context_.settings.has("late-inputs");
}

std::vector<Positions> Pairing::draw_positions(std::size_t calls) {
    std::vector<Positions> positions;
    for (std::size_t i = 0; i < calls; ++i) positions.push_back(random_positions(prepared_.call_layout(i), random_));
    return positions;
}

// A process with host code is awake then: the inputs come within its time, whoever sees them come.
void Pairing::put_late(TimedRun& run, const Sets& sets) {
    if (context_.host_code) run.put_late({sets, positions_, false, Inputs::data}, context_.setup);
    else run.put_late({sets, positions_, context_.settings.has("hold"), Inputs::all}, context_.setup);
}

// subject null: the reference.
std::unique_ptr<TimedRun> Pairing::run_of(Subject* subject, const Sets& sets, double limit, double planted, bool late) {
    auto run =
        std::make_unique<TimedRun>(prepared_, subject, context_.empty_in_window(),
                                   TimedRun::Limits{limit, run_limit(context_, prepared_, sets[0]->variant)}, planted);
    if (late || context_.host_code) positions_ = draw_positions(sets.size());
    if (late) put_late(*run, sets);
    if (!context_.host_code) return run;
    if (context_.settings.has("last-look")) run->put_look(positions_, context_.setup);
    if (context_.apart()) run->set_zero_apart();
    if (!subject) return run;
    answer_null_calls(*run);
    if (!context_.apart()) context_.empty->prepare(prepared_.layout(0).call());
    return run;
}

void Pairing::answer_null_calls(TimedRun& run) {
    if (!context_.empty) throw PartBroken(context_.verifier.id() + " says \"host_code\" and names no empty program");
    run.answer_null_calls(*context_.empty, context_.apart());
}

void Pairing::take_zeros() {
    zeroed_ = {prepared_.baseline_form()};
    for (const bool of_candidates : {false, true})
        if (of_candidates || prepared_.reference_on_device()) take_zero(of_candidates);
}

// A zero that is lost again and again is no fault of the task's.
void Pairing::take_zero(bool of_candidates) {
    for (int left = zero_tries;;) try {
            return try_zero(of_candidates);
        } catch (const ReadingLost& lost) {
            if (--left == 0) throw ItemFailed(lost.what());
        }
}

void Pairing::try_zero(bool of_candidates) {
    const Sets sets(prepared_.calls(), &prepared_.set(0, Variant::declared, 0));
    const bool late = gives_late(sets);
    double limit = limit_;
    place(nullptr, sets, late, random_offset(random_), limit);
    const std::unique_ptr<TimedRun> run = run_of(nullptr, sets, limit, 0, late);
    if (of_candidates) answer_null_calls(*run), context_.empty->prepare(prepared_.layout(0).call());
    run->take_zero(context_.timer);
}

// held: a subject that stands still until it is read. Nothing: the timer has lost this reading, and said why.
std::optional<hone_sample> Pairing::read(TimedRun& run, Subject* held) {
    independent_ = {};
    try {
        for (std::size_t i = 0; i < run.calls(); ++i) context_.timer.flush(prepared_.call_layout(i).call());
        if (held) held->suspend(false);
        hone_sample sample = run.read(context_.timer);
        if (sample.value == 0 && sample.independent == 0 && !run.failure() && !sample.discard) {
            context_.lost_reading = context_.timer.name() + ": time: gave 0: less than its resolution of " +
                                    engineering(context_.timer.resolution(), context_.timer.unit());
            sample.discard = 1;
        }
        return sample;
    } catch (const ReadingLost& lost) {
        context_.lost_reading = lost.what();
        run.end();
        if (held) stop(*held, true);
        else hold_empty();
        return std::nullopt;
    }
}

std::optional<CandidateFailure> Pairing::warm(Subject& subject, const InputSet& set, std::uint64_t offset) {
    double limit = limit_;
    Layout& layout = prepared_.layout(0);
    if (auto failure = make_ready(context_, layout, subject, set, {offset, random_.bits()}, limit)) return failure;
    if (auto failure = run_call(context_, subject, layout.call(), limit))
        return call_failed(*std::move(failure), set, false);
    return context_.setup.inspect(layout, set, "in a fresh process", false);
}

std::vector<double> Pairing::time_empty_calls(bool with_inputs) {
    std::vector<double> readings, seconds;
    if (!context_.empty) return readings;
    const Sets sets = prepared_.usual_sets(0);
    const auto calls = static_cast<double>(sets.size());
    double limit = limit_;
    for (int i = 0; i < empty_calls; ++i) {
        context_.still_alive();
        const bool late = with_inputs && gives_late(sets);
        place(nullptr, sets, late, random_offset(random_), limit);
        TimedRun run(prepared_, context_.empty.get(), nullptr, {limit_, run_limit(context_, prepared_)}, 0);
        if (late) positions_ = draw_positions(sets.size()), put_late(run, sets);
        const std::optional<hone_sample> sample = read(run, nullptr);
        if (run.failure()) throw PartBroken("the empty program failed: " + run.failure()->reason);
        if (sample && sample->value > 0)
            readings.push_back(sample->value / calls), seconds.push_back(run.seconds() / calls);
        hold_empty();
    }
    if (!seconds.empty()) empty_seconds_ = undisturbed_reading(std::move(seconds));
    return readings;
}

// As a candidate is before each of its calls: the hand-over to both costs the same then.
void Pairing::hold_empty() {
    if (!context_.empty_in_window() || !context_.settings.has("hold")) return;
    context_.empty->suspend(true);
    context_.empty->suspend(false);
}

// A candidate's code runs on its device alone; a reference is also a library in this process, whose caches the making
// of truths has taken over.
void Pairing::warm_reference(const hone_call& call) {
    prepared_.baseline().launch(call);
    prepared_.baseline().wait();
}

// The first look is taken at once, while a cheat that finishes late has no time yet; the second once the candidate
// cannot run. Where they look is drawn now: nobody knew while the call ran.
std::optional<CandidateFailure> Pairing::look(Subject& subject, bool hold, const Sets& sets, bool whole) {
    const bool looked = !looked_.empty(), early = looked || context_.settings.has("early-sample");
    const std::vector<Positions> positions = looked ? positions_ : draw_positions(sets.size());
    std::vector<Samples> before = looked_;
    if (early && !looked) before = sample(positions);
    stop(subject, hold);
    for (std::size_t i = 0; hold && i < sets.size(); ++i)
        if (auto failure = subject.check(prepared_.call_layout(i).call()))
            return call_failed(*std::move(failure), *sets[i], false);
    if (!context_.settings.has("timed-check")) return std::nullopt;
    if (auto failure = look_at_earlier(sets)) return failure;
    const std::vector<Samples> after = sample(positions);
    for (std::size_t i = 0; i < sets.size(); ++i) {
        const InputSet& set = *sets[i];
        if (early && !same_bits(before[i], after[i])) return wrote_late(set);
        if (!whole && !must_look_whole(set, positions[i], after[i])) continue;
        if (auto failure = context_.setup.inspect(prepared_.call_layout(i), set, "in a timed call", false))
            return failure;
    }
    return std::nullopt;
}

// What a call of the run had written when the next one came.
std::optional<CandidateFailure> Pairing::look_at_earlier(const Sets& sets) const {
    for (std::size_t i = 0; i < seen_.size(); ++i)
        if (!seen_[i].empty() && !same_bits(seen_[i], context_.setup.sample(prepared_.call_layout(i), positions_[i])))
            return wrote_late(*sets[i]);
    return std::nullopt;
}

std::vector<Samples> Pairing::sample(const std::vector<Positions>& positions) {
    std::vector<Samples> samples;
    for (std::size_t i = 0; i < positions.size(); ++i)
        samples.push_back(context_.setup.sample(prepared_.call_layout(i), positions[i]));
    return samples;
}

// Every call is; with that defence off those that are wrong where they were looked at, and some more.
bool Pairing::must_look_whole(const InputSet& set, const Positions& positions, const Samples& samples) {
    return context_.settings.has("whole-check") || !set.agrees(positions, samples) || random_.below(whole_every) == 0;
}

void Pairing::stop(Subject& subject, bool hold) {
    if (!hold) return;
    const double begun = monotonic_seconds();
    subject.suspend(true);
    stopping_ += monotonic_seconds() - begun;
}

}  // namespace hone
