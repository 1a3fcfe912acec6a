// What every subcommand has in common: choosing it, --help, --quiet, and the one place where errors are printed.
#include <poll.h>
#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <system_error>
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/options.hpp"
#include "base/printable.hpp"
#include "base/progress.hpp"
#include "commands/command.hpp"
#include "commands/exit_codes.hpp"
#include "parts/crash.hpp"
#include "parts/handle.hpp"
#include "parts/in_part.hpp"

namespace hone {
namespace {

const Command& find_command(const std::string& name) {
    std::vector<std::string> names;
    for (const Command& command : all_commands()) {
        if (command.name == name) return command;
        if (!command.hidden) names.push_back(command.name);
    }
    throw Error(Blame::usage, "", "no command \"" + name + "\"" + suggestion(name, names), "see `hone --help`");
}

Blame blame_of(const std::error_code& fault) {
    const bool machine = fault == std::errc::no_space_on_device || fault == std::errc::permission_denied ||
                         fault == std::errc::read_only_file_system || fault == std::errc::io_error;
    return machine ? Blame::environment : Blame::input;  // input: links in a circle, a name that is too long
}

int dispatch(const std::vector<std::string>& words) {
    if (words.size() > 1 && words[0] == "help" && words[1].starts_with("exit"))  // "exit-codes", "exit codes"
        return std::fputs(exit_codes_text().c_str(), stdout), 0;
    if (words.size() > 1 && words[0] == "help") return dispatch({words[1], "--help"});
    if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
        std::fputs(overview_text(all_commands()).c_str(), words.empty() ? stderr : stdout);
        return words.empty() ? static_cast<int>(Blame::usage) : 0;
    }
    if (words[0] == "--version") return std::printf("hone %s\n", HONE_VERSION), 0;
    const Command& command = find_command(words[0]);
    const Arguments arguments = parse_arguments(command, {words.begin() + 1, words.end()});
    if (arguments.has("--help")) return std::fputs(help_text(command).c_str(), stdout), 0;
    Progress::set_quiet(arguments.has("--quiet"));
    if (command.hidden) return command.run(arguments);  // of a bench its worker tells
    tell_crashes();
    const PartWatch watch;
    return command.run(arguments);
}

// A reader such as `head` has all that it wants.
bool reader_went_away() {
    pollfd output{STDOUT_FILENO, 0, 0};
    return poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0;
}

// The last flush tells of its own part alone; the stream remembers that an earlier one failed.
void check_output() {
    std::fflush(stdout);
    if (std::ferror(stdout) && !reader_went_away())
        throw Error(Blame::environment, "standard output", "cannot be written", "is the disk full?");
}

// In words; for a program that asked for a document there is one of schema hone.error/1.
int tell(const Error& e, bool json) {
    std::fprintf(stderr, "hone: %s\n", shortened(printable(e.what())).c_str());
    const Json doc = {{"schema", "hone.error/1"},
                      {"exit_code", e.exit_code()},
                      {"place", e.place()},
                      {"cause", e.cause()},
                      {"cure", e.cure()}};
    if (json) std::fputs(document_text(doc).c_str(), stdout);
    return e.exit_code();
}

constexpr const char* of_parts = "`hone plugins --check` asks the part more";

}  // namespace

int run_program(const std::vector<std::string>& words) {
    const bool json = std::find(words.begin(), words.end(), "--json") != words.end();
    std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is an error of write(), told like any other
    try {
        const int code = dispatch(words);
        check_output();
        return code;
    } catch (const Error& e) {
        return tell(e, json);
    } catch (const PartBroken& e) {
        return tell(Error(Blame::environment, "", e.what(), of_parts), json);
    } catch (const PartFailed& e) {
        return tell(Error(Blame::environment, "", e.what(), of_parts), json);
    } catch (const std::bad_alloc&) {
        return tell(Error(Blame::environment, "", "out of memory"), json);
    } catch (const std::filesystem::filesystem_error& e) {
        return tell(Error(blame_of(e.code()), e.path1().string(), e.code().message()), json);
    } catch (const std::exception& e) {
        return tell(Error(Blame::run, "", "internal error: " + plain_words(e), "please report it"), json);
    }
}

}  // namespace hone
