// store/report/stage_row.hpp: what a row of the stage table may hold (hone.report/1).
#pragma once
#include <string>
#include "base/json.hpp"

namespace hone {

// Throws Error(input) where a known column has another type than it should, a number is not finite, or a name is nearly
// one of a known column. Other columns are a script's own.
void check_stage_row(const Json& row);

// Throws Error(input): `run:step: metric "loss": no finite number; leave out what could not be computed`.
void require_finite(const Json& values, const std::string& place, const std::string& noun);

bool is_own_column(const std::string& name);  // a script's, not hone's

}  // namespace hone
