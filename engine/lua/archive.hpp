// lua/archive.hpp: run.archive: the passed candidates of a run so far.
#pragma once
#include "lua/run.hpp"

namespace hone::lua {

struct Archive {
    static constexpr const char* lua_name = "hone.Archive";
    std::shared_ptr<Run> run;
};

Bindings archive_bindings();  // run.archive, archive:find

}  // namespace hone::lua
