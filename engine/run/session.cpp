#include "run/session.hpp"
#include <charconv>
#include "base/error.hpp"
#include "base/options.hpp"

namespace hone {
namespace {

template <class T>
Json number(const std::string& text, const std::string& name, const char* wanted, const Json& preset) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        throw Error(Blame::usage, "--set " + name + "=" + text, std::string(wanted) + " expected",
                    "the script's own value is " + preset.dump());
    return value;
}

}  // namespace

ScriptSettings::ScriptSettings(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos || equals == 0)
            throw Error(Blame::usage, "--set " + word, "no value", "write --set name=value");
        given_[word.substr(0, equals)] = word.substr(equals + 1);
    }
}

Json ScriptSettings::read(const std::string& name, const Json& preset) {
    asked_[name] = true;
    const auto found = given_.find(name);
    if (found == given_.end()) return preset;
    const std::string& text = found->second;
    if (preset.is_number_integer()) return number<std::int64_t>(text, name, "a whole number", preset);
    if (preset.is_number()) return number<double>(text, name, "a number", preset);
    if (!preset.is_boolean()) return text;
    if (text != "true" && text != "false")
        throw Error(Blame::usage, "--set " + name + "=" + text, "true or false expected",
                    "the script's own value is " + preset.dump());
    return text == "true";
}

void ScriptSettings::check_all_read() const {
    std::vector<std::string> names;
    for (const auto& [name, asked] : asked_) names.push_back(name);
    for (const auto& [name, text] : given_)
        if (!asked_.contains(name))
            throw Error(Blame::usage, "--set " + name + "=" + text,
                        "the script reads no setting \"" + name + "\" before its first blocking call",
                        choose(name, names, "settings"));
}

}  // namespace hone
