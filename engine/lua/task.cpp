#include "lua/task.hpp"
#include <algorithm>
#include "base/error.hpp"
#include "domain/document_text.hpp"
#include "lua/libraries.hpp"
#include "lua/strict.hpp"
#include "lua/tables.hpp"
#include "lua/task_file.hpp"

namespace hone::lua {
namespace {

// The document as a table, made once a handle.
void push_document(lua_State* L, int index) {
    if (lua_getiuservalue(L, index, 1) == LUA_TTABLE) return;
    lua_pop(L, 1);
    push_json(L, to_json(handle<TaskHandle>(L, index)->task));
    make_fields_strict<Task>(L);
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, index, 1);
}

std::vector<std::string> read_only_list(lua_State* L, const Options& options) {
    std::vector<std::string> only;
    const int type = options.push("only");
    if (type == LUA_TSTRING) only.push_back(Type<std::string>::get(L, -1));
    else if (type == LUA_TTABLE)
        for (const Json& name : to_json(L, -1))
            only.push_back(name.is_string() ? name.get<std::string>() : name.dump());
    else if (type != LUA_TNIL) options.wrong("only", "name or list of names", type);
    if (type == LUA_TTABLE && only.empty())
        throw Error(Blame::input, "run:suite", "the list `only` is empty", "leave it out for all tasks");
    lua_pop(L, 1);
    return only;
}

int suite(lua_State* L) {
    const auto run = handle<Run>(L, 1);
    const std::string name = get<std::string>(L, 2);
    SuiteFilter filter;
    if (!lua_isnoneornil(L, 3)) {
        const Options options(L, 3);
        filter.role = options.get<std::string>("role", filter.role);
        filter.limit = options.get<std::int64_t>("limit", 0);
        if (filter.limit < 0)
            throw Error(Blame::input, "run:suite", "limit = " + std::to_string(filter.limit) + " is not at least 0");
        filter.only = read_only_list(L, options);
    }
    std::vector<LoadedTask> loaded = read_suite(L, name, filter);
    if (loaded.empty())
        throw Error(Blame::input, "suite \"" + name + "\"", "no task of role \"" + filter.role + "\" is left",
                    "give another role, or role = \"all\"");
    lua_createtable(L, static_cast<int>(loaded.size()), 0);
    for (std::size_t i = 0; i < loaded.size(); ++i) {
        run->task_names.insert(loaded[i].task.name());
        push_handle(L, std::make_shared<TaskHandle>(
                           TaskHandle{std::move(loaded[i].task), std::move(loaded[i].program_template)}));
        lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
    }
    return 1;
}

int call_template(lua_State* L) {
    const auto task = handle<TaskHandle>(L, 1);
    luaL_checkany(L, 2);
    if (!task->program_template)
        throw Error(Blame::input, "task \"" + task->task.name() + "\"", "has no template",
                    "add template = function(draw, sizes) ... end to its file");
    task->program_template->push(L);
    lua_pushvalue(L, 2);
    push_json(L, task->task.shape);
    lua_call(L, 2, 1);
    return 1;
}

int has_template(lua_State* L) {
    lua_pushboolean(L, handle<TaskHandle>(L, 1)->program_template != nullptr);
    return 1;
}

}  // namespace

int task_member(lua_State* L) {
    push_document(L, 1);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, -2) != LUA_TNIL) return 1;
    static const std::vector<std::string> keys = describe<Task>().names();
    const std::string name = luaL_tolstring(L, 2, nullptr);
    if (std::find(keys.begin(), keys.end(), name) != keys.end()) return lua_pushnil(L), 1;
    std::vector<std::string> names = {"template", "has_template"};
    names.insert(names.end(), keys.begin(), keys.end());
    fail(L, "task has no \"" + name + "\"; " + choose(name, names, "members"));
}

int task_pairs(lua_State* L) {
    push_document(L, 1);
    lua_replace(L, 1);
    return sorted_pairs(L);
}

Bindings task_bindings() {
    using enum Binding::Kind;
    return {
        {method,
         "run:suite",
         suite,
         {{"name", "string", "a folder below suites/ of a script folder, or any folder of task files"},
          {"options", "table?", ""}},
         {{"tasks", "hone.Task[]", "in the order of the files, then of their shapes"}},
         {{"role", "string?", "\"train\" (the default), \"auxiliary\", \"held-out\", \"flawed\" or \"all\""},
          {"only", "(string|string[])?", "names of tasks, or of single instances; each of this role"},
          {"limit", "integer?", "so many at most; 0, the default: all"}},
         "The tasks of a suite: one object for each task and timed shape.",
         "0.1"},
        {method,
         "task:template",
         call_template,
         {{"draw", "any", "handed to the task file's function, which gets the timed sizes too"}},
         {{"code", "string", "a program"}},
         {},
         "A program from the task file's own `template` function: the template teacher's source.",
         "0.1"},
        {field,
         "task.has_template",
         has_template,
         {},
         {{"has", "boolean", ""}},
         {},
         "Whether the task file has a template.",
         "0.1"},
    };
}

}  // namespace hone::lua
