// lua/strict.hpp: plain tables that refuse to be read by a key that they cannot have: a misspelt one would be nil.
#pragma once
#include <string>
#include "domain/document_text.hpp"
#include "lua/stack.hpp"

namespace hone::lua {

// The table on top of the stack has the keys of a class of the API ("hone.Member"); `shown` names it in errors. Keys
// that the table lacks are nil, keys that the class lacks are an error. Scripts may add keys of their own.
void make_strict(lua_State*, const char* class_name, const char* shown);

// The same, of a document's keys. The text must outlive the state.
void make_strict(lua_State*, const DocumentText&, const std::string& shown);
template <Document T> void make_strict(lua_State* L, const std::string& shown) {
    static const DocumentText text = describe<T>();
    make_strict(L, text, shown);
}

// Documents within the document on top of the stack: its fields, and the entries of its lists.
template <Document T> void make_fields_strict(lua_State* L) {
    each_key<T>([&]<class Key>(const Key& key) {
        using Value = typename unwrapped<value_of<T, Key>>::type;
        const bool has = lua_getfield(L, -1, key.name) == LUA_TTABLE;
        if constexpr (Document<Value>)
            if (has) make_strict<Value>(L, key.name);
        if constexpr (is_list<Value>)
            if constexpr (Document<typename Value::value_type>)
                for (lua_Integer i = 1, n = has ? luaL_len(L, -1) : 0; i <= n; ++i) {
                    lua_geti(L, -1, i);
                    make_strict<typename Value::value_type>(L, std::string("an entry of ") + key.name);
                    lua_pop(L, 1);
                }
        lua_pop(L, 1);
    });
}

}  // namespace hone::lua
