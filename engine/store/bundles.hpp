// store/bundles.hpp: what `hone judge` found: each judgement one file, $XDG_STATE_HOME/hone/evidence/ID.json, which
// holds all that showing and repeating it needs, so that it can be sent to somebody else. (What a run judged lies in
// the run's journal.) The document is that of store/evidence.hpp. Its id is the beginning of the SHA-256 of all its
// other content, so accidents and edits by hand are found out. The hash has no key: who forges a file can forge its id
// too, and only judging again on one's own machine tells.
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "base/paths.hpp"
#include "store/evidence.hpp"

namespace hone {

// The evidence of a run, whose id is not its content's, with `content`: the digest of all else, which read_bundle
// checks.
Json sealed(Json evidence);
fs::path bundle_folder();
// Gives the document and its judgement their id and the time, stores it, and returns the document. Throws
// Error(environment).
Json keep_bundle(Json evidence);
std::vector<std::string> bundle_ids();
// Throws Error(input) if it is no evidence, or was edited; Error(environment) if it cannot be read.
Json read_bundle(const fs::path& file);

}  // namespace hone
