// The list of subcommands, in the order that `hone --help` shows them. Each lives in its own file and makes its entry there.
#include "commands/command.hpp"

namespace hone {

Command plugins_command();

const std::vector<Command>& all_commands() {
    static const std::vector<Command> commands = {
        plugins_command(),
    };
    return commands;
}

}  // namespace hone
