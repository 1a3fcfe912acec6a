#include "lua/state.hpp"
#include <algorithm>
#include <sstream>
#include "base/paths.hpp"
#include "base/printable.hpp"
#include "lua/api.hpp"
#include "lua/captured.hpp"
#include "lua/libraries.hpp"
#include "lua/reading.hpp"
#include "lua/tables.hpp"
#include "run/interrupt.hpp"

namespace hone::lua {
namespace {

constexpr int most_levels = 200;  // of a trace: of an endless recursion there are 200,000, each counted from the top

// "first.lua:12: in main chunk"; frames of C++ are left out, and those of hone's own scripts unless all are asked for
std::string frame(lua_State* L, lua_Debug* at, bool all) {
    lua_getinfo(L, "Slnt", at);
    if (*at->what == 'C' || (of_library(*at) && !all)) return "";
    const std::string where = std::string(at->short_src) + ":" + std::to_string(at->currentline) + ": in ";
    if (*at->what == 'm') return where + "main chunk";
    if (at->name) return where + at->namewhat + (*at->namewhat ? " " : "") + "'" + at->name + "'";
    return where + "function <" + at->short_src + ":" + std::to_string(at->linedefined) + ">";
}

// A text of such a file would end in the journal, a prompt or a hash.
void require_utf8(const std::string& text, const fs::path& path) {
    if (is_utf8(text)) return;
    std::istringstream lines(text);
    int number = 1;
    for (std::string line; std::getline(lines, line) && is_utf8(line);) ++number;
    throw Error(Blame::input, path.string(), "line " + std::to_string(number) + " is no UTF-8",
                "save the file as UTF-8");
}

}  // namespace

State::State(Session session) : session_(std::move(session)), L_(luaL_newstate()) {
    if (!L_) throw Error(Blame::environment, "lua", "no memory for a Lua state");
    *static_cast<State**>(lua_getextraspace(L_)) = this;
    lua_setallocf(L_, script_limits::Memory::allocate, &memory_);
    watch(L_);
    protect([this](lua_State*) { open_libraries(); });
}

State::~State() {
    session_.runs.clear();
    lua_close(L_);
}

const Bindings& State::bindings() const { return api(); }

void State::open_libraries() {
    luaL_openlibs(L_);
    open_api(L_);
    replace_libraries(L_);
}

State& State::of(lua_State* L) { return **static_cast<State**>(lua_getextraspace(L)); }

std::vector<fs::path> State::folders() const {
    std::vector<fs::path> all = folders_;
    for (const fs::path& folder : script_folders()) all.push_back(folder);
    return all;
}

std::vector<std::string> State::members(const std::string& owner) const {
    std::vector<std::string> names;
    for (const Binding& binding : api())
        if (binding.owner() == owner) names.push_back(binding.method());
    return names;
}

namespace {

// What error() was called with; a table without __tostring by what it holds, since its address says nothing.
void push_error_text(lua_State* L, int value) {
    const int top = lua_gettop(L);
    if (lua_istable(L, value) && luaL_getmetafield(L, value, "__tostring") == LUA_TNIL) try {
            return push(L, "error(table): " + to_json(L, value).dump());
        } catch (const std::exception&) {  // functions, or a cycle
        }
    lua_settop(L, top);
    luaL_tolstring(L, value, nullptr);
}

}  // namespace

int State::trace(lua_State* L) {
    State& state = of(L);
    std::vector<std::string> frames;
    lua_Debug at;
    for (int level = 1; level < most_levels && lua_getstack(L, level, &at); ++level)
        if (std::string line = frame(L, &at, state.session_.trace); !line.empty()) frames.push_back("\n  " + line);
    state.trace_.clear();
    if (frames.size() > 1)
        for (const std::string& line : frames) state.trace_ += line;
    push_error_text(L, 1);
    return 1;
}

void State::call(int arguments, int results) {
    const int base = lua_gettop(L_) - arguments;
    lua_pushcfunction(L_, trace);
    lua_insert(L_, base);
    const int status = lua_pcall(L_, arguments, results, base);
    lua_remove(L_, base);
    if (status == LUA_OK && !stopping_) return;
    raise(message(status));
}

std::string State::message(int status) {
    if (status == LUA_OK) return "interrupted";
    std::string text = luaL_tolstring(L_, -1, nullptr);
    lua_pop(L_, 2);
    if (status != LUA_ERRMEM || too_large_.empty()) return text;
    trace_.clear();
    return std::exchange(too_large_, "");
}

void State::protect(const std::function<void(lua_State*)>& body) {
    lua_pushcfunction(L_, [](lua_State* L) {
        return guarded(L, [L] {
            (*static_cast<const std::function<void(lua_State*)>*>(lua_touserdata(L, 1)))(L);
            return 0;
        });
    });
    lua_pushlightuserdata(L_, const_cast<std::function<void(lua_State*)>*>(&body));
    call(1, 0);
}

void State::raise(const std::string& message) {
    if (exit_code_) throw ScriptExit{*exit_code_};
    if (stopping_) throw Error(Blame::interrupted, "", "interrupted" + (session_.trace ? trace_ : ""));
    const bool known = !blamed_text_.empty() && message.ends_with(blamed_text_);
    throw Error(known ? blame_ : Blame::input, "", message + trace_);
}

void State::remember(Blame blame, const std::string& text) {
    blame_ = blame;
    blamed_text_ = text;
    if (blame == Blame::interrupted) stopping_ = true;
}

void State::exit(lua_State* L, int code) {
    exit_code_ = code;
    stopping_ = true;
    watch(L);
    fail(L, "os.exit");
}

// A look in 1000 instructions takes less than 0.1 ms of script.
void State::watch(lua_State* L) {
    const bool ends = stopping_ || (reading_ && reading_->over());
    lua_sethook(L, hook, LUA_MASKCOUNT, ends ? 1 : script_limits::look_every);
}

// Once the end is asked for, every instruction raises: pcall returns into the next error.
void State::hook(lua_State* L, lua_Debug* at) {
    State& state = of(L);
    if (interrupt_flag()) state.stopping_ = true;
    if (!state.stopping_ && state.reading_) return state.reading_->look(L, at);
    if (!state.stopping_) return;
    state.watch(L);
    fail(L, state.exit_code_ ? "os.exit" : "interrupted", 0);
}

void load_chunk(lua_State* L, const std::string& text, const std::string& shown, bool library) {
    const std::string name = (library ? "=" : "@") + shown;
    if (luaL_loadbufferx(L, text.data(), text.size(), name.c_str(), "t") == LUA_OK) {
        luaL_getsubtable(L, LUA_REGISTRYINDEX, chunk_texts);
        push(L, text);
        lua_setfield(L, -2, name.c_str());
        lua_pop(L, 1);
        return;
    }
    const std::string message = Type<std::string>::get(L, -1);
    lua_pop(L, 1);
    throw Error(Blame::input, "", message);
}

std::string read_script(const fs::path& path) {
    constexpr std::size_t most = 16 << 20;
    if (!fs::exists(path)) throw Error(Blame::input, path.string(), "there is no such script");
    std::string text = read_file(path, most);
    require_utf8(text, path);
    if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
    if (text.starts_with("#")) text.erase(0, text.find('\n'));  // keeps the line count
    return text;
}

}  // namespace hone::lua
