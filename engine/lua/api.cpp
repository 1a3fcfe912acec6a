#include "lua/api.hpp"

namespace hone::lua {

const Bindings& api() {
    static const Bindings all;
    return all;
}

void open_api(lua_State*) {}

}  // namespace hone::lua
