// commands/command.hpp: the program's subcommands. One table a command serves parsing, suggestions and help, so that
// they cannot disagree.
#pragma once
#include <map>
#include <string>
#include <vector>
#include "base/error.hpp"

namespace hone {

struct Flag {
    std::string name;  // "--against"
    // name of its value in the help text; empty: a switch; "[SIZES]": may be left out, and holds "=" if it is not
    std::string value;
    std::string doc;
};

class Arguments {  // a checked command line
public:
    const std::string& at(std::size_t i) const { return words_.at(i); }  // positional; see Command::words
    std::size_t count() const { return words_.size(); }
    std::string at_or(std::size_t i, const std::string& absent) const { return i < words_.size() ? words_[i] : absent; }
    bool has(const std::string& flag) const { return flags_.contains(flag); }
    std::string value(const std::string& flag, const std::string& absent = {}) const;  // the last one given
    std::vector<std::string> values(const std::string& flag) const;                    // in the order given

private:
    friend Arguments parse_arguments(const struct Command&, const std::vector<std::string>&);
    std::vector<std::string> words_;
    std::map<std::string, std::vector<std::string>> flags_;
};

struct Command {
    std::string name;
    std::string words;        // positional arguments: "TASK FILE"; "[NAME]" may be left out, "NAME..." repeated
    std::string summary;      // one line for `hone --help`
    std::string details;      // further lines for `hone NAME --help`, may be empty
    std::vector<Flag> flags;  // beside --help and --quiet, which every command has
    int (*run)(const Arguments&);
    bool hidden = false;  // not listed: for hone's own processes
};

// Throws Error(usage) that names the command, with a suggestion where a flag was misspelt.
Arguments parse_arguments(const Command&, const std::vector<std::string>& words);
std::string help_text(const Command&);
std::string overview_text(const std::vector<Command>&);

// Every subcommand; a new one is declared in commands/list.cpp.
const std::vector<Command>& all_commands();

// Runs the command line (words: without the program's name) and returns the exit code of DESIGN 7. Errors are printed
// once, on stderr.
int run_program(const std::vector<std::string>& words);

}  // namespace hone
