// domain/judgement.hpp: what the judge says of one candidate, as evidence. Everything is kept as one JSON document
// (schema hone.judgement/1,
// docs/wire.md), because it is stored, shown, replayed and handed to Lua whole.
#pragma once
#include <string>
#include "base/json.hpp"

namespace hone {

enum class Verdict {
    PASSED,
    PARSE_ERROR,
    COMPILE_ERROR,
    PLAN_ERROR,
    LAUNCH_ERROR,
    RUNTIME_ERROR,
    TIMEOUT,
    OUT_OF_MEMORY,
    INCORRECT_SHAPE,
    INCORRECT_NUMERICAL,
    NONDETERMINISTIC,
    REWARD_HACK,
    TOO_FAST,
    INFRASTRUCTURE
};

const char* verdict_name(Verdict);
Verdict parse_verdict(const std::string&);  // throws Error(input)

// schema "hone.judgement/1"; keys beyond those of docs/wire.md: hash (candidate), task_hash, suite, sizes (of the timed
// shape), verifier {id, options, file_hash}, timer, reference, keys ["0x.."] (replay key: with it as judge option
// `seed` the judging repeats), kind (of a REWARD_HACK), unit (of seconds), samples {candidate: [s..], baseline: [s..],
// order: [..], inside: [s..] (by the candidate's own process, which it may have forged)} (raw, per pair), clock {..}
// (what the timer reported), facts {..} (what the verifier reported), log (compiler's words about the candidate's own
// lines), defences_off [..] (test flags; a judgement with any is never a score), failure {property
// (judge/correctness/compare.hpp), tensor, shape: "timed" | "hidden", hidden (its number), variant, key (judge option
// `seed`)}, roofline {seconds (the least that the task can take), limit ("bytes", "flops"), rate (of that, a second),
// room (times faster that would be)}. speedup {..., level, baseline}: plain ratios t_baseline / t_candidate.
struct Judgement {
    Json doc;
    Verdict verdict() const { return parse_verdict(doc.at("verdict").get<std::string>()); }
    bool passed() const { return doc.at("verdict") == "PASSED"; }
    // INFRASTRUCTURE is no statement about the candidate: never a score
    bool scorable() const { return doc.at("verdict") != "INFRASTRUCTURE"; }
};

Judgement rejected(const std::string& task, const std::string& hash, Verdict, std::string reason);

}  // namespace hone
