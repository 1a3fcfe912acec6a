#include "commands/asked_policy.hpp"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include "base/option_table.hpp"
#include "base/paths.hpp"
#include "base/quantity.hpp"
#include "commands/models.hpp"

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

// By --option base_url anybody may be one.
bool is_provider(const std::string& name, const Arguments& arguments) {
    const auto options = arguments.values("--option");
    if (std::any_of(options.begin(), options.end(), [](const auto& one) { return one.starts_with("base_url="); }))
        return true;
    const Json rows = list_models(false);
    return std::any_of(rows.begin(), rows.end(), [&](const Json& row) { return row["name"] == name; });
}

// provider/model, unless there is such a path.
std::string policy_of(const Arguments& arguments, const std::string& command) {
    const std::string model = arguments.at(0);
    if (arguments.has("--policy")) return arguments.value("--policy");
    const bool remote = model.find('/') != std::string::npos && model.front() != '/' && model.front() != '.' &&
                        !std::filesystem::exists(model);
    if (!remote) return "torch-lm";
    if (const std::string first = model.substr(0, model.find('/')); !is_provider(first, arguments))
        throw Error(
            Blame::usage, command,
            model + ": there is no such folder or file here, and no provider \"" + first + "\" is known",
            "name a model that is here (`./dev demo` leaves one in runs/demo/checkpoints, `./dev model smollm2` "
            "fetches one), or provider/model (`hone models` lists the providers)");
    return "http";
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
    const std::string id = policy_of(arguments, command);
    return make_recipe("policy", id, options_of(arguments, command, id), "");
}

}  // namespace hone
