// The program: see commands/ for its subcommands.
#include "commands/command.hpp"

int main(int argc, char** argv) { return hone::run_program({argv + 1, argv + argc}); }
