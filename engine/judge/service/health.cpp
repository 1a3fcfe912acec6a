#include "judge/service/health.hpp"
#include <algorithm>
#include <string>
#include "base/error.hpp"
#include "judge/call/verify.hpp"

namespace hone {
namespace {

// of no judging's stream: a replay does not know who was judged before
constexpr std::uint64_t salt = 0x9e3779b97f4a7c15;

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
                    "mend the verifier; `hone plugins --check` asks it more");
}

}  // namespace

void probe_memory(Verifier& verifier) {
    constexpr std::uint64_t room = 4096;  // of whole words
    std::string bytes(room - 1, '\0'), got(room - 1, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(1 + i % 251);
    const std::uint64_t from = verifier.reserve(room, 0), to = verifier.reserve(room, 0);
    verifier.write(from, bytes.data(), bytes.size());
    verifier.read(from, got.data(), got.size());
    require_same(verifier, "write and read", got, bytes);
    verifier.write(to, std::string(room, '\0').data(), room);
    verifier.copy(to, from, room);
    verifier.read(to, got.data(), got.size());
    require_same(verifier, "copy", got, bytes);
    verifier.release(to);
    verifier.release(from);
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
