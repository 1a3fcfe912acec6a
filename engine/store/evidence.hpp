// store/evidence.hpp: all that a journal knows of one judgement.
#pragma once
#include <optional>
#include <string>
#include "store/journal.hpp"

namespace hone {

// The judgement whose id begins with `id`, else the newest one of the candidate whose hash does; nullopt if there is none. Throws
// Error(input) naming the ids if several begin so. {run, judgement, candidate: {hash, code, plan, language} or null, analysis, design,
// prompt or null, answer or null, reward or null, nearest: {hash, code, speedup, kind: "exemplar"|"earlier program"} or null}: nearest is
// the program of the prompt's exemplars, or where it had none of the earlier passed ones of this task, that differs in the fewest lines.
std::optional<Json> find_evidence(const Journal&, const std::string& id);

}  // namespace hone
