#include "lua/archive.hpp"
#include "base/error.hpp"
#include "lua/judge.hpp"
#include "lua/rng.hpp"
#include "lua/task.hpp"

namespace hone::lua {
namespace {

int archive(lua_State* L) {
    push_handle(L, std::make_shared<Archive>(Archive{handle<Run>(L, 1)}));
    return 1;
}

std::string read_task(lua_State* L, const Options& options) {
    const int type = options.push("task");
    std::string name;
    if (const auto task = test_handle<TaskHandle>(L, -1)) name = task->task.name();
    else if (type == LUA_TSTRING) name = Type<std::string>::get(L, -1);
    else if (type != LUA_TNIL) options.wrong("task", "task or its name", type);
    lua_pop(L, 1);
    return name;
}

// Rows in the order of a random draw without replacement.
std::vector<Exemplar> drawn(std::vector<Exemplar> rows, std::int64_t limit, Random& random) {
    for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random.below(i)]);
    if (limit > 0 && rows.size() > static_cast<std::size_t>(limit)) rows.resize(static_cast<std::size_t>(limit));
    return rows;
}

int find(lua_State* L) {
    Run& run = *handle<Archive>(L, 1)->run;
    const Options options(L, 2);
    if (!options.get("passed", true))
        throw Error(Blame::input, "archive:find", "the archive holds passed candidates only", "leave passed away");
    Journal::Query query;
    query.task = read_task(L, options);
    query.before_op = run.last_op() + 1;  // a resumed run must not see what lies ahead of it
    const std::string order = options.get<std::string>("order", query.order);
    const std::int64_t limit = options.get<std::int64_t>("limit", 0);
    std::vector<Exemplar> rows;
    if (order == "random") {
        query.order = "age";
        rows = drawn(run.journal.find(query), limit, options.handle<Rng>("rng")->random);
    } else {
        query.order = order;
        query.limit = static_cast<int>(limit);
        rows = run.journal.find(query);
    }
    lua_createtable(L, static_cast<int>(rows.size()), 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        push_exemplar(L, rows[i]);
        lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
    }
    return 1;
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
        {method,
         "archive:find",
         find,
         {{"options", "table", ""}},
         {{"exemplars", "hone.Exemplar[]", ""}},
         {{"task", "(hone.Task|string)?", "one task instance; absent: all"},
          {"passed", "boolean?", "true: there are no others"},
          {"order", "string?",
           "\"-speedup.lower\" (the default: best first), \"-speedup.estimate\", \"age\", \"-age\", or \"random\""},
          {"rng", "hone.Rng?", "for order \"random\""},
          {"limit", "integer?", "so many at most"}},
         "Distinct candidates with their newest judgement, as of this point of the script.",
         "0.1"},
    };
}

}  // namespace hone::lua
