// run:write: prompt strategies, as parts or as functions.
#include "lua/write.hpp"
#include <set>
#include "base/error.hpp"
#include "base/progress.hpp"
#include "lua/exemplars.hpp"
#include "lua/judge.hpp"
#include "lua/messages.hpp"
#include "lua/parts.hpp"
#include "lua/policy.hpp"
#include "lua/rng.hpp"
#include "lua/tables.hpp"
#include "lua/task.hpp"

namespace hone::lua {
namespace {

constexpr int exemplars_at = 4;

// Sets the field `shown` of the messages on top of the stack, unless the prompt has said it.
void set_shown(lua_State* L, const std::vector<Json>& exemplars, const std::vector<Message>& messages,
               const std::optional<Json>& said) {
    push_json(L, said ? *said : shown_hashes(exemplars, messages));
    lua_setfield(L, -2, "shown");
}

// Exemplars that a prompt leaves out are told once: nothing else would look different.
void tell_left_out(const std::string& prompt, std::size_t given, std::size_t shown, const std::string& cure) {
    static std::set<std::string> told;
    if (shown >= given || !told.insert(prompt).second) return;
    Progress::say("hone: " + prompt + " shows " + std::to_string(shown) + " of the " + std::to_string(given) +
                  (given == 1 ? " exemplar" : " exemplars") + " that it was given; " + cure);
}

void write_by_part(lua_State* L, Prompt& prompt, const Task& task, std::uint64_t seed) {
    const auto exemplars = to_json(L, exemplars_at).get<std::vector<Json>>();
    const std::vector<Message> messages = prompt.write(to_json(task), exemplars, seed);
    push_messages(L, messages);
    set(L, "fenced", prompt.facts().value("fenced", 1.0) != 0);
    set_shown(L, exemplars, messages, {});
    const std::string& id = prompt.recipe().id;
    tell_left_out("prompt \"" + id + "\"", exemplars.size(), shown_hashes(exemplars, messages).size(),
                  "`hone plugins prompt." + id + "` names the option that limits them");
}

// prompt(task, exemplars, rng) -> text or messages
void write_by_function(lua_State* L, const Ref& function, const TaskHandle& task, std::uint64_t seed) {
    function.push(L);
    push_handle(L, std::make_shared<TaskHandle>(task));
    lua_pushvalue(L, exemplars_at);
    push_handle(L, std::make_shared<Rng>(Rng{Random(seed)}));
    lua_call(L, 3, 1);
    const int returned = lua_gettop(L);
    if (!lua_istable(L, returned) && !Type<std::string>::is(L, returned))
        throw Error(Blame::input, "run:write",
                    std::string("the prompt function returned a ") + luaL_typename(L, returned) +
                        ", neither text nor messages");
    const bool fenced = read_fenced(L, returned);
    const std::optional<Json> said = read_shown(L, returned);
    const std::vector<Message> messages = read_messages(L, returned);
    push_messages(L, messages);
    set(L, "fenced", fenced);
    const auto exemplars = to_json(L, exemplars_at).get<std::vector<Json>>();
    set_shown(L, exemplars, messages, said);
    if (said || !shown_hashes(exemplars, messages).empty()) return;  // how many it shows is its own choice
    tell_left_out("a prompt function", exemplars.size(), 0,
                  "put their code into its text, say what it shows in shown, or draw none (exemplars = \"none\")");
}

int facts(lua_State* L) {
    const auto prompt = handle<PromptPart>(L, 1);
    push_json(L, prompt->part ? prompt->part->facts() : Json::object());
    return 1;
}

int write(lua_State* L) {
    const bool none = lua_gettop(L) < exemplars_at;
    lua_settop(L, 6);
    const auto run = handle<Run>(L, 1);
    const auto prompt = handle<PromptPart>(L, 2);
    const auto task = handle<TaskHandle>(L, 3);
    const std::string name = get<std::string>(L, 5, std::string(task->task.name()));
    const auto judge = lua_isnoneornil(L, 6) ? nullptr : handle<JudgeSession>(L, 6);
    if (none) {
        lua_newtable(L);
        lua_replace(L, exemplars_at);
    }
    check_exemplars(L, exemplars_at, task->task.name(), "run:write");
    TaskHandle briefed = *task;
    briefed.task.brief = (judge ? *judge : run->default_judge()).brief(task->task);
    const std::string fences = briefed.task.brief->value("fences", "");
    make_canonical(L, exemplars_at, fences.substr(0, fences.find(' ')));
    const std::uint64_t seed = run->derive("prompt/" + name);
    if (prompt->part) write_by_part(L, *prompt->part, briefed.task, seed);
    else write_by_function(L, prompt->function, briefed, seed);
    return 1;
}

}  // namespace

Bindings write_bindings() {
    using enum Binding::Kind;
    return {
        {method,
         "prompt:facts",
         facts,
         {},
         {{"facts", "table",
           "by the part's own names: fenced (0: the whole answer is the program), speaks (only a policy that says the "
           "same reads it); empty for a Lua function"}},
         {},
         "What the part says of itself.",
         "0.1"},
        {method,
         "run:write",
         write,
         {{"prompt", "hone.Prompt", ""},
          {"task", "hone.Task", ""},
          {"exemplars", "hone.Exemplar[]?",
           "of this task, from the archive, with scores: records with hash and code; {} for none"},
          {"name", "string?", "names the random stream, such as \"rl/12/softmax\" (default: the task's name)"},
          {"judge", "hone.Judge?", "who briefs; the run's first unless said"}},
         {{"messages", "hone.Message[]",
           "with `fenced`: whether the answer's program stands between fences; and `shown`: hashes of the exemplars "
           "whose whole program the messages hold (a prompt that shortens programs sets `shown` itself)"}},
         {},
         "Messages for a task from a prompt strategy. The strategy sees the task with the verifier's `brief`, and of "
         "each "
         "exemplar's code the canonical text, without comments, free texts and sentences; names of up to 24 bytes "
         "stay.",
         "0.1"},
    };
}

}  // namespace hone::lua
