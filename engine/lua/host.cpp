#include "lua/host.hpp"
#include <cstdio>
#include "base/progress.hpp"
#include "lua/judge.hpp"
#include "lua/repl.hpp"
#include "lua/run.hpp"
#include "lua/state.hpp"
#include "parts/crash.hpp"
#include "parts/handle.hpp"
#include "run/interrupt.hpp"

namespace hone {
namespace lua {
namespace {

// Saves while an error is on its way: what fails here is told, the error goes on.
void save_after_error(State& state) {
    for (const auto& run : state.session().runs) try {
            run->save_policies();
        } catch (const std::exception& error) {
            Progress::say(std::string("hone: not saved: ") + error.what());
        }
}

std::string way_on(const Session& session) {
    return "the run is saved; go on with: hone run " + session.script_path +
           (session.name.empty() ? "" : " --name " + session.name) + " --resume";
}

std::string with_way_on(const Session& session, const Error& error) {
    if (session.runs.empty()) return error.what();
    return error.what() + ("\n" + way_on(session));
}

void execute(State& state) {
    Session& session = state.session();
    load_chunk(state.raw(), session.script_text, session.script_path);
    state.call(0, 0);
    session.settings.check_all_read();
    for (const auto& run : session.runs) run->save_policies();
}

// body, with Ctrl-C and os.exit brought to the end of the program
int supervised(State& state, const std::function<void()>& body) {
    const WayOn after_a_crash(way_on(state.session()), [&] { return !state.session().runs.empty(); });
    try {
        body();
        return 0;
    } catch (const State::ScriptExit& exit) {
        for (const auto& run : state.session().runs) run->save_policies();
        return exit.code;
    } catch (const Error& error) {
        save_after_error(state);
        if (error.blame() != Blame::interrupted && error.blame() != Blame::environment) throw;
        throw Error(error.blame(), "", with_way_on(state.session(), error));
    }
}

}  // namespace
}  // namespace lua

int run_script(Session session) {
    const InterruptGuard guard;
    set_stop_flag(&interrupt_flag());
    lua::State state(std::move(session));
    state.add_folder(lua::fs::absolute(state.session().script_path).parent_path());
    return lua::supervised(state, [&] { lua::execute(state); });
}

int run_repl(Session session) {
    const InterruptGuard guard;
    set_stop_flag(&interrupt_flag());
    lua::State state(std::move(session));
    if (!state.session().script_path.empty())
        state.add_folder(lua::fs::absolute(state.session().script_path).parent_path());
    return lua::supervised(state, [&] {
        lua::Repl repl(state);
        if (!state.session().script_path.empty()) repl.run_script();
        repl.loop();
        for (const auto& run : state.session().runs) run->save_policies();
    });
}

}  // namespace hone
