// store/report/report.hpp: what a run brought, as one document (schema hone.report/1, docs/wire.md) and as a table for
// people.
#pragma once
#include <string>
#include "store/journal.hpp"

namespace hone {

// {schema, run, seed, program_version, stages: [{stage, ...}] as run:record gave them, verdicts: {PASSED: n, ...},
// no_score as no_scores gives it, policies: who answered, as policy_of gives each, and notes?: [line], teachers as
// store/report/teachers.hpp gives them, samples, tokens: {in, out}, usd, usd_maybe: of that, what may have been billed,
// budget: null where there is none}.
Json report_json(const Journal&);
// {name, model, ...} of who answered a prompt, by its operation's key and its own row: a policy's name in the journal,
// and what it told of who answers; or null.
Json policy_of(const Json& key, const Json& prompt);
// What a run paid: for its answers, for those that held nothing, and what was sent and broke off, which may be billed.
double spent_usd(const Journal&);
double maybe_usd(const Journal&);             // the last of these alone
std::string policy_text(const Json& policy);  // "http base_url=https://... model=openai/m"
constexpr std::size_t report_width = 100;
// Who answered, the stage table and the table of teachers, at most so wide.
std::string report_text(const Json& report, std::size_t width = report_width);

}  // namespace hone
