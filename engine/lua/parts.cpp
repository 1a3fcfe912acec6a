#include "lua/parts.hpp"
#include <algorithm>
#include "base/error.hpp"
#include "base/option_table.hpp"
#include "lua/captured.hpp"
#include "lua/policy.hpp"
#include "lua/state.hpp"
#include "lua/tables.hpp"

namespace hone::lua {
namespace {

struct Source {
    std::string id;
    std::optional<Recipe> recipe;  // or
    Ref function;
};

fs::path find_part_file(lua_State* L, const std::string& address) {
    for (const fs::path& folder : State::of(L).folders())
        if (fs::exists(folder / "parts" / (address + ".lua"))) return folder / "parts" / (address + ".lua");
    return {};
}

Option read_option(const Json& row, const std::string& shown) {
    static const std::vector<std::string> keys = {"name", "kind", "preset", "allowed", "doc"};
    if (!row.is_object() || !row.contains("name"))
        throw Error(Blame::input, shown, "options: an entry is no table with a name",
                    "write options = { { name = \"n\", kind = \"int\", preset = \"4\", doc = \"...\" } }");
    for (const auto& [key, value] : row.items())
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
            throw Error(Blame::input, shown, "options: no key \"" + key + "\"", choose(key, keys, "keys"));
    const auto text = [&row](const char* key) {
        const Json value = row.value(key, Json(""));
        return value.is_string() ? value.get<std::string>() : value.dump();
    };
    return {text("name"), text("kind"), text("preset"), text("allowed"), text("doc")};
}

std::vector<Option> read_option_table(lua_State* L, int part, const std::string& shown) {
    std::vector<Option> table;
    if (lua_getfield(L, part, "options") == LUA_TTABLE)
        for (const Json& row : to_json(L, -1)) table.push_back(read_option(row, shown));
    lua_pop(L, 1);
    check_table(table, shown);
    return table;
}

// A part file returns a function, or {options = {...}, create = function(options) return function end}.
Ref run_part_file(lua_State* L, const fs::path& file, const std::string& address, const Json& given,
                  const std::string& place) {
    const std::string shown = "parts/" + address + ".lua";
    const std::string text = read_script(file);
    load_chunk(L, text, shown);
    State::of(L).session().take_in(shown, text);
    lua_call(L, 0, 1);
    if (lua_isfunction(L, -1)) {
        check_options({}, given, place);
        return Ref::pop(L);
    }
    if (!lua_istable(L, -1) || lua_getfield(L, -1, "create") != LUA_TFUNCTION)
        throw Error(Blame::input, shown, "returns no part",
                    "return a function, or { options = {...}, create = function(options) return a function end }");
    push_json(L, check_options(read_option_table(L, lua_absindex(L, -2), shown), given, place));
    lua_call(L, 1, 1);
    if (!lua_isfunction(L, -1)) throw Error(Blame::input, shown, "create returned no function");
    Ref function = Ref::pop(L);
    lua_pop(L, 1);
    return function;
}

// A part with an option "seed" that the script does not set gets one of the run's streams.
Json with_seed(const Run& run, const std::string& kind, const std::string& id, Json options, const Recipe& recipe) {
    if (!recipe.options.contains("seed") || !recipe.options["seed"].is_number_integer() || options.contains("seed"))
        return options;
    options["seed"] = run.derive(kind + "/" + id) >> 33;  // 31 bits, for parts whose seed is an int
    return options;
}

Source find_source(lua_State* L, Run& run, const std::string& kind, bool may_be_lua) {
    if (lua_isfunction(L, 2)) {
        if (!may_be_lua)
            throw Error(Blame::input, "run:" + kind,
                        "a Lua function cannot be a " + kind +
                            ": it works in a bench, another process, which gets id, options and file hash",
                        "write a plugin: `hone new` makes a folder for one");
        if (!lua_isnoneornil(L, 3))
            throw Error(Blame::input, "run:" + kind, "a Lua function takes no options here",
                        "let the function use what it needs, or write a file parts/" + kind + ".NAME.lua with options");
        lua_pushvalue(L, 2);
        return {"lua", std::nullopt, Ref::pop(L)};
    }
    const std::string id = get<std::string>(L, 2), place = kind + " \"" + id + "\"";
    const Json given = to_json_object(L, 3);
    if (may_be_lua)
        if (const fs::path file = find_part_file(L, kind + "." + id); !file.empty())
            return {id, std::nullopt, run_part_file(L, file, kind + "." + id, given, place)};
    Recipe recipe = make_recipe(kind, id, given, "");
    const Json seeded = with_seed(run, kind, id, given, recipe);
    if (seeded != given) recipe = make_recipe(kind, id, seeded, "");
    return {id, std::move(recipe), Ref()};
}

std::string text_of(lua_State* L, const Ref& function) {
    if (!function) return {};
    function.push(L);
    std::string text = function_text(L, -1);
    lua_pop(L, 1);
    return text;
}

int policy(lua_State* L) {
    const auto run = handle<Run>(L, 1);
    Source source = find_source(L, *run, "policy", true);
    const std::string text = text_of(L, source.function);
    const std::string name = run->unique_name(source.id);
    auto part =
        std::make_shared<PolicyHandle>(run, name, source.recipe ? std::make_unique<Policy>(*source.recipe) : nullptr,
                                       std::move(source.function), text);
    run->policies.push_back(part);
    push_handle(L, part);
    return 1;
}

template <class Part, class Instance> int either(lua_State* L, const char* kind) {
    Source source = find_source(L, *handle<Run>(L, 1), kind, true);
    auto part = std::make_shared<Part>();
    if (source.recipe) part->part = std::make_unique<Instance>(*source.recipe);
    part->function = std::move(source.function);
    push_handle(L, part);
    return 1;
}

int recipe(lua_State* L, const char* kind) {
    push_handle(L, std::make_shared<RecipePart>(*find_source(L, *handle<Run>(L, 1), kind, false).recipe));
    return 1;
}

int prompt(lua_State* L) { return either<PromptPart, Prompt>(L, "prompt"); }
int shaper(lua_State* L) { return either<ShaperPart, Shaper>(L, "shaper"); }
int verifier(lua_State* L) { return recipe(L, "verifier"); }
int timer(lua_State* L) { return recipe(L, "timer"); }
int reference(lua_State* L) { return recipe(L, "reference"); }

constexpr const char* common =
    " by the id of its plugin or part file, and its options (`hone plugins NAME` shows them)";

}  // namespace

Bindings part_bindings() {
    using enum Binding::Kind;
    const Field options = {"options", "table?", "the part's own"};
    const auto lua_or_id = [](const char* type) { return Field{"id", type, common}; };
    return {
        {method,
         "run:policy",
         policy,
         {lua_or_id("string|fun(request: hone.Request): string"), options},
         {{"policy", "hone.Policy", ""}},
         {},
         "A policy: who writes answers. As a function it gets a request {task, messages, exemplars, member, rng, "
         "temperature, max_tokens} "
         "for each member.",
         "0.1"},
        {method,
         "run:prompt",
         prompt,
         {lua_or_id("string|fun(task: hone.Task, exemplars: hone.Exemplar[], rng: hone.Rng): string|hone.Message[]"),
          options},
         {{"prompt", "hone.Prompt", ""}},
         {},
         "A prompt strategy: how a task and its exemplars are put to a policy; used by run:write.",
         "0.1"},
        {method,
         "run:shaper",
         shaper,
         {lua_or_id("string|fun(judgement: hone.Judgement, member: hone.Member): number?, string?"), options},
         {{"shaper", "hone.Shaper", ""}},
         {},
         "A reward shaper: judgements into rewards; used by run:shape.",
         "0.1"},
        {method,
         "run:verifier",
         verifier,
         {{"id", "string", common}, options},
         {{"recipe", "hone.Recipe", ""}},
         {},
         "A verifier for run:judge: how to build and launch on a device.",
         "0.1"},
        {method,
         "run:timer",
         timer,
         {{"id", "string", common}, options},
         {{"recipe", "hone.Recipe", ""}},
         {},
         "A timer for run:judge.",
         "0.1"},
        {method,
         "run:reference",
         reference,
         {{"id", "string", common}, options},
         {{"recipe", "hone.Recipe", ""}},
         {},
         "What runs a task's own definition, for run:judge: truth and baseline.",
         "0.1"},
    };
}

}  // namespace hone::lua
