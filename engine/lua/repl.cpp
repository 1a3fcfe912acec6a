#include "lua/repl.hpp"
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <utility>
#include "base/printable.hpp"
#include "run/interrupt.hpp"

namespace hone::lua {
namespace {

char locals_key;  // registry: where the return hook puts the main chunk's locals

// On return from the script's main chunk its locals are still there.
void catch_locals(lua_State* L, lua_Debug* at) {
    lua_getinfo(L, "S", at);
    if (*at->what != 'm') return;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &locals_key);
    for (int i = 1; const char* name = lua_getlocal(L, at, i); ++i) {
        if (*name == '(') lua_pop(L, 1);
        else lua_setfield(L, -2, name);
    }
    lua_pop(L, 1);
}

std::atomic<bool> dropped{false};  // Ctrl-C at the prompt: the lines so far are forgotten

// While a line is awaited nothing runs that an interrupt could end.
class PromptSignals {
public:
    PromptSignals() {
        struct sigaction action {};
        action.sa_flags = SA_RESTART;
        action.sa_handler = [](int) {
            dropped = true;
            constexpr char text[] = "\n(Ctrl-D ends)\n> ";
            [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, sizeof text - 1);
        };
        sigaction(SIGINT, &action, &old_);
    }
    ~PromptSignals() { sigaction(SIGINT, &old_, nullptr); }
    PromptSignals(const PromptSignals&) = delete;

private:
    struct sigaction old_ {};
};

}  // namespace

Repl::Repl(State& state) : state_(state) {
    lua_State* L = state_.raw();
    lua_newtable(L);
    lua_newtable(L);
    lua_pushglobaltable(L);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &locals_key);
    names_ = Ref::pop(L);
    state_.protect([this, L](lua_State*) {
        names_.push(L);
        lua_getglobal(L, "require");
        push(L, "hone");
        lua_call(L, 1, 1);
        lua_setfield(L, -2, "hone");
        lua_pop(L, 1);
    });
    if (!isatty(STDIN_FILENO)) return;
    void* library = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    edit_ = reinterpret_cast<char* (*)(const char*)>(dlsym(library, "readline"));
    remember_ = reinterpret_cast<int (*)(const char*)>(dlsym(library, "add_history"));
}

void Repl::run_script() {
    lua_State* L = state_.raw();
    load_chunk(L, state_.session().script_text, state_.session().script_path);
    lua_sethook(L, catch_locals, LUA_MASKRET, 0);
    state_.call(0, 0);
    state_.watch(L);
}

std::optional<std::string> Repl::read_line() {
    const PromptSignals signals;
    const char* prompt = pending_.empty() ? "> " : ">> ";
    if (edit_) {
        char* line = edit_(prompt);
        if (!line) return std::nullopt;
        const std::string text = line;
        std::free(line);
        if (remember_ && !text.empty()) remember_(text.c_str());
        return text;
    }
    if (isatty(STDIN_FILENO)) std::fputs(prompt, stderr);
    std::string text;
    return std::getline(std::cin, text) ? std::optional(text) : std::nullopt;
}

void Repl::loop() {
    while (const auto line = read_line()) {
        if (dropped.exchange(false)) pending_.clear();
        const std::string said = answer(*line);
        if (!said.empty()) std::printf("%s\n", printable(said).c_str());
        std::fflush(stdout);
    }
    if (!pending_.empty()) std::printf("prompt: the last statement is not complete\n");
}

bool Repl::incomplete(const std::string& text) {
    const int top = lua_gettop(state_.raw());
    try {
        compile(text);
    } catch (const Error& error) {
        return std::string_view(error.what()).ends_with("near <eof>");
    }
    lua_settop(state_.raw(), top);
    return false;
}

void Repl::compile(const std::string& line) {
    lua_State* L = state_.raw();
    load_chunk(L, line.starts_with("=") ? "return " + line.substr(1) : line, "prompt");
    names_.push(L);
    lua_setupvalue(L, -2, 1);
}

std::string Repl::printed(int from) {
    lua_State* L = state_.raw();
    std::string text;
    for (int i = from; i <= lua_gettop(L); ++i) {
        text += (text.empty() ? "" : "\t") + std::string(luaL_tolstring(L, i, nullptr));
        lua_pop(L, 1);
    }
    return text;
}

std::string Repl::answer(const std::string& line) {
    pending_ += (pending_.empty() ? "" : "\n") + line;
    if (incomplete(pending_)) return "";
    const std::string text = std::exchange(pending_, "");
    const int top = lua_gettop(state_.raw());
    try {
        compile(text);
        state_.call(0, LUA_MULTRET);
        const std::string values = printed(top + 1);
        lua_settop(state_.raw(), top);
        return values;
    } catch (const Error& error) {
        lua_settop(state_.raw(), top);
        if (error.blame() == Blame::interrupted) throw;
        return error.what();
    }
}

}  // namespace hone::lua
