// store/evidence.hpp: all that is known of one judgement, made by `hone judge` (store/bundles.hpp) or in a run (its
// journal).
#pragma once
#include <optional>
#include <string>
#include "store/journal.hpp"

namespace hone {

inline constexpr const char* evidence_schema = "hone.evidence/1";

// {schema, id, made (time), judgement (whole, with keys and raw samples), candidate: {hash, code, plan, language} or
// null, against: the same or null, task: {address, doc or null}, judge: {options} or null, host, version (of hone),
// files: {program, against} or null (where `hone judge` read them), run: name or null}; of a run also {op, group,
// member, script (its path), shared: [{op, group, member}] of the other answers with this judgement, analysis, design,
// prompt or null, answer or null, reward or null, nearest: {hash, code, speedup, kind: "exemplar"|"earlier program"} or
// null, content (store/bundles.hpp)}: nearest is the program of the prompt's exemplars, or where it had none of the
// earlier passed ones of this task, that differs in the fewest lines.

// The judgement in this run whose id begins with `id`, else the newest one of the candidate whose hash does; nullopt if
// there is none. Throws Error(input) naming the ids if several begin so.
std::optional<Json> find_evidence(const Journal&, const std::string& id);
// The same among what `hone judge` kept and all runs below runs/ (newest first), or in `run` only if that is not empty;
// `id` may also be the path of a bundle. Throws Error(input): unknown, with the nearest id; ambiguous.
Json find_evidence(const std::string& id, const std::string& run = {});

}  // namespace hone
