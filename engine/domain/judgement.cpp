#include "domain/judgement.hpp"
#include <algorithm>
#include <iterator>
#include <vector>
#include "base/error.hpp"
#include "base/options.hpp"

namespace hone {

namespace {
constexpr const char* names[] = {"PASSED",          "PARSE_ERROR",         "COMPILE_ERROR",    "PLAN_ERROR",
                                 "LAUNCH_ERROR",    "RUNTIME_ERROR",       "TIMEOUT",          "OUT_OF_MEMORY",
                                 "INCORRECT_SHAPE", "INCORRECT_NUMERICAL", "NONDETERMINISTIC", "REWARD_HACK",
                                 "TOO_FAST",        "INFRASTRUCTURE"};
static_assert(std::size(names) == static_cast<std::size_t>(Verdict::INFRASTRUCTURE) + 1);
}  // namespace

const char* verdict_name(Verdict verdict) { return names[static_cast<int>(verdict)]; }

Verdict parse_verdict(const std::string& name) {
    const auto found = std::find(std::begin(names), std::end(names), name);
    if (found != std::end(names)) return static_cast<Verdict>(found - std::begin(names));
    throw Error(Blame::input, "judgement",
                "no verdict \"" + name + "\"" + suggestion(name, {std::begin(names), std::end(names)}));
}

Judgement rejected(const std::string& task, const std::string& hash, Verdict verdict, std::string reason) {
    return {Json{{"schema", "hone.judgement/1"},
                 {"task", task},
                 {"hash", hash},
                 {"verdict", verdict_name(verdict)},
                 {"passed", false},
                 {"reason", std::move(reason)},
                 {"outcome", nullptr}}};
}

}  // namespace hone
