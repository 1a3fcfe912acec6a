// lua/state.hpp: one Lua as scripts see it: the standard libraries with strict globals, `pairs` in sorted key order, no
// shared random numbers,
// `require` of "hone", "hone.*" and files beside the script, and an end (Ctrl-C, os.exit) that pcall cannot swallow.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>
#include "base/error.hpp"
#include "hone/script_limits.hpp"
#include "lua/bind.hpp"
#include "run/session.hpp"

namespace hone::lua {

namespace fs = std::filesystem;

class Reading;

class State {
public:
    explicit State(Session session = {});
    ~State();
    State(const State&) = delete;
    static State& of(lua_State*);
    lua_State* raw() { return L_; }
    Session& session() { return session_; }
    const std::vector<Binding>& bindings() const;

    void add_folder(const fs::path& folder) {
        folders_.push_back(folder);
    }  // where `require` and part files are looked for, before script_folders()
    std::vector<fs::path> folders() const;

    // Calls the function below its arguments. Throws Error: `first.lua:12: cause`, then the frames of the user's
    // scripts (Session::trace: of all), one a line; ScriptExit.
    void call(int arguments, int results);
    void protect(const std::function<void(lua_State*)>& body);  // the same around C++ that uses Lua

    struct ScriptExit {
        int code;
    };  // os.exit was called
    [[noreturn]] void exit(lua_State*, int code);
    void remember(Blame, const std::string& text);  // whose fault the error text is that is about to be raised
    std::vector<std::string> members(const std::string& owner) const;  // names bound to it, for suggestions
    void watch(lua_State*);                             // (re)arms the hook behind Ctrl-C, os.exit and limits
    bool reads() const { return reading_ != nullptr; }  // a task file

private:
    friend class Reading;
    static void hook(lua_State*, lua_Debug*);
    static int trace(lua_State*);
    void open_libraries();
    [[noreturn]] void raise(const std::string& message);
    std::string message(int status);  // of the error on top of the stack
    Session session_;
    script_limits::Memory memory_;
    lua_State* L_;
    Reading* reading_ = nullptr;
    std::string too_large_;  // of the last file that was
    std::vector<fs::path> folders_;
    bool stopping_ = false;
    std::optional<int> exit_code_;
    Blame blame_ = Blame::input;
    std::string blamed_text_, trace_;
};

// Leaves the function of a chunk on the stack. `shown` is its name in messages; library: it is one of hone's own
// (of_library). Throws Error(input) for a syntax error.
void load_chunk(lua_State*, const std::string& text, const std::string& shown, bool library = false);
// its text, a first line "#!..." emptied; throws Error(input) if there is none
std::string read_script(const fs::path&);

}  // namespace hone::lua
