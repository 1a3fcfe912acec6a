// store/report.hpp: what a run brought, as one document (schema hone.report/1, docs/wire.md) and as a table for people.
#pragma once
#include <string>
#include "store/journal.hpp"

namespace hone {

// {schema, run, seed, program_version, stages: [{stage, ...}] as run:record gave them, verdicts: {PASSED: n, ...},
// policies: who answered, as policy_of gives each, and notes?: [line], samples, tokens: {in, out}, usd}.
Json report_json(const Journal&);
// {name, model, ...} by an operation's key: a policy's name in the journal, and what it told of who answers; or null.
Json policy_of(const Json& key);
std::string policy_text(const Json& policy);  // "http base_url=https://... model=openai/m"
constexpr std::size_t report_width = 100;
// The stage table, at most so wide: columns that no stage fills, then the least important ones, are left out.
std::string report_text(const Json& report, std::size_t width = report_width);
std::string duration_text(double seconds);  // "0.8 s", "45 s", "3 min 05 s", "2 h 10 min"

}  // namespace hone
