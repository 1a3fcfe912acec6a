// The module behind require "hone".
#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <optional>
#include "base/error.hpp"
#include "base/progress.hpp"
#include "base/quantity.hpp"
#include "base/random.hpp"
#include "base/stats.hpp"
#include "lua/options.hpp"
#include "lua/policy.hpp"
#include "lua/run.hpp"
#include "lua/state.hpp"
#include "lua/tables.hpp"
#include "store/runs.hpp"

namespace hone::lua {
namespace {

Session& session(lua_State* L) { return State::of(L).session(); }

// Dots alone would be a folder above, and what begins with a dash is an option on the command line.
bool names_a_folder(const std::string& name) {
    const auto fits = [](const char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || std::string("-_.").find(c) != std::string::npos;
    };
    return std::all_of(name.begin(), name.end(), fits) && name.find_first_not_of('.') != std::string::npos &&
           !name.starts_with('-');
}

const std::string& checked_name(const std::string& name) {
    if (!names_a_folder(name))
        throw Error(Blame::input, "hone.run", "name \"" + name + "\" is no name for a folder",
                    "use letters, digits, - _ and ., without - in front");
    return name;
}

std::string checked_folder(const std::string& folder) {
    if (folder.empty())
        throw Error(Blame::input, "hone.run", "dir is an empty text", "name a folder, or leave dir out");
    return folder;
}

// What a script is called, or a session without one.
std::string script_name(const Session& given) {
    const std::string stem = fs::path(given.script_path).stem().string();
    return stem.empty() ? "session" : stem;
}

// A script that names hone.run twice most often begins two runs, and would be refused at the second, hours later.
void warn_of_several(const Session& given, const char* flag) {
    if (!given.fresh && given.name.empty()) return;
    std::size_t calls = 0;
    for (std::size_t at = 0; (at = given.script_text.find("hone.run", at)) != std::string::npos; at += 8) {
        const std::size_t next = given.script_text.find_first_not_of(" \t", at + 8);
        calls += next != std::string::npos && std::string("({").find(given.script_text[next]) != std::string::npos;
    }
    if (calls > 1)
        Progress::say(std::string(flag) + " names one run: a second hone.run of this script will be refused");
}

// Of a new run: the command line's, else the script's own. With --new the session keeps it for the way on.
std::string run_name(Session& given, const Options& options) {
    const char* const flag = given.fresh ? "--new" : "--name";
    if (!given.runs.empty() && (given.fresh || !given.name.empty()))
        throw Error(Blame::usage, flag, "names one run, and this script begins a second one",
                    std::string("leave ") + flag + " out");
    warn_of_several(given, flag);
    const std::string own = options.get<std::string>("name", script_name(given)),
                      name = checked_name(given.name.empty() ? own : given.name);
    if (!given.fresh) return name;
    if (options.has("dir"))
        throw Error(Blame::usage, flag, "the script names its run's folder itself (dir)", "leave --new or dir out");
    return given.name = next_free_name(name);
}

int make_run(lua_State* L) {
    Session& given = session(L);
    lua_settop(L, 1);
    if (lua_isnil(L, 1)) {
        lua_newtable(L);
        lua_replace(L, 1);
    }
    const Options options(L, 1);
    const std::string name = run_name(given, options);
    const std::string folder = checked_folder(options.get<std::string>("dir", "runs/" + name));
    const std::int64_t every = options.get<std::int64_t>("checkpoint", 25);
    if (every < 1)
        throw Error(Blame::input, "hone.run", "checkpoint = " + std::to_string(every) + " is not at least 1");
    std::optional<double> budget;
    if (options.has("budget")) budget = options.get<double>("budget", 0);
    if (budget && !(*budget > 0))
        throw Error(Blame::input, "hone.run", "budget = " + plain_number(*budget) + " is not above 0 US dollars");
    push_handle(L, open_run(given, name, folder, static_cast<std::uint64_t>(options.get<std::int64_t>("seed", 1)),
                            every, budget));
    return 1;
}

int settings(lua_State* L) {
    const std::string name = get<std::string>(L, 1);
    const int type = lua_type(L, 2);
    if (type != LUA_TNUMBER && type != LUA_TSTRING && type != LUA_TBOOLEAN)
        throw Error(
            Blame::input, "hone.settings",
            "the default of \"" + name + "\" is a " + luaL_typename(L, 2) + ", neither number, text nor boolean");
    push_json(L, session(L).settings.read(name, to_json(L, 2)));
    return 1;
}

int interval(lua_State* L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    std::vector<double> values;
    const lua_Integer n = list_length(L, 1, "hone.interval");
    for (lua_Integer i = 1; i <= n; ++i, lua_pop(L, 1)) {
        lua_geti(L, 1, i);
        values.push_back(Type<double>::is(L, -1) ? Type<double>::get(L, -1) : NAN);
        if (!std::isfinite(values.back()))
            throw Error(Blame::input, "hone.interval",
                        "entry " + std::to_string(i) + " is " + luaL_tolstring(L, -1, nullptr) + ", no finite number");
    }
    if (values.size() < 2) return 0;
    const Interval found = mean_interval(values, 0.95);
    lua_pushnumber(L, found.lower);
    lua_pushnumber(L, found.upper);
    return 2;
}

int null(lua_State* L) { return lua_pushlightuserdata(L, nullptr), 1; }
int version(lua_State* L) { return lua_pushliteral(L, HONE_VERSION), 1; }

int absent(lua_State* L) { no_member(L, "hone", luaL_tolstring(L, 2, nullptr)); }

int load(lua_State* L) {
    lua_newtable(L);
    for (const Binding& binding : State::of(L).bindings()) {
        if (binding.owner() != "hone") continue;
        push_function(L, binding);
        if (binding.kind == Binding::Kind::field) lua_call(L, 0, 1);
        lua_setfield(L, -2, binding.method().c_str());
    }
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, absent);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    return 1;
}

}  // namespace

Bindings module_bindings() {
    using enum Binding::Kind;
    const std::vector<Field> value = {{"value", "any", ""}};
    return {
        {function,
         "hone.run",
         make_run,
         {{"options", "table?", ""}},
         {{"run", "hone.Run", ""}},
         {{"name", "string?", "of its folder (default: the script's name; `--name` wins)"},
          {"seed", "integer?", "every stream of the run derives from it (default 1)"},
          {"dir", "string?", "folder of journal and checkpoints (default runs/NAME)"},
          {"budget", "number?", "US dollars that its policies may spend, resumed runs together (default: no cap)"},
          {"checkpoint", "integer?", "updates of a policy between two checkpoints (default 25)"}},
         "Begins a run, or with `--resume` goes on with one; `--new` takes the next free name (\"NAME-2\").",
         "0.1"},
        {function,
         "hone.settings",
         settings,
         {{"name", "string", "such as \"rl.steps\""},
          {"default", "number|string|boolean", "the value without --set; gives the type"}},
         {{"value", "any", "of the default's type"}},
         {},
         "The value of `--set name=value`. Read all settings before the first blocking call: a later read is an "
         "error, and a --set that nobody read stops the script there, or at its end.",
         "0.1"},
        {function,
         "hone.options",
         options,
         {{"given", "table?", "what the caller passed"},
          {"defaults", "table", "every option with its default, hone.required or hone.optional"},
          {"place", "string", "such as \"run:sft\""},
          {"limits", "table?",
           "by option: {least, most}, where `most` may be absent and a whole `least` wants whole numbers; or the words "
           "that it may be"}},
         {{"options", "table", "with defaults filled in"}},
         {},
         "Checks the options of a stage. A misspelt or missing one, one of another type than a default that is a "
         "number or "
         "boolean, one beyond its limits, or a number that is NaN is an error on the script's own line.",
         "0.1"},
        {function,
         "hone.interval",
         interval,
         {{"values", "number[]", "independent of each other, such as one a task"}},
         {{"lower", "number?", "nil where there are fewer than two values"}, {"upper", "number?", ""}},
         {},
         "The 95 % interval of the mean that the values are drawn around (Student's t).",
         "0.1"},
        {field,
         "hone.required",
         required,
         {},
         value,
         {},
         "A default for hone.options: the option must be given.",
         "0.1"},
        {field,
         "hone.optional",
         optional,
         {},
         value,
         {},
         "A default for hone.options: the option may be absent.",
         "0.1"},
        {field, "hone.null", null, {}, value, {}, "Stands for null in a list.", "0.1"},
        {field, "hone.version", version, {}, {{"version", "string", ""}}, {}, "The program's version.", "0.1"},
    };
}

void open_module(lua_State* L) {
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "preload");
    lua_pushcfunction(L, load);
    lua_setfield(L, -2, "hone");
    lua_pop(L, 2);
}

}  // namespace hone::lua
