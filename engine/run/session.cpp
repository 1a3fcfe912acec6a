#include "run/session.hpp"
#include <charconv>
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/options.hpp"
#include "base/printable.hpp"
#include "run/run.hpp"

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
        if (!is_utf8(word)) throw Error(Blame::usage, "--set " + valid_utf8(word), "is no UTF-8");
        given_[word.substr(0, equals)] = word.substr(equals + 1);
    }
}

Json ScriptSettings::read(const std::string& name, const Json& preset) {
    if (!closed_by_.empty())
        throw Error(Blame::input, "hone.settings",
                    "\"" + name + "\" is read after the script's first blocking call (" + closed_by_ + ")",
                    "read all settings at the script's top");
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

void ScriptSettings::close(const std::string& call) {
    if (!closed_by_.empty()) return;
    check_all_read();
    closed_by_ = call;
}

std::vector<std::string> ScriptSettings::words() const {
    std::vector<std::string> words;
    for (const auto& [name, text] : given_) words.push_back(name + "=" + text);
    return words;
}

void refuse_inside(const Session& session, const std::string& operation) {
    if (session.inside.empty()) return;
    throw Error(Blame::input, session.inside,
                "it calls for an operation (" + operation + ") within another one, and such a run could not be resumed",
                "do that in the script or in a stage of your own, and let the function work with what came of it");
}

void Session::take_in(const std::string& file, const std::string& text) {
    const std::string hash = modules[file] = sha256(text);
    for (const auto& run : runs) run->note_module(file, hash);
}

std::string for_shell(const std::string& word) {
    constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string resume_command(const Session& session) {
    std::string line = "hone " + session.command;
    if (!session.script_path.empty()) line += " " + for_shell(session.script_path);
    if (!session.name.empty()) line += " --name " + for_shell(session.name);
    for (const std::string& word : session.settings.words()) line += " --set " + for_shell(word);
    return line + " --resume";
}

}  // namespace hone
