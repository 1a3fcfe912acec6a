// lua/host.hpp: a script from start to end: run it, save what was learnt however it ends, and say how to go on.
#pragma once
#include <string>
#include "run/session.hpp"

namespace hone {

// Exit code of the program. Throws Error as the script left it; weights learnt since the last checkpoint are saved
// first.
int run_script(Session);
// The prompt after the script (or without one): a line is a statement or, with "=" before it, an expression. The
// script's locals can be named.
int run_repl(Session);

}  // namespace hone
