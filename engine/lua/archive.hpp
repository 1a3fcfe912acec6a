// lua/archive.hpp: the passed candidates of a run so far, or those of one arm of it (a branch).
#pragma once
#include <optional>
#include <vector>
#include "lua/run.hpp"

namespace hone::lua {

struct Archive {
    static constexpr const char* lua_name = "hone.Archive";
    std::shared_ptr<Run> run;
    std::optional<std::int64_t> branched_at{};  // a branch: holds what operations before this one found, and
    std::vector<std::int64_t> own{};            // what these found
};

Bindings archive_bindings();  // run.archive, archive:find, archive:branch, archive:add

}  // namespace hone::lua
