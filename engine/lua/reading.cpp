#include "lua/reading.hpp"
#include "hone/script_limits.hpp"

namespace hone::lua {

Reading::Reading(lua_State* L, const std::string& shown)
    : state_(State::of(L)), outer_(state_.reading_), place_(shown) {
    state_.reading_ = this;
    if (outer_) return;
    state_.memory_.refused = false;
    state_.memory_.most = state_.memory_.used + script_limits::most_bytes;
}

Reading::~Reading() {
    if (state_.memory_.refused) state_.too_large_ = too_large();
    state_.reading_ = outer_;
    if (outer_) return;
    state_.memory_.most = script_limits::Memory().most;
    state_.watch(state_.raw());
}

bool Reading::over() const { return instructions_ >= script_limits::most_instructions; }

std::string Reading::too_large() const { return place_ + ": " + script_limits::too_large; }

void Reading::look(lua_State* L, lua_Debug* at) {
    lua_getinfo(L, "Sl", at);
    if (at->currentline > 0) place_ = std::string(at->short_src) + ":" + std::to_string(at->currentline);
    instructions_ += script_limits::look_every;
    if (!over()) return;
    state_.watch(L);  // from now on at each instruction, so that a pcall does not swallow it
    fail(L, script_limits::too_long, 0);
}

}  // namespace hone::lua
