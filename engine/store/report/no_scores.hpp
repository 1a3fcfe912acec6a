// store/report/no_scores.hpp: passed judgements that are no scores (defences off, time planted, inputs revealed, an
// untrusted verifier). Tables of a run hold them; archives and `hone best` do not.
#pragma once
#include <string>
#include "store/journal.hpp"

namespace hone {

Json no_scores(const Journal&);  // [{why: ["revealed"], passed: 12}]
std::string no_scores_text(
    const Json& no_scores);  // "12 passed judgements are no scores (revealed)"; "": there are none

}  // namespace hone
