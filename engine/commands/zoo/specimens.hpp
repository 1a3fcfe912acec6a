// What `hone zoo` judges: attacks and honest programs, read from a folder of sources.
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "base/paths.hpp"
#include "domain/candidate.hpp"
#include "domain/task.hpp"

namespace hone {

// An attack is a folder NAME/ with candidate.ENDING, whose ending tells the verifier (parts/verifiers.hpp), perhaps
// plan.lua, its launch plan, and about.json:
//   what, catalogue (numbers of docs/cheats.md), task (of zoo.lua), verdict, kind?, options? (the judge's)
//   against     true: the speed counts that it has over plain/TASK.ENDING, a good program. It must not be faster
//               while its defences are on
//   defence     the one (judge/call/defences.hpp) that has to be off for it to win
//   wins        {verdict, outcome?, seconds?}: what it gets then; seconds: of its judging at least
//   or          another verdict that it may get, by the machine's memory, say
//   unsaid      what its reason must not hold
//   harmless    instead of defence and wins: why it gains nothing and nothing has to stop it
//   needs       "ptrace": a machine that lets processes trace each other
// An honest program is a file honest/TASK.NAME.ENDING, perhaps with TASK.NAME.lua, its launch plan; the task is one of
// the verifier's suite, or of zoo.lua where the verifier has none.
struct Specimen {
    std::string name;
    Candidate candidate;
    std::optional<Candidate> against;
    std::string task, suite;          // suite: of the reference
    std::string verifier, reference;  // parts
    // expected: {verdict, kind?, outcome?, never?, unsaid?}, never being an outcome that it must not have; or {not:
    // what it must not get}
    Json about, expected, options;
};

// Both throw Error(usage) for a folder without attacks, Error(input) for a file that cannot be understood.
// verifier: in place of those that take the files; empty: none.
std::vector<Specimen> read_attacks(const fs::path& folder, const std::string& verifier);
std::vector<Specimen> read_honest(const fs::path& folder, const std::string& verifier);

// The same attacks where nothing stands in their way but what they are not made for. What this machine cannot try, and
// what is harmless, is left out.
std::vector<Specimen> opened(std::vector<Specimen> attacks);
// Those whose defence is made of layers, once for each layer that this machine has: it is on alone, and they must not
// win.
std::vector<Specimen> opened_but_for_a_layer(const std::vector<Specimen>& attacks);

Task task_of(const Specimen&);

}  // namespace hone
