#include "lua/judge.hpp"
#include <algorithm>
#include "base/options.hpp"
#include "domain/document_text.hpp"
#include "domain/shaped_answer.hpp"
#include "lua/tables.hpp"

namespace hone::lua {
namespace {

// The names of a document's keys: those may be read as nil where the document lacks them, others are misspelt.
int absent_key(lua_State* L) {
    const auto& document = *static_cast<const DocumentText*>(lua_touserdata(L, lua_upvalueindex(1)));
    const std::string key = luaL_tolstring(L, 2, nullptr);
    const std::vector<std::string> names = document.names();
    static const std::vector<std::string> of_answer = describe<ShapedAnswer>().names();
    if (document.title == Judgement::title && std::find(of_answer.begin(), of_answer.end(), key) != of_answer.end())
        fail(L, "judgement has no \"" + key + "\"; the answer is a shaper's second argument: member.candidate.code, " +
                    "member.text, member.finish, member.tokens_out");
    if (std::find(names.begin(), names.end(), key) == names.end())
        fail(L, std::string(lua_tostring(L, lua_upvalueindex(2))) + " has no \"" + key + "\"; " +
                    choose(key, names, "keys"));
    return lua_pushnil(L), 1;
}

// The table on top of the stack refuses keys that its document does not have.
template <Document T> void make_strict(lua_State* L, const char* shown) {
    static const DocumentText document = describe<T>();
    if (luaL_newmetatable(L, T::title)) {
        lua_pushlightuserdata(L, const_cast<DocumentText*>(&document));
        lua_pushstring(L, shown);
        lua_pushcclosure(L, absent_key, 2);
        lua_setfield(L, -2, "__index");
    }
    lua_setmetatable(L, -2);
}

template <Document T> void make_field_strict(lua_State* L, const char* key) {
    if (lua_getfield(L, -1, key) == LUA_TTABLE) make_strict<T>(L, key);
    lua_pop(L, 1);
}

void push_document(lua_State* L, const Json& document) {
    push_json(L, document);
    make_field_strict<Speedup>(L, "speedup");
    make_field_strict<LogSpeedup>(L, "log_speedup");
}

}  // namespace

void push_judgement(lua_State* L, const Judgement& judgement) {
    push_document(L, to_json(judgement));
    make_strict<Judgement>(L, "judgement");
}

void push_exemplar(lua_State* L, const Exemplar& exemplar) { push_document(L, to_json(exemplar)); }

}  // namespace hone::lua
