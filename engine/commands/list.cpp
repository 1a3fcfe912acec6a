// The list of subcommands, in the order that `hone --help` shows them. Each makes its entry in the
// file where it lives.
#include "commands/command.hpp"

namespace hone {

Command judge_command();
Command tasks_command();
Command plugins_command();
Command run_command();
Command new_command();
Command repl_command();
Command api_command();
Command runs_command();
Command report_command();
Command show_command();
Command replay_command();
Command best_command();
Command generate_command();
Command serve_command();
Command models_command();
Command zoo_command();
Command import_command();
Command export_command();
Command lint_command();
Command doctor_command();
Command worker_command();
Command bench_command();

const std::vector<Command>& all_commands() {
    static const std::vector<Command> commands = {
        run_command(),    repl_command(),   judge_command(),  tasks_command(),  plugins_command(), new_command(),
        runs_command(),   report_command(), show_command(),   replay_command(), best_command(),    generate_command(),
        serve_command(),  models_command(), import_command(), export_command(), lint_command(),    zoo_command(),
        doctor_command(), api_command(),    worker_command(), bench_command(),
    };
    return commands;
}

}  // namespace hone
