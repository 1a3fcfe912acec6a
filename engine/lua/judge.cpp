#include "lua/judge.hpp"
#include "lua/strict.hpp"
#include "lua/tables.hpp"

namespace hone::lua {

void push_judgement(lua_State* L, const Judgement& judgement) {
    push_json(L, to_json(judgement));
    make_fields_strict<Judgement>(L);
    make_strict<Judgement>(L, "judgement");
}

void push_exemplar(lua_State* L, const Exemplar& exemplar) {
    push_json(L, to_json(exemplar));
    make_fields_strict<Exemplar>(L);
}

}  // namespace hone::lua
