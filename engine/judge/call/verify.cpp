#include "judge/call/verify.hpp"
#include <algorithm>
#include <limits>
#include "base/process.hpp"
#include "judge/call/prepack.hpp"

namespace hone {
namespace {

constexpr double patience = 50;  // times the reference
// Times that: numbers below the normal ones take some processors a hundred times as long, and a loop of fused
// multiply-adds 75 times on one of Intel's.
constexpr double patience_with_small = 4;
constexpr std::int64_t old_age = 300;  // calls of one process
// Seconds, at most, were every call as quick as the quickest; and times that by the clock. A call and its check take
// 50 us on a host and 1 ms on a device.
constexpr double ageing_on_host = 0.1, ageing_on_device = 0.02, ageing_under_load = 5;
constexpr std::int64_t under_any_load = 150;  // calls that the clock does not end
// Seconds: of one call as much counts, or at the timed shape as much as the reference takes. A program that sleeps
// while it is verified would choose how old it gets. But no more is left out, in all calls together, than so many times
// the time for ageing, or before so many calls half of the deadline: slow programs take long enough.
constexpr double counted_on_host = 0.25e-3, counted_on_device = 0.5e-3, most_dawdled = 10, dawdling_share = 0.5;
// Seconds. A driver takes so long to tell of a trap while another context works.
constexpr double least_on_host = 0.25, least_on_device = 1.5;

constexpr std::size_t never_timed = 1 << 21;  // number of a set that this process meets in no timed call

struct Check {
    std::size_t shape;
    Variant variant;
    bool operator==(const Check&) const = default;
};

// A prompt may tell all of it.
bool is_open(const Check& check) { return check.shape == 0 && check.variant == Variant::declared; }

template <class T> void shuffle(std::vector<T>& list, Chance& random) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random.below(i)]);
}

std::size_t asked_shapes(const PreparedTask& prepared, const Settings& settings) {
    return settings.has("hidden-shapes") ? prepared.shapes() : 1;
}

// Whether a size is above the timed one: programs that compute otherwise there are never timed so.
bool is_beyond_timed(const PreparedTask& prepared, std::size_t shape) {
    const hone_call &call = prepared.layout(shape).call(), &timed = prepared.layout(0).call();
    for (std::uint32_t i = 0; i < call.n_sizes; ++i)
        if (call.sizes[i] > timed.sizes[i]) return true;
    return false;
}

// For these a quicker way is most often wrong.
bool is_telling(Variant variant) { return variant == Variant::special || variant == Variant::far; }

// Large shapes cost as much as the timed one and get one variant each. shapes, others: in random order.
void deal_to_large(const std::vector<std::size_t>& shapes, std::vector<Variant> others, std::vector<Check>& checks) {
    std::stable_partition(others.begin(), others.end(), is_telling);
    for (std::size_t i = 0; i < shapes.size() && !others.empty(); ++i)
        checks.push_back({shapes[i], others[i % others.size()]});
}

// A shape beyond the timed one, however few its elements, also gets each telling variant that was not dealt to it.
void add_telling_beyond(const PreparedTask& prepared, const std::vector<std::size_t>& shapes,
                        const std::vector<Variant>& others, std::vector<Check>& checks) {
    for (const std::size_t shape : shapes)
        for (const Variant variant : others)
            if (is_beyond_timed(prepared, shape) && is_telling(variant) &&
                std::find(checks.begin(), checks.end(), Check{shape, variant}) == checks.end())
                checks.push_back({shape, variant});
}

// The one of these shapes whose turn it is, or the next in which `variant` has what makes it.
std::size_t small_shape(const PreparedTask& prepared, const std::vector<std::size_t>& shapes, std::size_t turn,
                        Variant variant) {
    for (std::size_t i = turn; variant == Variant::special && i < turn + shapes.size(); ++i)
        if (has_room_for_nonfinite(prepared.layout(shapes[i % shapes.size()]).inputs()))
            return shapes[i % shapes.size()];
    return shapes[turn % shapes.size()];
}

// Every variant at the timed shape; at hidden ones inputs as declared and a share of the others, dealt so that each is
// asked at a small shape and the candidate cannot foresee where. Of `wider` and `larger` one is asked at the timed
// shape, the other at a small one. First comes what is open: a program that has seen nothing else has no secret that
// its failure could tell, so that the reason may name everything.
std::vector<Check> plan_checks(PreparedTask& prepared, const Settings& settings, Chance& random) {
    std::vector<Check> checks;
    std::vector<Variant> others;
    if (settings.has("distributions")) others.assign(prepared.variants().begin() + 1, prepared.variants().end());
    const bool both = std::find(others.begin(), others.end(), Variant::larger) != others.end(),
               wider_first = random.below(2);
    const auto is_for = [&](Variant variant, bool timed) {
        return !both || (variant != Variant::wider && variant != Variant::larger) ||
               ((variant == Variant::wider) == wider_first) == timed;
    };
    for (const Variant variant : others)
        if (is_for(variant, true)) checks.push_back({0, variant});
    shuffle(others, random);
    std::vector<std::size_t> small, large;
    for (std::size_t shape = 0; shape < asked_shapes(prepared, settings); ++shape) {
        checks.push_back({shape, Variant::declared});
        const bool is_large = prepared.layout(shape).tensor_bytes() > prepared.layout(0).tensor_bytes() / 8;
        if (!is_large) small.push_back(shape);
        else if (shape > 0) large.push_back(shape);
    }
    shuffle(large, random);
    deal_to_large(large, others, checks);
    for (std::size_t i = 0; i < others.size() && !small.empty(); ++i)
        if (is_for(others[i], false)) checks.push_back({small_shape(prepared, small, i, others[i]), others[i]});
    add_telling_beyond(prepared, large, others, checks);
    add_telling_beyond(prepared, small, others, checks);
    shuffle(checks, random);
    std::swap(checks.front(),
              *std::find_if(checks.begin(), checks.end(), [](const Check& check) { return is_open(check); }));
    return checks;
}

std::string where(const PreparedTask& prepared, const InputSet& set) {
    return "at " + prepared.shape_name(set.shape) + ", inputs " + variant_name(set.variant);
}

// The verifying of one process of a candidate.
class Verification {
public:
    Verification(BenchContext& context, PreparedTask& prepared, Subject& subject, Chance& random,
                 judged::Verified& verified)
        : context_(context), prepared_(prepared), subject_(subject), random_(random), verified_(verified) {
        // how long a call may take follows from the reference's time at the timed shape
        prepared_.set(0, Variant::declared, 0);
        prepared_.settle_variants();
        verified_ = {0, 0, prepared_.smallest_sizes(), prepared_.largest_sizes()};
    }

    std::optional<CandidateFailure> run() {
        for (const Check& check : plan_checks(prepared_, context_.settings, random_)) {
            if (auto failure = ask(check)) return failure;
            if (too_long())
                return failed_at({Verdict::TIMEOUT, "all calls together take too long to be verified", Json::object()},
                                 prepared_.set(check.shape, check.variant, 0), "takes too long");
        }
        return context_.settings.has("age") ? age() : std::nullopt;
    }

    std::optional<CandidateFailure> run_late(bool last) {
        std::vector<Variant> others(prepared_.variants().begin() + 1, prepared_.variants().end());
        shuffle(others, random_);
        const auto special = std::find(others.begin(), others.end(), Variant::special);
        if (!last && special != others.end() && random_.below(2)) std::swap(others.front(), *special);
        if (!last) others.resize(std::min<std::size_t>(others.size(), 1));
        int made = 0;
        std::erase_if(others, [&](Variant variant) { return !prepared_.keeps(0, variant) && made++ > 0; });
        for (const Variant variant : others) {
            context_.still_alive();
            if (auto failure = call(prepared_.set(0, variant, 0), random_offset(random_), random_, false)) {
                if (!failure->reason.empty()) failure->reason += ", in a process that had been timed";
                return failure;
            }
        }
        return std::nullopt;
    }

private:
    bool too_long() const { return context_.settings.has("deadline") && spent_ > context_.settings.deadline; }

    std::optional<CandidateFailure> ask(const Check& check) {
        const InputSet& set = prepared_.set(check.shape, check.variant, 0);  // making it is no time of the candidate's
        const std::uint64_t first = random_offset(random_);
        if (auto failure = call(set, first)) return failure;
        if (!is_open(check)) return std::nullopt;
        // every bit of an address that may differ does, so that no program's way of aligning is met twice by chance
        const std::uint64_t offset = first ^ (offset_range - tensor_alignment);
        if (!too_long())
            if (auto failure = repeat(offset)) return failure;
        return too_long() ? std::nullopt : touch(offset);
    }

    // One call: prepared, run and looked at. An ending says where it was, and what came out where nothing secret has
    // been seen before.
    std::optional<CandidateFailure> call(const InputSet& set, std::uint64_t offset) {
        return call(set, offset, random_, true);
    }
    std::optional<CandidateFailure> call(const InputSet& set, std::uint64_t offset, Chance& random, bool nothing_seen) {
        const double allowed = call_limit(context_, prepared_, set.variant);
        double limit = allowed;  // what prepacking leaves of it
        const double begun = monotonic_seconds();
        Layout& layout = prepared_.layout(set.shape);
        const bool open = context_.setup.reveals() || (nothing_seen && is_open({set.shape, set.variant}));
        ++verified_.calls;
        verified_.at_timed_shape += set.shape == 0;
        std::optional<CandidateFailure> failure =
            make_ready(context_, layout, subject_, set, {offset, random.bits(), open}, limit);
        if (failure) return failure;
        const double called = monotonic_seconds();
        failure = run_call(context_, subject_, layout.call(), limit);
        in_call_ = allowed - limit + monotonic_seconds() - called;
        if (failure) {
            failure = call_failed(*std::move(failure), set, open);
            context_.setup.reveal(*failure, layout, set);
        } else {
            failure = context_.setup.inspect(layout, set, where(prepared_, set), open);
        }
        spent_ += monotonic_seconds() - begun;
        return failure;
    }

    // The same inputs as before at another address: the same bits must come out.
    std::optional<CandidateFailure> repeat(std::uint64_t offset) {
        const InputSet& set = prepared_.set(0, Variant::declared, 0);
        context_.setup.keep_outputs(prepared_.layout(0));
        if (auto failure = call(set, offset)) return failure;
        if (!context_.settings.has("repeat") || !must_repeat(prepared_.task()) ||
            context_.setup.kept(prepared_.layout(0)))
            return std::nullopt;
        return failed_at(
            {Verdict::NONDETERMINISTIC, "two calls on the same inputs gave different bits", Json::object()}, set,
            "does not repeat");
    }

    // The call after it, at that address again, with one element of one input changed: the output must follow.
    std::optional<CandidateFailure> touch(std::uint64_t offset) {
        if (!context_.settings.has("touch") || !can_touch(prepared_.task())) return std::nullopt;
        context_.setup.keep_outputs(prepared_.layout(0));
        const InputSet& set = prepared_.set(0, Variant::touched, 0);
        std::optional<CandidateFailure> failure = call(set, offset);
        if (!failure || failure->verdict != Verdict::INCORRECT_NUMERICAL || !context_.setup.kept(prepared_.layout(0)))
            return failure;
        failure->reason =
            "the output stays as it was when one element of an input changes (" + where(prepared_, set) + ")";
        failure->details["property"] = "stale";
        return failure;
    }

    // A program may break late: its scratch memory runs out, a counter wraps. The process goes on, half of the time at
    // the smallest shape, where a call and its check cost little, and half of it at the timed one, where more of the
    // program's memory is used. Each call is checked. How many there are hangs on the machine, so they draw from a
    // stream of their own; where time is virtual, their number is fixed.
    std::optional<CandidateFailure> age() {
        Chance random(random_.bits(), "age", prepared_.secret());
        const std::size_t smallest = smallest_shape();
        const bool virtual_time = !context_.real_clock;
        const std::int64_t most = virtual_time ? old_age / 3 : old_age;
        const double ageing = context_.code_on_host ? ageing_on_host : ageing_on_device;
        const double until = monotonic_seconds() + ageing_under_load * ageing;
        const double most_at_smallest = context_.code_on_host ? counted_on_host : counted_on_device,
                     most_at_timed = std::max(most_at_smallest, prepared_.reference_seconds());
        double dawdled = 0;
        Pace at_timed, at_smallest;
        const auto dawdled_enough = [&] {
            const double patient = verified_.calls < under_any_load ? dawdling_share * context_.settings.deadline : 0;
            return dawdled > std::max(patient, most_dawdled * ageing);
        };
        const auto is_young = [&] {
            const bool has_time = monotonic_seconds() - dawdled < until || verified_.calls < under_any_load;
            return virtual_time ||
                   (at_timed.seconds() + at_smallest.seconds() < ageing && has_time && !dawdled_enough());
        };
        for (std::size_t n = 0; verified_.calls < most && is_young(); ++n) {
            const bool timed = virtual_time ? n % 2 : at_timed.seconds() < at_smallest.seconds();
            const InputSet& set = prepared_.set(timed ? 0 : smallest, Variant::declared, n % 2 ? never_timed : 0);
            const double begun = monotonic_seconds();
            if (auto failure = call(set, random_offset(random), random, false)) {
                // which call is not told: by its number a program could tell what it saw
                failure->reason +=
                    (failure->reason.empty() ? "" : ", ") + std::string("after many calls in one process");
                return failure;
            }
            const double over = std::max(0.0, in_call_ - (timed ? most_at_timed : most_at_smallest));
            dawdled += over;
            (timed ? at_timed : at_smallest).took(monotonic_seconds() - begun - over);
        }
        return std::nullopt;
    }

    // Of like calls, each as long as the quickest: a busy machine does not make them fewer.
    struct Pace {
        double calls = 0, quickest = std::numeric_limits<double>::infinity();
        void took(double seconds) { ++calls, quickest = std::min(quickest, seconds); }
        double seconds() const { return calls > 0 ? calls * quickest : 0; }
    };

    std::size_t smallest_shape() {
        std::size_t smallest = 0;
        for (std::size_t shape = 0; shape < asked_shapes(prepared_, context_.settings); ++shape)
            if (prepared_.layout(shape).tensor_bytes() < prepared_.layout(smallest).tensor_bytes()) smallest = shape;
        return smallest;
    }

    BenchContext& context_;
    PreparedTask& prepared_;
    Subject& subject_;
    Chance& random_;
    judged::Verified& verified_;
    double spent_ = 0, in_call_ = 0;  // seconds, in calls and their checks; in the last call
};

}  // namespace

namespace {

double patience_of(const BenchContext& context, Variant inputs) {
    return inputs == Variant::special && context.code_on_host ? patience * patience_with_small : patience;
}

}  // namespace

double call_limit(const BenchContext& context, const PreparedTask& prepared, Variant inputs) {
    const Settings& settings = context.settings;
    if (!settings.has("deadline")) return 30 * settings.deadline;
    // so that a few calls, each just within its limit, cannot outlast what a worker allows a phase: that would cost the
    // bench
    const double least = context.code_on_host ? least_on_host : least_on_device;
    const double most = patience_of(context, inputs) * prepared.reference_seconds();
    return std::min(settings.deadline / 4, std::max(least, most));
}

double run_limit(const BenchContext& context, const PreparedTask& prepared, Variant inputs) {
    const double one = call_limit(context, prepared, inputs), calls = static_cast<double>(prepared.calls());
    if (!context.settings.has("deadline")) return calls * one;
    // A call of the reference in a run takes longer than the fastest that was seen alone.
    const double reference = std::max(calls * prepared.reference_seconds(), prepared.run_seconds);
    return std::min(context.settings.deadline / 2, std::max(one, patience_of(context, inputs) * reference));
}

std::uint64_t random_offset(Chance& random) { return random.below(offset_range / tensor_alignment) * tensor_alignment; }

std::optional<CandidateFailure> run_call(BenchContext& context, Subject& subject, const hone_call& call, double limit,
                                         void (Subject::*begin)(const hone_call&), double* inside) {
    const bool hold = context.settings.has("hold");
    if (hold) subject.suspend(false);
    (subject.*begin)(call);
    double seconds = 0;
    if (auto failure = subject.wait(limit, seconds)) return failure;
    if (inside) *inside = seconds;
    if (hold) subject.suspend(true);
    return subject.check(call);
}

std::optional<CandidateFailure> verify_timed(BenchContext& context, PreparedTask& prepared, Subject& subject,
                                             Chance& random, bool last) {
    for (const char* part : {"late-check", "timed-check", "distributions"})
        if (!context.settings.has(part)) return std::nullopt;
    judged::Verified ignored;
    return Verification(context, prepared, subject, random, ignored).run_late(last);
}

std::optional<CandidateFailure> verify(BenchContext& context, PreparedTask& prepared, Subject& subject, Chance& random,
                                       judged::Verified& verified) {
    return Verification(context, prepared, subject, random, verified).run();
}

}  // namespace hone
