// The list of subcommands, in the order that `hone --help` shows them. Each lives in its own file and makes its entry there.
#include "commands/command.hpp"

namespace hone {

Command plugins_command();
Command runs_command();
Command report_command();
Command show_command();
Command best_command();

const std::vector<Command>& all_commands() {
    static const std::vector<Command> commands = {
        plugins_command(), runs_command(), report_command(), show_command(), best_command(),
    };
    return commands;
}

}  // namespace hone
