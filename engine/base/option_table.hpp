// base/option_table.hpp: what makes a table of options fit to serve, and options that come as text.
#pragma once
#include <string>
#include <vector>
#include "base/options.hpp"

namespace hone {

// Throws Error(input): `place: option "n": there is no kind "nmu"; did you mean "num"? (kinds: ...)`. Likewise of a
// name that stands twice, of a range that cannot be read, and of a preset that is not allowed.
void check_table(const std::vector<Option>& table, const std::string& place);
// Each text of an object as its option wants it; one that the table does not name stays, and is refused later.
Json values_of_texts(const std::vector<Option>& table, Json given);

}  // namespace hone
