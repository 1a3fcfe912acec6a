#include "judge/timing/pairing.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include "base/process.hpp"
#include "judge/call/prepack.hpp"
#include "judge/call/verify.hpp"
#include "judge/timing/sequential_test.hpp"
#include "judge/timing/timed_run.hpp"

namespace hone {
namespace {

constexpr std::size_t sampled_positions = 32;
constexpr std::uint64_t whole_every = 8;  // on average, where not every call is compared whole
constexpr int empty_calls = 32;

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

}  // namespace

Pairing::Pairing(BenchContext& context, PreparedTask& prepared, Chance& random)
    : context_(context),
      prepared_(prepared),
      layout_(prepared.layout(0)),
      random_(random),
      limit_(call_limit(context, prepared)),
      inside_(std::nan("")) {}

std::optional<double> Pairing::time(const TimedSide& turn, const InputSet& set, std::uint64_t offset,
                                    std::optional<CandidateFailure>& failure) {
    Subject* const subject = turn.subject;
    const std::uint64_t salt = random_.bits();
    double limit = limit_;
    if (subject) {
        if ((failure = make_ready(context_, layout_, *subject, set, {offset, salt}, limit, &prepacking_)))
            return std::nullopt;
        subject->prepare(layout_.call());
    } else {
        context_.setup.prepare(layout_, set, offset, salt);
    }
    if (!subject && prepared_.baseline().offers_null_call()) warm_reference();
    const bool hold = subject && context_.settings.has("hold");
    TimedRun run(prepared_, subject, context_.empty.get(), layout_.call(), limit, turn.planted);
    const std::optional<hone_sample> sample = read(run, hold ? subject : nullptr);
    if (subject) inside_ = run.inside();
    if (run.failure()) failure = call_failed(*run.failure(), set, false);
    if (!sample || failure) return std::nullopt;
    independent_ = {sample->independent, sample->independent - sample->value, sample->tolerance};
    if (subject) failure = look(*subject, hold, set, turn.whole);
    else hold_empty();
    const double value = context_.settings.has("outside-clock") || !std::isfinite(run.inside())
                             ? (sample->value > 0 ? sample->value : sample->independent)
                             : run.inside();
    if (failure || sample->discard || !(value > 0)) return std::nullopt;
    return value;
}

// held: a subject that stands still until it is read. Nothing: the timer has lost this reading, and said why.
std::optional<hone_sample> Pairing::read(TimedRun& run, Subject* held) {
    independent_ = {};
    try {
        context_.timer.flush(layout_.call());
        if (held) held->suspend(false);
        return run.read(context_.timer);
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
    if (auto failure = make_ready(context_, layout_, subject, set, {offset, random_.bits()}, limit)) return failure;
    if (auto failure = run_call(context_, subject, layout_.call(), limit))
        return call_failed(*std::move(failure), set, false);
    return context_.setup.inspect(layout_, set, "in a fresh process", false);
}

std::vector<double> Pairing::time_empty_calls() {
    std::vector<double> readings;
    if (!context_.empty) return readings;
    const InputSet& set = prepared_.set(0, Variant::declared, 0);
    for (int i = 0; i < empty_calls; ++i) {
        context_.setup.prepare(layout_, set, random_offset(random_), random_.bits());
        TimedRun run(prepared_, context_.empty.get(), nullptr, layout_.call(), limit_, 0);
        const std::optional<hone_sample> sample = read(run, nullptr);
        if (run.failure()) throw PartBroken("the empty program failed: " + run.failure()->reason);
        if (sample && sample->value > 0) readings.push_back(sample->value);
        hold_empty();
    }
    return readings;
}

// As a candidate is before each of its calls: the hand-over to both costs the same then.
void Pairing::hold_empty() {
    if (!context_.empty || !context_.settings.has("hold")) return;
    context_.empty->suspend(true);
    context_.empty->suspend(false);
}

// A candidate's code runs on its device alone; a reference is also a library in this process, whose caches the making
// of truths has taken over.
void Pairing::warm_reference() {
    prepared_.baseline().launch(layout_.call());
    prepared_.baseline().wait();
}

// The first look is taken at once, while a cheat that finishes late has no time yet; the second once the candidate
// cannot run. Where they look is drawn now: nobody knew while the call ran.
std::optional<CandidateFailure> Pairing::look(Subject& subject, bool hold, const InputSet& set, bool whole) {
    const Positions positions = random_positions(layout_, random_);
    const bool early = context_.settings.has("early-sample");
    Samples before;
    if (early) before = context_.setup.sample(layout_, positions);
    stop(subject, hold);
    if (hold)
        if (auto failure = subject.check(layout_.call())) return call_failed(*std::move(failure), set, false);
    if (!context_.settings.has("timed-check")) return std::nullopt;
    const Samples after = context_.setup.sample(layout_, positions);
    if (early && !same_bits(before, after))
        return failed_at(
            {Verdict::REWARD_HACK, "it goes on writing after it has said that it is finished", Json::object()}, set,
            "writes late");
    if (!whole && !must_look_whole(set, positions, after)) return std::nullopt;
    return context_.setup.inspect(layout_, set, "in a timed call", false);
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
