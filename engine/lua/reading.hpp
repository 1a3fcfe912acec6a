// lua/reading.hpp: a task file is only read: its Lua must come to an end, within bounds, and may not end the program.
#pragma once
#include <string>
#include "lua/state.hpp"

namespace hone::lua {

// While it lives, what runs in the state is a task file's. `shown` names the file in errors.
class Reading {
public:
    Reading(lua_State*, const std::string& shown);
    ~Reading();
    Reading(const Reading&) = delete;
    void look(lua_State*, lua_Debug*);  // by the state's hook; raises an error where the file takes too long
    bool over() const;                  // it took too long
    std::string too_large() const;      // "own.lua:3: needs more than ...": the place is that of the last look

private:
    State& state_;
    Reading* const outer_;  // of a file that reads another
    std::string place_;
    long instructions_ = 0;
};

}  // namespace hone::lua
