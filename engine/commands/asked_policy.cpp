#include "commands/asked_policy.hpp"
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include "base/option_table.hpp"
#include "base/paths.hpp"
#include "base/quantity.hpp"

namespace hone {

double flag_number(const Arguments& arguments, const std::string& command, const std::string& flag, double absent,
                   double least, double most) {
    if (!arguments.has(flag)) return absent;
    const std::string text = arguments.value(flag);
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end || !(value >= least && value <= most))
        throw Error(Blame::usage, command,
                    flag + " takes a number from " + plain_number(least) + " to " + plain_number(most) + ", not \"" +
                        text + "\"");
    return value;
}

std::int64_t flag_whole(const Arguments& arguments, const std::string& command, const std::string& flag,
                        std::int64_t absent, std::int64_t least, std::int64_t most) {
    const double value = flag_number(arguments, command, flag, static_cast<double>(absent), static_cast<double>(least),
                                     static_cast<double>(most));
    if (value != std::floor(value))
        throw Error(Blame::usage, command, flag + " takes a whole number, not \"" + arguments.value(flag) + "\"");
    return static_cast<std::int64_t>(value);
}

namespace {

// provider/model, unless there is such a path.
std::string policy_of(const Arguments& arguments) {
    const std::string model = arguments.at(0);
    const bool remote = model.find('/') != std::string::npos && model.front() != '/' && model.front() != '.' &&
                        !std::filesystem::exists(model);
    return arguments.value("--policy", remote ? "http" : "torch-lm");
}

// The options of --option NAME=VALUE, each in its kind.
Json options_of(const Arguments& arguments, const std::string& command, const std::string& policy) {
    const Library library = Library::open(find_part("policy", policy, plugin_folders()));
    Json given = Json::object();
    for (const Option& option : library.options())
        if (option.name == "model") given["model"] = arguments.at(0);  // else MODEL is a name for people
    for (const std::string& text : arguments.values("--option")) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos)
            throw Error(Blame::usage, command, "--option takes NAME=VALUE, not \"" + text + "\"");
        given[text.substr(0, equals)] = text.substr(equals + 1);
    }
    return values_of_texts(library.options(), std::move(given));
}

}  // namespace

Recipe asked_policy(const Arguments& arguments, const std::string& command) {
    const std::string id = policy_of(arguments);
    return make_recipe("policy", id, options_of(arguments, command, id), "");
}

}  // namespace hone
