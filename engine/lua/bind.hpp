// lua/bind.hpp: bound functions. One table entry makes the function, checks its options, and documents it (`hone api`).
#pragma once
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>
#include "base/options.hpp"
#include "lua/stack.hpp"

namespace hone::lua {

struct Field {
    const char *name, *type, *text;  // type in LuaCATS terms, "?" at its end: may be absent
};

struct Binding {
    enum class Kind { function, method, field };
    Kind kind;
    const char* name;               // "hone.run", "run:policy", "policy.trainable"
    int (*call)(lua_State*);        // may throw std::exception; a field's gets the handle and pushes its value
    std::vector<Field> parameters;  // without self; one called "options" is a table of the fields below
    std::vector<Field> results;
    std::vector<Field> options;
    const char *text, *since;
    std::string method() const;  // "policy"
    std::string owner() const;   // "run"
};
using Bindings = std::vector<Binding>;

// Pushes the function of a binding. Its std::exceptions become Lua errors `first.lua:12: text`.
void push_function(lua_State*, const Binding&);

// Makes the metatable `lua_name` of a handle: methods and fields of `owner`, collect as __gc. What is neither is passed
// to `absent` (table-like access on the handle), which by default is the error: policy has no "lern"; did you mean
// "learn"? (members: adapt, ...).
void make_class(lua_State*, const char* lua_name, const std::string& owner, const Bindings&, lua_CFunction collect,
                lua_CFunction absent = nullptr);
// The error of an absent member, naming the nearest and all there are.
[[noreturn]] void no_member(lua_State*, const std::string& owner, const std::string& name,
                            const std::vector<std::string>& more = {});

// An error of a Lua callback on its way through C++: its text already begins with its place.
struct PlacedError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Turns what `body` throws into a Lua error: for callbacks that Lua enters without a binding.
int guarded(lua_State*, const std::function<int()>& body);

// Throws Error(input): `run:sft: no option "epocs"; did you mean "epochs"? (options: epochs, lr)`.
void check_name(const std::string& place, const std::string& given, const std::vector<std::string>& names);

// Throws Error(input) for a key of the record that is near one of its names and none of them: `candidate: no key
// "langage"; did you mean "language"?`. A record may hold whatever else the script keeps there. known: of such keys
// those that are right.
void check_spelling(lua_State*, int record, const std::string& place, const std::vector<std::string>& names,
                    const std::vector<std::string>& known = {});

// The options table of the running binding. Unknown keys are refused at once: `run:sft: no option "epocs"; did you mean
// "epochs"?`
class Options {
public:
    Options(lua_State* L, int index);
    bool has(const char* name) const;
    int push(const char* name) const;  // pushes the value or nil; returns its type
    template <class T> T get(const char* name) const {
        const int type = push(name);
        if (!Type<T>::is(L_, -1)) wrong(name, Type<T>::name, type);
        T value = Type<T>::get(L_, -1);
        lua_pop(L_, 1);
        return value;
    }
    template <class T> T get(const char* name, T absent) const { return has(name) ? get<T>(name) : absent; }
    template <class T> std::shared_ptr<T> handle(const char* name) const {
        push(name);
        auto object = test_handle<T>(L_, -1);
        if (!object) wrong(name, handle_name<T>, lua_type(L_, -1));
        lua_pop(L_, 1);
        return object;
    }
    [[noreturn]] void wrong(const char* name, const std::string& wanted, int got) const;

private:
    lua_State* L_;
    int index_;
    const Binding* binding_;
};

}  // namespace hone::lua
