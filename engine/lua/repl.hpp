// lua/repl.hpp: lines from people. Plain input, or libedit's line editing where the machine has it.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include "lua/state.hpp"

namespace hone::lua {

class Repl {
public:
    explicit Repl(State&);
    void run_script();  // the session's; its locals become names at the prompt
    void loop();        // until end of input
    // One line; one that a further line must complete is kept for it. Returns what it printed would say: the values of
    // "=expression", or the error's text.
    std::string answer(const std::string& line);

private:
    std::optional<std::string> read_line();
    void compile(const std::string& line);
    bool incomplete(const std::string& text);
    std::string printed(int from);
    State& state_;
    Ref names_;                               // the prompt's own globals, over the script's
    std::string pending_;                     // lines of a statement that is not complete
    std::function<char*(const char*)> edit_;  // readline of libedit, if there
    std::function<void(const char*)> remember_;
};

}  // namespace hone::lua
