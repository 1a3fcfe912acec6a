// commands/judge/sweep.hpp: `hone judge --sweep`: one program at several timed shapes, as a table.
#pragma once
#include "commands/judge/request.hpp"

namespace hone {

// Judges at each shape and prints the table, or with --json one document (hone.sweep/1). Gives the exit code: 1 where a
// shape was rejected, else 4 where one could not be judged, else 0. Throws as read_request and judge_once do.
int sweep(const JudgeRequest&, const Arguments&);

}  // namespace hone
