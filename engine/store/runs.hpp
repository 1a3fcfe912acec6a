// store/runs.hpp: the runs of a working folder: runs/NAME/journal.sqlite.
#pragma once
#include <string>
#include <vector>
#include "base/paths.hpp"
#include "store/journal.hpp"

namespace hone {

std::vector<std::string> list_runs();  // names below runs/, in the order in which they were last written
// A run's folder, by folder or by name. Throws Error(input) with the nearest name and the newest runs.
fs::path find_run(const std::string& folder_or_name);
// What a user calls a run that is there: its folder's name. A copied or renamed folder's journal holds another.
std::string folder_name(const Journal&);
// The name, or "NAME-2", "NAME-3" and so on: the first of which runs/ holds no run.
std::string next_free_name(const std::string& name);

std::string last_step(const Journal&);  // "contrastive-rl step 7/36"; "" before the first run:step
// "running" (a process writes it), "finished", "failed", or "interrupted" (by Ctrl-C, by a signal)
std::string run_state(const Journal&);
// The state of a run before it was last resumed, and how much its journal holds.
std::string state_before_resume(const Journal&);
bool was_killed(const Journal&);  // of a resumed run: its start before noted no end
std::int64_t committed(const Journal&);

}  // namespace hone
