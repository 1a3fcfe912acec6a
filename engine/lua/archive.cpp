#include "lua/archive.hpp"
#include <algorithm>
#include <limits>
#include "base/error.hpp"
#include "base/options.hpp"
#include "lua/judge.hpp"
#include "lua/rng.hpp"
#include "lua/tables.hpp"
#include "lua/task.hpp"

namespace hone::lua {
namespace {

int archive(lua_State* L) {
    push_handle(L, std::make_shared<Archive>(Archive{handle<Run>(L, 1)}));
    return 1;
}

void read_task(lua_State* L, const Run& run, const Options& options, Journal::Query& query) {
    const int type = options.push("task");
    std::string& name = query.task;
    if (const auto task = test_handle<TaskHandle>(L, -1)) name = task->task.name(), query.task_hash = task->task.hash();
    else if (type == LUA_TSTRING) name = Type<std::string>::get(L, -1);
    else if (type != LUA_TNIL) options.wrong("task", "task or its name", type);
    lua_pop(L, 1);
    const std::vector<std::string> known(run.task_names.begin(), run.task_names.end());
    if (type == LUA_TSTRING && !run.task_names.contains(name))
        if (const std::string near = suggestion(name, known); !near.empty())
            throw Error(Blame::input, "archive:find", "no suite of this script has a task \"" + name + "\"" + near);
}

// A speed-up in joules is none in seconds: no order holds both.
void require_one_unit(const std::vector<Exemplar>& rows) {
    for (const Exemplar& row : rows)
        if (const std::string& first = rows.front().unit; first != row.unit)
            throw Error(Blame::input, "archive:find",
                        "programs were measured in \"" + std::min(first, row.unit) + "\" and in \"" +
                            std::max(first, row.unit) + "\", which have no common order",
                        "say which: unit = \"" + std::min(first, row.unit) +
                            "\"; a stage takes an archive of its own: archive = run.archive:branch(), made before "
                            "programs are measured in another unit");
}

constexpr std::int64_t all_rows = std::numeric_limits<int>::max();

// Rows in the order of a random draw without replacement.
std::vector<Exemplar> drawn(std::vector<Exemplar> rows, Random& random) {
    for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random.below(i)]);
    return rows;
}

int find(lua_State* L) {
    const auto archive = handle<Archive>(L, 1);
    Run& run = *archive->run;
    const Options options(L, 2);
    if (!options.get("passed", true))
        throw Error(Blame::input, "archive:find", "the archive holds passed candidates only", "leave passed away");
    Journal::Query query;
    read_task(L, run, options, query);
    query.before_op = run.last_op() + 1;  // a resumed run must not see what lies ahead of it
    query.branched_at = archive->branched_at;
    query.own = archive->own;
    query.unit = options.get("unit", query.unit);
    const std::string order = options.get<std::string>("order", query.order);
    const std::int64_t limit = options.get<std::int64_t>("limit", all_rows);
    if (limit < 0) throw Error(Blame::input, "archive:find", "limit = " + std::to_string(limit) + " is not at least 0");
    query.order = order == "random" ? "age" : order;
    std::vector<Exemplar> rows = run.journal.find(query);
    require_one_unit(rows);
    if (order == "random") rows = drawn(std::move(rows), options.handle<Rng>("rng")->random);
    if (rows.size() > static_cast<std::size_t>(limit)) rows.resize(static_cast<std::size_t>(limit));
    lua_createtable(L, static_cast<int>(rows.size()), 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        push_exemplar(L, rows[i]);
        lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
    }
    return 1;
}

int branch(lua_State* L) {
    Archive copy = *handle<Archive>(L, 1);
    if (!copy.branched_at) copy.branched_at = copy.run->last_op() + 1;
    push_handle(L, std::make_shared<Archive>(std::move(copy)));
    return 1;
}

int run_of(lua_State* L) {
    push_handle(L, handle<Archive>(L, 1)->run);
    return 1;
}

// The operation of the group on top of the stack. Those of another run have the same numbers and mean other answers.
std::int64_t operation_of(lua_State* L, const Run& own, lua_Integer number) {
    const bool has_run = lua_istable(L, -1) && lua_getfield(L, -1, "run") != LUA_TNIL;
    const auto run = has_run ? test_handle<Run>(L, -1) : nullptr;
    if (!run || lua_getfield(L, -2, "op") != LUA_TNUMBER)
        throw Error(Blame::input, "archive:add", "entry " + std::to_string(number) + " is no group",
                    "give the list that run:rollout returned");
    if (run.get() != &own)
        throw Error(Blame::input, "archive:add",
                    "group " + std::to_string(number) + " is of run \"" + run->name + "\", the archive of run \"" +
                        own.name + "\"",
                    "an archive holds answers of its own run alone: add to a branch of that of \"" + run->name + "\"");
    return lua_tointeger(L, -1);
}

int add(lua_State* L) {
    Archive& archive = *handle<Archive>(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    const lua_Integer n = list_length(L, 2, "archive:add");
    for (lua_Integer g = 1; g <= n; lua_settop(L, 2), ++g) {
        lua_geti(L, 2, g);
        const std::int64_t op = operation_of(L, *archive.run, g);
        if (std::find(archive.own.begin(), archive.own.end(), op) == archive.own.end()) archive.own.push_back(op);
    }
    return 0;
}

}  // namespace

Bindings archive_bindings() {
    using enum Binding::Kind;
    return {
        {field,
         "run.archive",
         archive,
         {},
         {{"archive", "hone.Archive", ""}},
         {},
         "The passed candidates of this run so far.",
         "0.1"},
        {field, "archive.run", run_of, {}, {{"run", "hone.Run", ""}}, {}, "The run whose programs it holds.", "0.1"},
        {method,
         "archive:find",
         find,
         {{"options", "table", ""}},
         {{"exemplars", "hone.Exemplar[]", ""}},
         {{"task", "(hone.Task|string)?", "one task instance, or all of that name; absent: all"},
          {"passed", "boolean?", "true: there are no others"},
          {"order", "string?",
           "\"-speedup.lower\" (the default: best first), \"-speedup.estimate\", \"age\", \"-age\", or \"random\""},
          {"unit", "string?",
           "of the timer, \"s\"; absent: the one of all programs found, and an error where there are two"},
          {"rng", "hone.Rng?", "for order \"random\""},
          {"limit", "integer?", "so many at most; absent: all"}},
         "Distinct candidates with their newest judgement that counts, as of this point of the script: none with a "
         "defence off, or against another program.",
         "0.1"},
        {method,
         "archive:branch",
         branch,
         {},
         {{"archive", "hone.Archive", ""}},
         {},
         "An archive for one arm of an experiment: what this archive holds now, and later what is added to the branch.",
         "0.1"},
        {method,
         "archive:add",
         add,
         {{"groups", "hone.Group[]", "from run:rollout"}},
         {},
         {},
         "Adds the passed answers of a rollout of its own run to a branch. run.archive holds all of them anyway.",
         "0.1"},
    };
}

}  // namespace hone::lua
