#include "lua/host.hpp"
#include <algorithm>
#include <cstdio>
#include "base/progress.hpp"
#include "lua/judge.hpp"
#include "lua/repl.hpp"
#include "lua/run.hpp"
#include "lua/state.hpp"
#include "parts/crash.hpp"
#include "parts/handle.hpp"
#include "parts/in_part.hpp"
#include "run/interrupt.hpp"

namespace hone {
namespace lua {
namespace {

// Saves while an error is on its way: what fails here is told, the error goes on.
void save_after_error(State& state, const Error& error) {
    for (const auto& run : state.session().runs) try {
            run->save_policies();
            run->note_error(error.blame() == Blame::interrupted ? "interrupted" : "failed");
        } catch (const std::exception& unsaved) {
            Progress::warn(std::string("hone: not saved: ") + unsaved.what());
        }
}

void save(State& state, int exit_code) {
    for (const auto& run : state.session().runs) {
        run->save_policies();
        if (exit_code == 0) run->tell_left();
        run->note_end(exit_code == 0 ? "finished" : "failed");
    }
}

std::string way_on(const Session& session) { return "the run is saved; go on with: " + resume_command(session); }

std::string with_way_on(const Session& session, const Error& error) {
    if (session.runs.empty()) return error.what();
    return error.what() + ("\n" + way_on(session));
}

// By a policy that refuses to answer (a quota, a key), not by a fault of the script.
bool broken_off(const Session& session) {
    return std::any_of(session.runs.begin(), session.runs.end(), [](const auto& run) { return run->broken_off; });
}

void execute(State& state) {
    Session& session = state.session();
    load_chunk(state.raw(), session.script_text, session.script_path);
    state.call(0, 0);
    session.settings.check_all_read();
}

// body, with Ctrl-C and os.exit brought to the end of the program
int supervised(State& state, const std::function<void()>& body) {
    WayOn after_a_crash;
    state.session().begun = [&] { after_a_crash.say(way_on(state.session())); };
    try {
        body();
        save(state, 0);
        return 0;
    } catch (const State::ScriptExit& exit) {
        save(state, exit.code);
        return exit.code;
    } catch (const Error& error) {
        save_after_error(state, error);
        if (error.blame() != Blame::interrupted && error.blame() != Blame::environment && !broken_off(state.session()))
            throw;
        throw Error(error.blame(), "", with_way_on(state.session(), error));
    }
}

constexpr const char* saves = "the run is saved, then it ends";

}  // namespace
}  // namespace lua

int run_script(Session session) {
    const InterruptGuard guard(lua::saves);
    set_stop_flag(&interrupt_flag());
    lua::State state(std::move(session));
    state.add_folder(lua::fs::absolute(state.session().script_path).parent_path());
    return lua::supervised(state, [&] { lua::execute(state); });
}

int run_repl(Session session) {
    const InterruptGuard guard(lua::saves);
    set_stop_flag(&interrupt_flag());
    lua::State state(std::move(session));
    if (!state.session().script_path.empty())
        state.add_folder(lua::fs::absolute(state.session().script_path).parent_path());
    return lua::supervised(state, [&] {
        lua::Repl repl(state);
        if (!state.session().script_path.empty()) repl.run_script();
        repl.loop();
    });
}

}  // namespace hone
