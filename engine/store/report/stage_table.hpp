// store/report/stage_table.hpp: the stage table for people: a line a row, and what its columns mean.
#pragma once
#include <string>
#include "base/json.hpp"

namespace hone {

// At most so wide: columns that no stage fills, then the least important ones, are left out.
std::string stage_table(const Json& stages, std::size_t width);

}  // namespace hone
