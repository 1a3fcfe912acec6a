#include "judge/service/health.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>
#include "base/error.hpp"
#include "base/quantity.hpp"
#include "hone/checks_on_host.hpp"
#include "judge/call/verify.hpp"

namespace hone {
namespace {

// of no judging's stream: a replay does not know who was judged before
constexpr std::uint64_t salt = 0x9e3779b97f4a7c15;
constexpr const char* mend = "mend the verifier; `hone plugins --check` asks it more";

[[noreturn]] void unfit(const std::string& cause) {
    throw PartBroken("not healthy after a candidate that ended badly: a program that does nothing " + cause);
}

void require_same(const Verifier& verifier, const std::string& functions, const std::string& got,
                  const std::string& wanted) {
    const auto [at, other] = std::mismatch(got.begin(), got.end(), wanted.begin());
    if (at != got.end())
        throw Error(Blame::environment, "verifier \"" + verifier.id() + "\"",
                    functions + ": of " + std::to_string(got.size()) + " bytes those from " +
                        std::to_string(at - got.begin()) + " on came back wrong",
                    mend);
}

template <class T> std::string bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// What wrong answers are found by: where one of these does nothing, every answer is right.
class ChecksProbe {
public:
    ChecksProbe(Verifier& verifier, std::size_t n) : verifier_(verifier), n_(n) {
        const std::uint64_t room = (n * sizeof(double) + 2047) / 2048 * 2048;
        for (std::uint64_t& at : at_) at = verifier_.reserve(room, 0);
        for (std::size_t i = 0; i < n; ++i) numbers_.push_back(static_cast<float>(i % 7) - 2.5f);
        wide_.assign(numbers_.begin(), numbers_.end());
        write(0, bytes_of(numbers_));
        for (int i = 1; i < 4; ++i) write(i, std::string(room, '\0'));
    }
    ~ChecksProbe() {
        for (const std::uint64_t at : at_) verifier_.release(at);
    }
    ChecksProbe(const ChecksProbe&) = delete;

    void run() {
        verifier_.widen({at_[0], HONE_F32, 1, &count_}, at_[1]);
        require_same(verifier_, "widen", read(1, n_ * sizeof(double)), bytes_of(wide_));
        const std::string narrow = bytes_of(numbers_), wide = bytes_of(wide_).substr(0, narrow.size());
        verifier_.differ(at_[0], at_[1], narrow.size(), at_[2]);
        counts("differ", on_host::differing(narrow.data(), wide.data(), narrow.size()));
        write(2, std::string(sizeof(std::uint64_t), '\0'));
        verifier_.strays(at_[0], narrow.size(), 0, at_[2]);
        counts("strays", n_);  // none of the numbers is 0
        std::vector<double> scale((n_ + HONE_NEAR - 1) / HONE_NEAR), got(scale.size());
        on_host::local_scale(wide_.data(), n_, n_, 1, 0x1p-24, scale.data());
        verifier_.local_scale(at_[1], n_, n_, 1, 0x1p-24, at_[3]);
        verifier_.read(at_[3], got.data(), got.size() * sizeof(double));
        for (std::size_t i = 0; i < scale.size(); ++i)
            if (!(std::fabs(got[i] - scale[i]) <= 1e-6 * scale[i])) wrong("local_scale", got[i], scale[i]);
        compares(scale);
        measures();
    }

private:
    // Every element a little off, and the last far off.
    void compares(std::vector<double>& scale) {
        std::vector<float> answer = numbers_;
        for (float& number : answer) number *= 1.001f;
        answer.back() = 1000;
        write(0, bytes_of(answer));
        hone_comparison with{at_[1], at_[3], {0.5, 0, 0}, 0, 0};
        verifier_.compare({at_[0], HONE_F32, 1, &count_}, with, at_[2]);
        hone_errors found{};
        verifier_.read(at_[2], &found, sizeof found);
        with.truth = address(wide_), with.local_scale = address(scale);
        const hone_errors wanted = on_host::compare({address(answer), HONE_F32, 1, &count_}, with);
        same("compare", static_cast<double>(found.compared), static_cast<double>(wanted.compared));
        same("compare", static_cast<double>(found.faults[HONE_WRONG]), static_cast<double>(wanted.faults[HONE_WRONG]));
        same("compare", found.squares, wanted.squares);
        same("compare", found.relative, wanted.relative);
        same("compare", found.worst, wanted.worst);
    }
    void measures() {
        verifier_.moments({at_[0], HONE_F32, 1, &count_}, at_[1], at_[2]);
        hone_moments found{}, wanted{n_, 0, 0};
        verifier_.read(at_[2], &found, sizeof found);
        for (const double y : wide_) wanted.sum += y, wanted.squares += y * y;
        same("moments", static_cast<double>(found.compared), static_cast<double>(wanted.compared));
        same("moments", found.sum, wanted.sum);
        same("moments", found.squares, wanted.squares);
    }
    template <class T> static std::uint64_t address(std::vector<T>& values) {
        return reinterpret_cast<std::uint64_t>(values.data());
    }
    void same(const char* function, double found, double wanted) {  // in any order of summing
        if (!(std::fabs(found - wanted) <= 1e-6 * std::fabs(wanted))) wrong(function, found, wanted);
    }
    void write(int which, const std::string& bytes) { verifier_.write(at_[which], bytes.data(), bytes.size()); }
    std::string read(int which, std::size_t size) {
        std::string bytes(size, '\0');
        verifier_.read(at_[which], bytes.data(), size);
        return bytes;
    }
    void counts(const char* function, std::uint64_t wanted) {
        std::uint64_t found = 0;
        verifier_.read(at_[2], &found, sizeof found);
        if (found != wanted) wrong(function, static_cast<double>(found), static_cast<double>(wanted));
    }
    [[noreturn]] void wrong(const char* function, double found, double wanted) {
        throw Error(
            Blame::environment, "verifier \"" + verifier_.id() + "\"",
            std::string(function) + ": found " + plain_number(found) + " where there is " + plain_number(wanted), mend);
    }
    Verifier& verifier_;
    const std::size_t n_;
    const std::int64_t count_ = static_cast<std::int64_t>(n_);
    std::array<std::uint64_t, 4> at_{};
    std::vector<float> numbers_;
    std::vector<double> wide_;
};

struct Piece {
    Piece(Verifier& of, std::uint64_t bytes) : verifier(of), at(of.reserve(bytes, 0)) {}
    ~Piece() { verifier.release(at); }
    Piece(const Piece&) = delete;
    Verifier& verifier;
    const std::uint64_t at;
};

void probe_bytes(Verifier& verifier, std::uint64_t room) {  // of whole words
    std::string bytes(room - 1, '\0'), got(room - 1, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(1 + i % 251);
    const Piece from(verifier, room), to(verifier, room);
    verifier.write(from.at, bytes.data(), bytes.size());
    verifier.read(from.at, got.data(), got.size());
    require_same(verifier, "write and read", got, bytes);
    verifier.write(to.at, std::string(room, '\0').data(), room);
    verifier.copy(to.at, from.at, room);
    verifier.read(to.at, got.data(), got.size());
    require_same(verifier, "copy", got, bytes);
    verifier.set(to.at, room, 0x01010101);
    verifier.read(to.at, got.data(), got.size());
    require_same(verifier, "set", got, std::string(room - 1, '\x01'));
}

}  // namespace

void probe_memory(Verifier& verifier) {
    probe_bytes(verifier, 4096);
    ChecksProbe(verifier, 130).run();
    // what is done in pieces loses the last one, or what is beyond the first
    probe_bytes(verifier, (std::uint64_t{4} << 20) + 4104);
    ChecksProbe(verifier, (std::size_t{1} << 19) + 130).run();
}

bool needs_health_check(Verdict verdict) {
    return verdict == Verdict::RUNTIME_ERROR || verdict == Verdict::TIMEOUT || verdict == Verdict::OUT_OF_MEMORY ||
           verdict == Verdict::REWARD_HACK || verdict == Verdict::LAUNCH_ERROR || verdict == Verdict::INFRASTRUCTURE;
}

void probe_health(BenchContext& context, PreparedTask& prepared) {
    context.empty.reset();
    context.open_empty(prepared.task());
    if (!context.empty) return;
    const InputSet& set = prepared.set(0, Variant::declared, 0);
    Layout& layout = prepared.layout(0);
    context.setup.prepare(layout, set, 0, salt);
    context.setup.keep_outputs(layout);
    std::optional<CandidateFailure> failure =
        run_call(context, *context.empty, layout.call(), call_limit(context, prepared));
    if (!failure) failure = context.setup.untouched(layout, set);
    if (failure) unfit(std::string("got ") + verdict_name(failure->verdict) + ": " + failure->reason);
    if (!context.setup.kept(layout)) unfit("changed its outputs");
    if (context.settings.has("hold")) context.empty->suspend(false);
}

}  // namespace hone
