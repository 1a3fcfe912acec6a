#include "judge/timing.hpp"
#include <chrono>
#include <cmath>
#include <cstring>
#include <exception>
#include <thread>
#include "base/process.hpp"
#include "judge/verify.hpp"

namespace hone {
namespace {

constexpr std::size_t sampled_positions = 32;
constexpr std::uint64_t full_check_every = 8;  // on average
constexpr std::size_t least_pairs = 3, most_discarded = 64;
constexpr int noise_pairs = 16, least_noise_pairs = 4;
constexpr std::chrono::milliseconds let_pass{2};  // whoever has the core may be done with it then

// One side's call as a timer sees it: hone_run. What goes wrong inside is kept, because exceptions do not cross the boundary.
class Window {
public:
    Window(Problem& problem, Subject* subject, Subject* nothing, const hone_call& call, double limit)
        : problem_(problem), subject_(subject), nothing_(nothing), call_(call), limit_(limit) {
        const bool empties = subject ? subject->offers_empty() : problem.eager().offers_empty();
        run_ = {sizeof run_, this, 1, launch, wait, subject ? subject->way() : 0, empties ? empty : nullptr};
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
        return guarded(ctx, [](Window& w) { w.subject_ ? w.subject_->launch(w.call_) : w.launch_reference(); });
    }
    static hone_rc wait(void* ctx, double* inside) {
        return guarded(ctx, [&](Window& w) {
            w.inside_ = std::nan("");
            if (w.subject_) w.ending_ = w.subject_->wait(w.limit_, w.inside_);
            else w.problem_.eager().wait();
            if (inside) *inside = w.inside_;
        });
    }
    static hone_rc empty(void* ctx) {
        return guarded(ctx, [](Window& w) { w.subject_ ? w.subject_->empty() : w.problem_.eager().empty(); });
    }
    void launch_reference() {
        if (nothing_) {
            double ignored = 0;
            nothing_->launch(call_);
            if (nothing_->wait(limit_, ignored)) throw PartBroken("the empty program failed");
        }
        problem_.eager().launch(call_);
    }

    Problem& problem_;
    Subject *subject_, *nothing_;
    const hone_call& call_;
    double limit_, inside_ = 0;
    hone_run run_{};
    std::optional<Ending> ending_;
    std::exception_ptr error_;
};

Positions random_positions(const Layout& layout, Random& random) {
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

class Pairing {
public:
    Pairing(Rig& rig, Problem& problem, Random& random)
        : rig_(rig), problem_(problem), layout_(problem.layout(0)), random_(random), limit_(call_limit(problem, rig.settings)) {}

    // One side's time at the given offset, or nothing: the call failed (ending), the timer discarded it, or the reference was disturbed. A
    // candidate's disturbed call stays, since it may have a hand in that, and it speaks against the candidate only.
    std::optional<double> time(Subject* subject, const InputSet& set, std::uint64_t offset, bool first, std::optional<Ending>& ending) {
        const Positions positions = random_positions(layout_, random_);
        rig_.stage.prepare(layout_, set, offset, random_.bits());
        if (!subject && problem_.eager().offers_empty()) warm_reference();
        rig_.timer.flush(layout_.call());
        const bool hold = subject && rig_.settings.has("hold");
        if (hold) subject->hold(false);
        Window window(problem_, subject, rig_.empty.get(), layout_.call(), limit_);
        const hone_sample sample = run(window);
        if (subject) inside_ = window.inside();
        if ((ending = window.ending())) return std::nullopt;
        if (subject) ending = look(*subject, hold, set, positions, first);
        const double value = rig_.settings.has("outside-clock") || !std::isfinite(window.inside()) ? sample.value : window.inside();
        if (ending || sample.discard || !(value > 0)) return std::nullopt;
        if (!subject && rig_.real_clock && !problem_.calm.accept(value)) {
            std::this_thread::sleep_for(let_pass);
            return std::nullopt;
        }
        return value;
    }

    double inside() const { return inside_; }  // of the last call of a subject

private:
    // A candidate's code runs on its device alone; a reference is also a library in this process, whose caches the making of truths has
    // taken over.
    void warm_reference() {
        problem_.eager().launch(layout_.call());
        problem_.eager().wait();
    }
    hone_sample run(Window& window) {
        try {
            return rig_.timer.time(window.run());
        } catch (const PartFailed&) {
            window.rethrow();
            if (!window.ending()) throw;
            return {};
        }
    }

    // The first look is taken at once, while a cheat that finishes late has no time yet; the second once the candidate cannot run.
    std::optional<Ending> look(Subject& subject, bool hold, const InputSet& set, const Positions& positions, bool first) {
        const bool early = rig_.settings.has("early-sample");
        Samples before, after;
        if (early) before = rig_.stage.sample(layout_, positions);
        if (hold) subject.hold(true);
        if (!rig_.settings.has("timed-check")) return std::nullopt;
        after = rig_.stage.sample(layout_, positions);
        if (early && !same_bits(before, after))
            return Ending{Verdict::REWARD_HACK, "it goes on writing after it has said that it is finished", Json::object()};
        bool agree = true;
        for (std::size_t i = 0; i < after.size(); ++i)
            agree = agree && agrees_at(set.truth[i], {positions[i].begin(), positions[i].end()}, after[i]);
        if (auto ending = rig_.stage.red_zones(layout_)) return ending;
        if (agree && !first && random_.below(full_check_every) != 0) return std::nullopt;
        return rig_.stage.inspect(layout_, set, "in a timed call");
    }

    Rig& rig_;
    Problem& problem_;
    Layout& layout_;
    Random& random_;
    double limit_, inside_ = std::nan("");
};

void add_pair(Measurement& result, Sequential& sequential, double candidate, double baseline, int order) {
    result.candidate.push_back(candidate);
    result.baseline.push_back(baseline);
    result.order.push_back(order);
    sequential.add(std::log(baseline / candidate));
}

Ending too_busy() {
    return {Verdict::INFRASTRUCTURE, "this machine is too busy to time anything: the reference was disturbed in nearly every call; try "
            "again when less is running on it", Json::object()};
}

}  // namespace

std::optional<Measurement> measure(Rig& rig, Problem& problem, Subject& subject, Subject* against, Random& random,
                                   std::optional<Ending>& ending) {
    Measurement result;
    Sequential sequential({rig.settings.precision, rig.settings.level, rig.settings.pairs});
    Pairing pairing(rig, problem, random);
    Calm against_calm;
    double spent = 0;  // wall time of the pairs kept; in a replay what the timer saw, so that it does not depend on how busy the machine is
    std::size_t& discarded = result.discarded;
    for (std::size_t n = 0; !sequential.done() && (sequential.pairs() < least_pairs || spent < rig.settings.seconds); ++n) {
        // set 0 was used when the candidate was verified
        const double begun = monotonic_seconds();
        const InputSet& set = problem.set(0, Variant::declared, rig.settings.has("fresh-keys") ? n + 1 : 0);
        const std::uint64_t offset = random_offset(random);
        const int order = static_cast<int>(random.below(2));
        std::optional<double> times[2];  // candidate, baseline
        double inside = std::nan("");
        for (int turn = 0; turn < 2 && !ending; ++turn) {
            const int side = turn ^ order;
            times[side] = pairing.time(side == 0 ? &subject : against, set, offset, n == 0, ending);
            if (side == 0) inside = pairing.inside();
            if (ending && side == 1) throw PartBroken("the program compared with failed: " + ending->reason);
        }
        if (ending) return std::nullopt;
        if (against && rig.real_clock && times[1] && !against_calm.accept(*times[1])) times[1].reset();
        const bool kept = times[0] && times[1];
        if (kept) spent += rig.settings.seed ? times[0].value_or(0) + times[1].value_or(0) : monotonic_seconds() - begun;
        if (kept) {
            add_pair(result, sequential, *times[0], *times[1], order);
            result.inside.push_back(inside);
        } else if (++discarded > most_discarded) {
            if (sequential.pairs() >= least_pairs) break;
            ending = too_busy();
            return std::nullopt;
        }
    }
    result.log_speedup = sequential.interval();
    return result;
}

std::optional<double> measure_noise(Rig& rig, Problem& problem, Random& random, std::optional<Ending>& ending) {
    Pairing pairing(rig, problem, random);
    std::optional<Ending> none;
    std::vector<double> differences;
    for (int n = 0; n < 4 * noise_pairs && differences.size() < noise_pairs; ++n) {
        const InputSet& set = problem.set(0, Variant::declared, static_cast<std::size_t>(n % 8));
        const std::uint64_t offset = random_offset(random);
        const auto a = pairing.time(nullptr, set, offset, false, none), b = pairing.time(nullptr, set, offset, false, none);
        if (a && b) differences.push_back(std::log(*b / *a));
    }
    if (differences.size() < least_noise_pairs) {
        ending = too_busy();
        return std::nullopt;
    }
    const Interval interval = trimmed_interval(differences, rig.settings.level);
    return std::fabs(interval.estimate) + (interval.upper - interval.lower) / 2;
}

}  // namespace hone
