// run:* beside parts, suites and rollouts.
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include "base/error.hpp"
#include "base/paths.hpp"
#include "base/printable.hpp"
#include "base/progress.hpp"
#include "base/quantity.hpp"
#include "base/terminal.hpp"
#include "lua/rng.hpp"
#include "lua/run.hpp"
#include "lua/state.hpp"
#include "lua/tables.hpp"
#include "store/report/report.hpp"
#include "store/report/stage_row.hpp"

namespace hone::lua {
namespace {

constexpr std::size_t widest_line = 200, mark_and_forecast = 30;  // columns
constexpr double worth_telling = 60;                              // seconds
constexpr const char* counts[] = {"round", "step", "epoch", "update"};

int rng(lua_State* L) {
    push_handle(L, std::make_shared<Rng>(Rng{Random(handle<Run>(L, 1)->seed, get<std::string>(L, 2))}));
    return 1;
}

std::string stage_name(lua_State* L, const char* place) {
    const std::string name = get<std::string>(L, 2);
    if (name.empty()) throw Error(Blame::input, place, "the name of the stage is an empty text", "name the stage");
    if (!is_utf8(name)) throw Error(Blame::input, place, "the name of the stage is no UTF-8");
    return name;
}

std::string shown(const Json& value) {
    char number[32];
    std::snprintf(number, sizeof number, "%.3g", value.is_number_float() ? value.get<double>() : 0);
    return value.is_number_float() ? number : value.is_string() ? value.get<std::string>() : value.dump();
}

// What counts comes first, how it went next. A terminal gets one line: "…" stands for what does not fit and is in the
// journal. A file gets all.
std::string one_line(const std::string& stage, Json metrics, std::size_t width) {
    std::string line = stage;
    bool whole = true;
    const auto take = [&](const char* key, const char* of) {
        if (!metrics.contains(key)) return;
        std::string field = std::string("  ") + key + " " + shown(metrics[key]);
        if (*of && metrics.contains(of)) field += "/" + shown(metrics[of]), metrics.erase(of);
        if (line == stage || line.size() + field.size() <= width) line += field;
        else whole = false;
        metrics.erase(key);
    };
    for (const char* count : counts) take(count, "of");
    for (const char* key : {"success", "typical", "reward", "loss", "lost", "cut"}) take(key, "");
    const Json rest = metrics;
    for (const auto& [key, value] : rest.items()) take(key.c_str(), "");
    return whole ? line : line + " …";
}

// "  about 12 min 00 s left"
std::string time_left(Run& run, const std::string& stage, const Json& metrics) {
    const auto number = [&](const char* key) { return metrics.contains(key) && metrics[key].is_number(); };
    const auto count = std::find_if(std::begin(counts), std::end(counts), number);
    if (count == std::end(counts) || !number("of")) return "";
    const std::optional<double> left =
        run.paces[stage + "/" + *count].left(monotonic_seconds(), metrics[*count], metrics["of"]);
    return left && *left > worth_telling ? "  about " + duration_text(*left) + " left" : "";
}

int step(lua_State* L) {
    Run& run = *handle<Run>(L, 1);
    const std::string stage = stage_name(L, "run:step");
    const Json metrics = to_json_object(L, 3);
    if (metrics.contains("stage"))
        throw Error(Blame::input, "run:step", "metric \"stage\": it is the name of the stage itself",
                    "give yours another name");
    require_finite(metrics, "run:step", "metric");
    run.operation("step", {{"stage", stage}}, [&](std::int64_t op) {
        Json document = metrics;
        document["stage"] = stage;
        run.journal.put_event(op, "step", document);
        const std::size_t columns = terminal_width(STDERR_FILENO, 0, widest_line),
                          room = columns == 0 ? std::string::npos
                                              : std::max(columns, 2 * mark_and_forecast) - mark_and_forecast;
        // streams of several runs in one script are told apart
        Progress::say((run.session.runs.size() > 1 ? run.name + "  " : "") + one_line(stage, metrics, room) +
                      time_left(run, stage, metrics));
        return metrics;
    });
    return 0;
}

bool differ(const Json& recorded, const Json& now) {
    if (!recorded.is_number() || !now.is_number()) return recorded != now;
    const double a = recorded.get<double>(), b = now.get<double>();
    return std::fabs(a - b) > 1e-9 * std::max(1.0, std::fabs(a));
}

// A module that was changed since may compute a row in another way: the recorded one stands, and is told as such.
void tell_difference(const std::string& stage, const Json& recorded, const Json& now) {
    for (const auto& [name, value] : now.items()) {
        const Json was = recorded.contains(name) ? recorded[name] : Json();
        if (!differ(was, value)) continue;
        Progress::warn("row \"" + stage + "\" stays as it was recorded: its " + name + " is " + was.dump() +
                       ", and the script now computes " + value.dump() + "; begin another run to record that");
        return;
    }
}

int record(lua_State* L) {
    Run& run = *handle<Run>(L, 1);
    const std::string stage = stage_name(L, "run:record");
    const Json given = to_json_object(L, 3);
    check_stage_row(given);
    Json row = run.operation("record", {{"stage", stage}}, [&](std::int64_t op) {
        run.journal.put_stage(op, stage, given);
        return given;
    });
    tell_difference(stage, row, given);
    row["stage"] = stage;
    run.stage_rows.push_back(std::move(row));
    return 0;
}

int report(lua_State* L) {
    const Run& run = *handle<Run>(L, 1);
    Json document = report_json(run.journal);
    document["stages"] = run.stage_rows;  // a resumed run's journal holds rows that lie ahead of this point
    document.erase("state");
    push(L, report_text(document, terminal_width(STDOUT_FILENO, report_width, report_width)));
    return 1;
}

int spent(lua_State* L) {
    const Run& run = *handle<Run>(L, 1);
    const Spent& s = run.spent;
    push_json(L, {{"sampling", s.sampling},
                  {"judging", s.judging},
                  {"learning", s.learning},
                  {"verifying", s.verifying},
                  {"timing", s.timing},
                  {"total", monotonic_seconds() - run.opened}});
    return 1;
}

int name(lua_State* L) { return push(L, handle<Run>(L, 1)->name), 1; }
int seed(lua_State* L) { return lua_pushinteger(L, static_cast<lua_Integer>(handle<Run>(L, 1)->seed)), 1; }
int folder(lua_State* L) { return push(L, handle<Run>(L, 1)->journal.folder()), 1; }

std::vector<fs::path> module_files(const State& state) {
    std::vector<fs::path> files;
    for (const fs::path& folder : state.folders())
        if (fs::is_directory(folder / "hone"))
            for (const auto& entry : fs::directory_iterator(folder / "hone")) files.push_back(entry.path());
    return files;
}

// For a list of what there is. Of hone's own files those that return a function where they are written; what a user's
// returns would only be known once it ran.
std::vector<std::string> stage_names(const std::vector<fs::path>& files) {
    std::vector<std::string> names;
    for (const fs::path& file : files)
        if (file.parent_path() != script_folders().back() / "hone" ||
            read_file(file).find("\nreturn function") != std::string::npos)
            names.push_back(file.stem().string());
    return names;
}

}  // namespace

void require_own(const Run& asked, const Run& of, const std::string& place, const std::string& what) {
    if (&asked == &of) return;
    throw Error(Blame::input, place, what + " is of run \"" + of.name + "\", and run \"" + asked.name + "\" is asked",
                "take both from one run");
}

int absent_run_member(lua_State* L) {
    return guarded(L, [L] {
        const std::string name = luaL_tolstring(L, 2, nullptr);
        const std::vector<fs::path> files = module_files(State::of(L));
        if (std::none_of(files.begin(), files.end(), [&](const fs::path& file) { return file.stem() == name; }))
            no_member(L, "run", name, stage_names(files));
        lua_getglobal(L, "require");
        push(L, "hone." + name);
        lua_call(L, 1, 1);
        if (!lua_isfunction(L, -1))
            fail(L,
                 "hone/" + name + ".lua is no stage: it returns a " + luaL_typename(L, -1) + "; use require \"hone." +
                     name + "\"",
                 2);
        return 1;
    });
}

Bindings run_bindings() {
    using enum Binding::Kind;
    return {
        {field, "run.name", name, {}, {{"name", "string", ""}}, {}, "The run's name.", "0.1"},
        {field, "run.seed", seed, {}, {{"seed", "integer", ""}}, {}, "The run's seed.", "0.1"},
        {field,
         "run.folder",
         folder,
         {},
         {{"folder", "string", ""}},
         {},
         "Where its journal and checkpoints lie.",
         "0.1"},
        {method,
         "run:rng",
         rng,
         {{"name", "string", "of the stream, such as \"rl/draw\""}},
         {{"rng", "hone.Rng", ""}},
         {},
         "A random stream from its start. Its draws depend on the run's seed and its name only.",
         "0.1"},
        {method,
         "run:step",
         step,
         {{"stage", "string", ""}, {"metrics", "table?", "names and values"}},
         {},
         {},
         "A line of progress, on the terminal and in the journal.",
         "0.1"},
        {method,
         "run:record",
         record,
         {{"stage", "string", ""},
          {"row", "table",
           "samples, success, typical, fallback, best_of_n, ... (plain ratios), which are checked, and any others"}},
         {},
         {},
         "A row of the stage table.",
         "0.1"},
        {method,
         "run:spent",
         spent,
         {},
         {{"seconds", "table", "{sampling, judging, learning, verifying, timing, total}"}},
         {},
         "Seconds of this process since it opened the run, by what the script waited for; of the judging, those in "
         "which a bench verified "
         "and timed. The journal does not hold them: what a resumed run finds there took no time.",
         "0.1"},
        {method, "run:report", report, {}, {{"table", "string", ""}}, {}, "The stage table as text.", "0.1"},
    };
}

}  // namespace hone::lua
