// run:judge and judge:*, the calls that scripts make on a judge.
#include <algorithm>
#include "base/error.hpp"
#include "base/printable.hpp"
#include "domain/document_text.hpp"
#include "judge/call/settings.hpp"
#include "lua/judge.hpp"
#include "lua/parts.hpp"
#include "lua/tables.hpp"
#include "lua/task.hpp"
#include "run/interrupt.hpp"

namespace hone::lua {
namespace {

JudgeSession& judge_of(lua_State* L) { return *handle<JudgeSession>(L, 1); }

Recipe take_recipe(lua_State* L, const char* kind) {
    const int type = lua_getfield(L, 2, kind);
    const auto part = test_handle<RecipePart>(L, -1);
    if (!part || part->recipe.interface_name != kind) {
        const std::string got = type == LUA_TNIL ? "is missing"
                                : part           ? "is a " + part->recipe.interface_name
                                                 : std::string("is a ") + lua_typename(L, type);
        throw Error(Blame::input, "run:judge", std::string("option \"") + kind + "\" " + got,
                    std::string("write ") + kind + " = run:" + kind + "(\"...\")");
    }
    lua_pop(L, 1);
    return part->recipe;
}

// verifier, timer, reference; everything else is the judge's
Json take_options(lua_State* L) {
    std::vector<std::string> names = {"verifier", "timer", "reference"};
    for (const Option& option : judge_options()) names.push_back(option.name);
    Json options = Json::object();
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
        lua_pushvalue(L, -2);
        const std::string key = luaL_tolstring(L, -1, nullptr);
        lua_pop(L, 2);
        check_name("run:judge", key, names);
        if (key != "verifier" && key != "timer" && key != "reference") options[key] = to_json(L, -1);
    }
    return check_options(judge_options(), options, "run:judge");
}

int make(lua_State* L) {
    const auto run = handle<Run>(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    Json options = take_options(L);
    auto judge = std::make_shared<JudgeSession>(run, JudgePlan{take_recipe(L, "verifier"), take_recipe(L, "timer"),
                                                               take_recipe(L, "reference"), std::move(options)});
    run->judges.push_back(judge);
    push_handle(L, judge);
    return 1;
}

int brief(lua_State* L) {
    push_json(L, judge_of(L).brief(handle<TaskHandle>(L, 2)->task));
    return 1;
}

std::string text_of(lua_State* L, int table, const char* key, const std::string& absent) {
    const int type = lua_getfield(L, table, key);
    if (type != LUA_TSTRING && type != LUA_TNIL)
        throw Error(Blame::input, "candidate", std::string("\"") + key + "\" is no text");
    const std::string text = type == LUA_TNIL ? absent : Type<std::string>::get(L, -1);
    if (!is_utf8(text)) throw Error(Blame::input, "candidate", std::string("\"") + key + "\" is no UTF-8");
    lua_pop(L, 1);
    return text;
}

Candidate read_candidate(lua_State* L, int index, JudgeSession& judge, const Task& task) {
    if (!lua_istable(L, index))
        throw Error(Blame::input, "judge:submit", "a text or a candidate {code=, language=, plan=} expected");
    check_spelling(L, index, "candidate", {"code", "language", "plan"}, describe<Exemplar>().names());
    const std::string code = text_of(L, index, "code", "");
    if (code.empty()) throw Error(Blame::input, "judge:submit", "the candidate has no code");
    return make_candidate(task.name(), text_of(L, index, "language", first_name(judge.fences(task).front())), code,
                          text_of(L, index, "plan", ""));
}

int submit(lua_State* L) {
    JudgeSession& judge = judge_of(L);
    const auto task = handle<TaskHandle>(L, 2);
    bool fenced = true;
    JudgeSession::Submitted entry{judge.next_number, task->task, {}, {}, judge.run().last_op(), {}, {}};
    if (!lua_isnoneornil(L, 4)) {
        const Options options(L, 4);
        fenced = options.get("fenced", true);
        if (options.push("against") != LUA_TNIL) entry.against = read_candidate(L, lua_gettop(L), judge, entry.task);
        lua_pop(L, 1);
    }
    if (lua_type(L, 3) == LUA_TSTRING) {
        const ParsedAnswer parsed =
            parse_answer(task->task.name(), get<std::string>(L, 3), judge.fences(task->task), fenced);
        entry.candidate = parsed.candidate;
        if (!parsed.ok) entry.verdict = rejected(task->task.name(), "", Verdict::PARSE_ERROR, parsed.reason);
    } else {
        entry.candidate = read_candidate(L, 3, judge, entry.task);
    }
    judge.submitted.push_back(std::move(entry));
    if (!judge.run().next_is_recorded()) {  // else the journal may know its judgement
        auto& last = judge.submitted.back();
        if (!last.verdict)
            last.ticket = judge.submit(last.task, last.candidate, last.against ? &*last.against : nullptr);
    }
    lua_pushinteger(L, static_cast<lua_Integer>(judge.next_number++));
    return 1;
}

using Pending = std::deque<JudgeSession::Submitted>::iterator;

// The one of that ticket, argument 2; without it the first, in the order of submission, so that a run repeats: which
// bench is done first depends on the machine.
Pending find_pending(lua_State* L, JudgeSession& judge) {
    if (lua_isnoneornil(L, 2)) return judge.submitted.begin();
    const std::int64_t number = get<std::int64_t>(L, 2);
    const auto found = std::find_if(judge.submitted.begin(), judge.submitted.end(),
                                    [&](const auto& one) { return one.number == static_cast<std::uint64_t>(number); });
    if (found == judge.submitted.end())
        throw Error(Blame::input, "judge:collect", "no judgement of ticket " + std::to_string(number) + " is pending",
                    "give a number that judge:submit of this judge returned, once");
    return found;
}

Judgement wait_for(JudgeSession& judge, const Pending& which) {
    for (auto& one : judge.submitted)
        if (!one.ticket && !one.verdict)
            one.ticket = judge.submit(one.task, one.candidate, one.against ? &*one.against : nullptr);
    if (which->verdict) return *which->verdict;
    for (;; judge.poll(0.1)) {
        check_interrupt();
        if (auto judgement = judge.take(*which->ticket)) return std::move(*judgement);
        if (judge.works()) continue;
        const std::string task = which->task.name();
        judge.submitted.erase(which);
        throw Error(Blame::run, "judge:collect", "the judge has refused a candidate of task \"" + task + "\" before",
                    "what it said then tells why");
    }
}

// The judge gave what it had: the journal held this judgement before the program was submitted.
bool was_stored(const Run& run, const std::string& id, std::int64_t after) {
    return !run.journal.rows("SELECT 1 FROM judgement WHERE id = ? AND op <= ? LIMIT 1", {id, after}).empty();
}

int collect(lua_State* L) {
    JudgeSession& judge = judge_of(L);
    if (judge.submitted.empty() && lua_isnoneornil(L, 2)) return lua_pushnil(L), 1;
    Run& run = judge.run();
    const Pending which = find_pending(L, judge);
    const JudgeSession::Submitted first = *which;
    const Json key = {{"judge", judge.description()},
                      {"ticket", first.number},
                      {"task", first.task.hash()},
                      {"candidate", first.candidate.hash},
                      {"against", first.against ? Json(first.against->hash) : Json()}};
    run.operation("collect", key, [&](std::int64_t op) {
        run.journal.put_task(first.task);
        const Spending judging(run.spent.judging);
        const Judgement done = wait_for(judge, which);
        run.judged(done);
        if (!done.scorable()) run.tell_loss("judge", done.reason);
        const auto candidate = first.candidate.code.empty() ? std::nullopt : std::optional(first.candidate);
        run.journal.put_judgement({op, 0, 0}, {candidate, "", "", first.against}, done);
        return Json::object();
    });
    judge.submitted.erase(which);
    lua_pushinteger(L, static_cast<lua_Integer>(first.number));
    const Judgement judgement = run.journal.judgement({run.last_op(), 0, 0}).value();
    push_judgement(L, judgement);
    lua_pushboolean(L, was_stored(run, judgement.id, first.after));
    return 3;
}

int run_of_judge(lua_State* L) {
    push_handle(L, judge_of(L).shared_run());
    return 1;
}

}  // namespace

Bindings judge_bindings() {
    using enum Binding::Kind;
    return {
        {field, "judge.run", run_of_judge, {}, {{"run", "hone.Run", ""}}, {}, "The run that made it.", "0.1"},
        {method,
         "run:judge",
         make,
         {{"options", "table", "beside these, the judge's own"}},
         {{"judge", "hone.Judge", ""}},
         {{"verifier", "hone.Recipe", "from run:verifier"},
          {"timer", "hone.Recipe", "from run:timer"},
          {"reference", "hone.Recipe", "from run:reference"}},
         "A judge: builds, verifies and times candidates on one device. Workers start with the first candidate. "
         "`hone plugins judge` shows its own options, which stand beside the parts.",
         "0.1"},
        {method,
         "judge:brief",
         brief,
         {{"task", "hone.Task", ""}},
         {{"brief", "hone.Brief", ""}},
         {},
         "What an answer for the task must look like.",
         "0.1"},
        {method,
         "judge:submit",
         submit,
         {{"task", "hone.Task", ""},
          {"answer", "string|hone.Program", "an answer to parse, or a candidate"},
          {"options", "table?", ""}},
         {{"ticket", "integer", ""}},
         {{"fenced", "boolean?", "the program stands between fences (default true)"},
          {"against", "hone.Program?", "the ratio is taken to this program instead of the reference"}},
         "Hands over a candidate and returns at once.",
         "0.1"},
        {method,
         "judge:collect",
         collect,
         {{"ticket", "integer?", "of judge:submit; absent: the first that is pending"}},
         {{"ticket", "integer?", "nil: none is pending"},
          {"judgement", "hone.Judgement?", ""},
          {"stored", "boolean?", "the run had it before the program was submitted: nothing was taken anew"}},
         {},
         "Waits for the next judgement, in the order of submission, or for that of one ticket. One operation of the "
         "journal.",
         "0.1"},
    };
}

}  // namespace hone::lua
