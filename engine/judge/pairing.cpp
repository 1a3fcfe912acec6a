#include "judge/pairing.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include "base/process.hpp"
#include "base/stats.hpp"
#include "judge/measure.hpp"
#include "judge/prepack.hpp"
#include "judge/verify.hpp"

namespace hone {
namespace {

constexpr std::size_t sampled_positions = 32;
constexpr std::uint64_t whole_every = 8;       // on average, where not every call is compared whole
constexpr int empty_calls = 32;
constexpr std::uint64_t graph_way = ~std::uint64_t{0};  // of the reference as a graph; its eager form's is 0

// One side's call as a timer sees it: hone_run. What goes wrong inside is kept, because exceptions do not cross the boundary.
class Window {
public:
    // planted: share of its own time by which the call of a subject is prolonged.
    Window(Problem& problem, Subject* subject, Subject* nothing, const hone_call& call, double limit, double planted)
        : problem_(problem), subject_(subject), nothing_(nothing), call_(call), limit_(limit), planted_(planted) {
        const bool empties = subject ? subject->offers_empty() : problem.baseline().offers_empty();
        const std::uint64_t way = subject ? subject->way() : problem.baseline_form().ends_with("graph") ? graph_way : 0;
        run_ = {sizeof run_, this, 1, launch, wait, way, empties ? empty : nullptr, limit};
    }
    const hone_run& run() const { return run_; }
    double inside() const { return inside_; }
    const std::optional<Ending>& ending() const { return ending_; }
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

private:
    template <class Body> static hone_rc guarded(void* ctx, Body&& body) {
        auto& self = *static_cast<Window*>(ctx);
        try {
            body(self);
            return self.ending_ ? HONE_FAILED : HONE_OK;
        } catch (...) {
            self.error_ = std::current_exception();
            return HONE_FAILED;
        }
    }
    static hone_rc launch(void* ctx, std::uint32_t) {
        return guarded(ctx, [](Window& w) {
            w.begun_ = monotonic_seconds();
            w.subject_ ? w.subject_->launch(w.call_) : w.launch_reference();
        });
    }
    static hone_rc wait(void* ctx, double* inside) {
        return guarded(ctx, [&](Window& w) {
            w.inside_ = std::nan("");
            if (w.subject_) w.ending_ = w.subject_->wait(w.limit_, w.inside_);
            else w.problem_.baseline().wait(), w.inside_ = w.problem_.baseline().inside();
            if (inside) *inside = w.inside_;
            w.linger();
        });
    }
    static hone_rc empty(void* ctx) {
        return guarded(ctx, [](Window& w) { w.subject_ ? w.subject_->empty() : w.problem_.baseline().empty(); });
    }
    void linger() const {
        if (planted_ <= 0) return;
        const double until = monotonic_seconds() + planted_ * (monotonic_seconds() - begun_);
        while (monotonic_seconds() < until) {}
    }
    void launch_reference() {
        if (nothing_) {
            double ignored = 0;
            nothing_->launch(call_);
            if (nothing_->wait(limit_, ignored)) throw PartBroken("the empty program failed");
        }
        problem_.baseline().launch(call_);
    }

    Problem& problem_;
    Subject *subject_, *nothing_;
    const hone_call& call_;
    double limit_, planted_, inside_ = 0, begun_ = 0;
    hone_run run_{};
    std::optional<Ending> ending_;
    std::exception_ptr error_;
};

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

hone_sample run(Timer& timer, Window& window) {
    try {
        return timer.time(window.run());
    } catch (const PartFailed&) {
        window.rethrow();
        if (!window.ending()) throw;
        return {};
    }
}

}  // namespace

Pairing::Pairing(Rig& rig, Problem& problem, Chance& random)
    : rig_(rig), problem_(problem), layout_(problem.layout(0)), random_(random), limit_(call_limit(problem, rig.settings)),
      inside_(std::nan("")) {}

std::optional<double> Pairing::time(const Turn& turn, const InputSet& set, std::uint64_t offset, std::optional<Ending>& ending) {
    Subject* const subject = turn.subject;
    const std::uint64_t salt = random_.bits();
    double limit = limit_;
    if (subject) {
        if ((ending = make_ready(rig_, layout_, *subject, set, {offset, salt}, limit, &prepacking_))) return std::nullopt;
        subject->prepare(layout_.call());
    } else {
        rig_.stage.prepare(layout_, set, offset, salt);
    }
    if (!subject && problem_.baseline().offers_empty()) warm_reference();
    rig_.timer.flush(layout_.call());
    const bool hold = subject && rig_.settings.has("hold");
    if (hold) subject->hold(false);
    Window window(problem_, subject, rig_.empty.get(), layout_.call(), limit, turn.planted);
    const hone_sample sample = run(rig_.timer, window);
    if (subject) inside_ = window.inside();
    witness_ = {sample.witness, sample.witness - sample.value, sample.slack};
    if (window.ending()) {
        ending = call_failed(*window.ending(), set, false);
        return std::nullopt;
    }
    if (subject) ending = look(*subject, hold, set, turn.whole);
    else hold_empty();
    const double value = rig_.settings.has("outside-clock") || !std::isfinite(window.inside()) ? (sample.value > 0 ? sample.value : sample.witness) : window.inside();
    if (ending || sample.discard || !(value > 0)) return std::nullopt;
    return value;
}

std::optional<Ending> Pairing::warm(Subject& subject, const InputSet& set, std::uint64_t offset) {
    double limit = limit_;
    if (auto ending = make_ready(rig_, layout_, subject, set, {offset, random_.bits()}, limit)) return ending;
    if (auto ending = run_call(rig_, subject, layout_.call(), limit)) return call_failed(*std::move(ending), set, false);
    return rig_.stage.inspect(layout_, set, "in a fresh process", false);
}

std::vector<double> Pairing::time_empty_calls() {
    std::vector<double> readings;
    if (!rig_.empty) return readings;
    const InputSet& set = problem_.set(0, Variant::declared, 0);
    for (int i = 0; i < empty_calls; ++i) {
        rig_.stage.prepare(layout_, set, random_offset(random_), random_.bits());
        rig_.timer.flush(layout_.call());
        Window window(problem_, rig_.empty.get(), nullptr, layout_.call(), limit_, 0);
        const hone_sample sample = run(rig_.timer, window);
        if (window.ending()) throw PartBroken("the empty program failed: " + window.ending()->reason);
        if (sample.value > 0) readings.push_back(sample.value);
        hold_empty();
    }
    return readings;
}

// As a candidate is before each of its calls: the hand-over to both costs the same then.
void Pairing::hold_empty() {
    if (!rig_.empty || !rig_.settings.has("hold")) return;
    rig_.empty->hold(true);
    rig_.empty->hold(false);
}

// A candidate's code runs on its device alone; a reference is also a library in this process, whose caches the making of truths has taken
// over.
void Pairing::warm_reference() {
    problem_.baseline().launch(layout_.call());
    problem_.baseline().wait();
}

// The first look is taken at once, while a cheat that finishes late has no time yet; the second once the candidate cannot run. Where they look is
// drawn now: nobody knew while the call ran.
std::optional<Ending> Pairing::look(Subject& subject, bool hold, const InputSet& set, bool whole) {
    const Positions positions = random_positions(layout_, random_);
    const bool early = rig_.settings.has("early-sample");
    Samples before;
    if (early) before = rig_.stage.sample(layout_, positions);
    stop(subject, hold);
    if (hold)
        if (auto ending = subject.check(layout_.call())) return call_failed(*std::move(ending), set, false);
    if (!rig_.settings.has("timed-check")) return std::nullopt;
    const Samples after = rig_.stage.sample(layout_, positions);
    if (early && !same_bits(before, after))
        return failed_at({Verdict::REWARD_HACK, "it goes on writing after it has said that it is finished", Json::object()}, set, "writes late");
    if (!whole && !must_look_whole(set, positions, after)) return std::nullopt;
    return rig_.stage.inspect(layout_, set, "in a timed call", false);
}

// Every call is; with that defence off those that are wrong where they were looked at, and some more.
bool Pairing::must_look_whole(const InputSet& set, const Positions& positions, const Samples& samples) {
    if (rig_.settings.has("whole-check") || set.device) return true;
    for (std::size_t i = 0; i < samples.size(); ++i)
        for (std::size_t k = 0; k < samples[i].size(); ++k)
            if (!set.truth[i].agrees(static_cast<std::size_t>(positions[i][k]), samples[i][k])) return true;
    return random_.below(whole_every) == 0;
}

void Pairing::stop(Subject& subject, bool hold) {
    if (!hold) return;
    const double begun = monotonic_seconds();
    subject.hold(true);
    stopping_ += monotonic_seconds() - begun;
}

}  // namespace hone
