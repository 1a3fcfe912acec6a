// hone run, hone repl, hone api: scripts.
#include <cstdio>
#include "base/options.hpp"
#include "commands/command.hpp"
#include "domain/documents.hpp"
#include "lua/api.hpp"
#include "lua/host.hpp"
#include "lua/state.hpp"

namespace hone {
namespace {

Session session_of(const Arguments& arguments) {
    Session session;
    session.settings = ScriptSettings(arguments.values("--set"));
    session.name = arguments.value("--name");
    if (arguments.has("--name") && session.name.empty())
        throw Error(Blame::usage, "--name", "the name is empty", "name the run, or leave --name out");
    session.resume = arguments.has("--resume");
    session.fresh = arguments.has("--new");
    if (session.resume && session.fresh)
        throw Error(Blame::usage, "--new", "begins a run, and --resume goes on with one", "leave one of them out");
    session.trace = arguments.has("--trace");
    if (arguments.count() == 0) return session;
    session.script_path = arguments.at(0);
    session.script_text = lua::read_script(session.script_path);
    return session;
}

int run_experiment(const Arguments& arguments) { return run_script(session_of(arguments)); }
int repl(const Arguments& arguments) {
    Session session = session_of(arguments);
    session.command = "repl";
    return run_repl(std::move(session));
}

int api(const Arguments& arguments) {
    std::fputs((arguments.has("--luacats")     ? lua::api_luacats()
                : arguments.has("--documents") ? documents_markdown()
                                               : lua::api_markdown())
                   .c_str(),
               stdout);
    return 0;
}

const Flag set = {"--set", "NAME=VALUE", "a setting that the script reads with hone.settings; may be repeated"};
const Flag name = {"--name", "NAME", "of the run, instead of the script's own"};
const Flag trace = {"--trace", "", "errors show the lines of hone's own stages too"};
const Flag resume = {"--resume", "", "go on with the run of that name: what its journal holds is not done again"};
const Flag fresh = {"--new", "", "begin another run where one of that name has done something: NAME-2, NAME-3, ..."};

}  // namespace

Command run_command() {
    return {
        "run",
        "SCRIPT",
        "run an experiment",
        "Ctrl-C saves what was learnt and ends; twice ends at once. A resumed run may have other settings: it goes\n"
        "on as long as the script does what its journal holds. So --set steps=6 prolongs a run of 3 steps.",
        {set, name, fresh, resume, trace},
        run_experiment};
}
Command repl_command() {
    return {"repl",
            "[SCRIPT]",
            "a prompt for Lua, after the script",
            "=expression prints its value; the script's locals can be named.",
            {set, name, fresh, resume, trace},
            repl};
}
Command api_command() {
    return {"api",
            "",
            "the Lua API, generated from the program",
            "",
            {{"--luacats", "", "stubs for editors (scripts/meta/hone.lua)"},
             {"--markdown", "", "the reference (docs/lua-api.md); the default"},
             {"--documents", "", "what parts and scripts read (hone/documents.md)"}},
            api};
}

}  // namespace hone
