#include "store/changes.hpp"
#include <map>
#include <sstream>
#include "store/journal.hpp"

namespace hone {
namespace {

constexpr std::size_t longest_value = 120;  // that is told

std::string shown(const Json& value) {
    const std::string text = value.is_null() ? "none" : value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return text.size() <= longest_value ? text : "";
}

struct Line {
    int number;
    Json was, is;  // null: that text has ended
};

Line first_changed_line(const std::string& then, const std::string& now) {
    std::istringstream old_lines(then), new_lines(now);
    for (int number = 1;; ++number) {
        std::string was, is;
        const bool old = static_cast<bool>(std::getline(old_lines, was)), fresh(std::getline(new_lines, is));
        if (was == is && old == fresh && old) continue;
        return {number, old ? Json(was) : Json(), fresh ? Json(is) : Json()};
    }
}

bool has_lines(const Json& value) {
    return value.is_string() && value.get_ref<const std::string&>().find('\n') != std::string::npos;
}

// What an operation's key holds the hash of, since it is long.
const std::map<std::string, std::string>& hashed() {
    static const std::map<std::string, std::string> names = {
        {"prompts", "list of prompts"},
        {"sequences", "list of sequences"},
        {"weights", "list of weights"},
        {"texts", "list of texts"},
        {"task", "definition of its task"},
        {"candidate", "program"},
        {"against", "program to compare with"},
        {"asks.function", "function as policy, or another value that it uses"},
        {"asks.content", "content of the policy's files"},
    };
    return names;
}

}  // namespace

std::string changed_settings(const Json& then, const Json& now) {
    const auto said = [](const Json& settings, const std::string& name) {
        const Json value = settings.value(name, Json("not set"));
        return value.is_string() ? value.get<std::string>() : shown(value);
    };
    if (!then.is_object() || !now.is_object()) return {};  // of a run without any
    Json names = then;
    names.update(now);
    std::string text;
    for (const auto& [name, value] : names.items()) {
        const std::string before = said(then, name), after = said(now, name);
        if (before == after) continue;
        const bool set = now.contains(name);
        text += (text.empty() ? "" : ", ") + name + (set ? "=" + after : " is not set") + " (was " + before + ")";
    }
    return text;
}

std::string was_and_is(const Json& was, const Json& is) {
    if (has_lines(was) || has_lines(is)) {
        const auto text = [](const Json& value) { return value.is_string() ? value.get<std::string>() : ""; };
        const Line line = first_changed_line(text(was), text(is));
        return ", line " + std::to_string(line.number) + was_and_is(line.was, line.is);
    }
    const std::string before = shown(was), after = shown(is);
    return before.empty() || after.empty() ? "" : ": " + before + ", now " + after;
}

std::optional<std::string> first_difference(const Json& recorded, const Json& now) {
    if (recorded.is_object() && now.is_object() && recorded.value("stage", Json()) != now.value("stage", Json()))
        return "stage";  // of another call all the rest may differ
    const Json patch = Json::diff(recorded, now);
    if (patch.empty()) return std::nullopt;
    std::string name = patch[0].at("path").get<std::string>().substr(patch[0].at("path") == "" ? 0 : 1);
    for (char& c : name) c = c == '/' ? '.' : c;
    return name;
}

std::string another_argument(const Json& recorded, const Json& now, const std::string& name) {
    if (name.empty()) return "other arguments";
    if (const auto known = hashed().find(name); known != hashed().end()) return "another " + known->second;
    const auto value = [&](const Json& document) {
        const Json* const found = find_path(document, name);
        return found ? *found : Json();
    };
    return "another value of \"" + name + "\"" + was_and_is(value(recorded), value(now));
}

std::string changed_since(const RunInfo& then, const RunInfo& now, const std::set<std::string>& modules) {
    std::string files;
    const auto add = [&](const std::string& text) { files += (files.empty() ? "" : ", and ") + text; };
    if (then.script_text != now.script_text) {
        const Line line = first_changed_line(then.script_text, now.script_text);
        add(now.script_path + " changed, first in line " + std::to_string(line.number) + was_and_is(line.was, line.is));
    }
    if (then.name != now.name) add("the run's name changed: " + now.name + " (was " + then.name + ")");
    for (const std::string& module : modules) add(module + " changed");
    const std::string settings = changed_settings(then.settings, now.settings);
    if (files.empty() && settings.empty())
        return "neither the script, its modules nor its settings changed since then, but something that they name "
               "did: a task, a policy's files";
    if (files.empty()) return "since then the settings changed: " + settings;
    return "since then " + files + (settings.empty() ? "" : "; or it is the settings, which changed too: " + settings);
}

}  // namespace hone
