#include "commands/command.hpp"
#include <algorithm>
#include <limits>
#include <sstream>
#include "base/options.hpp"
#include "commands/exit_codes.hpp"

namespace hone {
namespace {

const Flag help_flag{"--help", "", "show this text"}, quiet_flag{"--quiet", "", "no progress and no talk on stderr"};

std::vector<Flag> flags_of(const Command& command) {
    std::vector<Flag> flags = command.flags;
    flags.push_back(quiet_flag);
    flags.push_back(help_flag);
    return flags;
}

const Flag& find_flag(const Command& command, const std::vector<Flag>& flags, const std::string& name) {
    for (const Flag& flag : flags)
        if (flag.name == name) return flag;
    std::vector<std::string> names;
    for (const Flag& flag : flags) names.push_back(flag.name);
    throw Error(Blame::usage, command.name, "no flag \"" + name + "\"" + suggestion(name, names),
                "see `hone " + command.name + " --help`");
}

struct Words {
    std::size_t least = 0, most = 0;
};

Words expected_words(const Command& command) {
    std::istringstream in(command.words);
    Words expected;
    for (std::string word; in >> word; ++expected.most) expected.least += word.front() != '[';
    if (command.words.ends_with("...")) expected.most = std::numeric_limits<std::size_t>::max();
    return expected;
}

std::string usage_line(const Command& command) {
    return "hone " + command.name + (command.words.empty() ? "" : " " + command.words);
}

bool takes_word(const Flag& flag, const std::vector<std::string>& words, std::size_t next) {
    if (!flag.value.starts_with('[')) return !flag.value.empty();
    return next < words.size() && words[next][0] != '-' && words[next].find('=') != std::string::npos;
}

void check_count(const Command& command, std::size_t given) {
    const Words expected = expected_words(command);
    if (given >= expected.least && given <= expected.most) return;
    throw Error(Blame::usage, command.name, given < expected.least ? "too few arguments" : "too many arguments",
                "usage: " + usage_line(command) + " [flags]");
}

std::string padded(const std::string& text, std::size_t width) {
    return text + std::string(width > text.size() ? width - text.size() : 1, ' ');
}

}  // namespace

std::string Arguments::value(const std::string& flag, const std::string& absent) const {
    const auto found = flags_.find(flag);
    return found == flags_.end() ? absent : found->second.back();
}

std::vector<std::string> Arguments::values(const std::string& flag) const {
    const auto found = flags_.find(flag);
    return found == flags_.end() ? std::vector<std::string>() : found->second;
}

Arguments parse_arguments(const Command& command, const std::vector<std::string>& words) {
    Arguments parsed;
    const std::vector<Flag> flags = flags_of(command);
    bool only_words = false;  // after "--"
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (only_words || word.size() < 2 || word[0] != '-') {
            parsed.words_.push_back(word);
        } else if (word == "--") {
            only_words = true;
        } else {
            const std::size_t equals = word.find('=');
            const Flag& flag = find_flag(command, flags, word == "-h" ? "--help" : word.substr(0, equals));
            if (flag.value.empty() && equals != std::string::npos)
                throw Error(Blame::usage, command.name, flag.name + " takes no value");
            const bool takes = equals == std::string::npos && takes_word(flag, words, i + 1);
            if (takes && i + 1 == words.size())
                throw Error(Blame::usage, command.name, flag.name + " needs a value",
                            "write " + flag.name + " " + flag.value);
            parsed.flags_[flag.name].push_back(takes                         ? words[++i]
                                               : equals == std::string::npos ? ""
                                                                             : word.substr(equals + 1));
        }
    }
    if (!parsed.has("--help")) check_count(command, parsed.words_.size());
    return parsed;
}

std::string help_text(const Command& command) {
    std::ostringstream out;
    out << command.summary << "\n\nusage: " << usage_line(command) << " [flags]\n";
    if (!command.details.empty()) out << '\n' << command.details << '\n';
    out << '\n';
    const std::vector<Flag> flags = flags_of(command);
    std::size_t width = 0;
    for (const Flag& flag : flags) width = std::max(width, flag.name.size() + flag.value.size() + 3);
    for (const Flag& flag : flags)
        out << "  " << padded(flag.name + (flag.value.empty() ? "" : " " + flag.value), width) << flag.doc << '\n';
    return out.str();
}

std::string overview_text(const std::vector<Command>& commands) {
    std::ostringstream out;
    out << "hone teaches a language model to write faster kernels, and proves that they are faster.\n\nusage: hone "
           "COMMAND ...\n\n";
    std::size_t width = 0;
    for (const Command& command : commands)
        if (!command.hidden) width = std::max(width, command.name.size() + command.words.size() + 3);
    for (const Command& command : commands)
        if (!command.hidden)
            out << "  " << padded(command.name + " " + command.words, width) << command.summary << '\n';
    out << "\n`hone COMMAND --help` tells more. Exit codes (`hone help exit-codes`):\n";
    for (const ExitCode& row : exit_codes())
        out << (row.code ? row.code == static_cast<int>(Blame::input) ? ",\n" : ", " : "") << row.code << ' '
            << row.in_short;
    out << ".\n";
    return out.str();
}

}  // namespace hone
