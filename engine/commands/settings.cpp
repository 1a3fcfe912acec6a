#include "commands/settings.hpp"
#include <algorithm>
#include "base/error.hpp"
#include "base/option_table.hpp"
#include "base/paths.hpp"
#include "base/printable.hpp"
#include "parts/library.hpp"

namespace hone {

Json parse_settings(const std::vector<std::string>& assignments, const std::vector<std::string>& parts) {
    Json settings = Json::object();
    for (const std::string& part : parts) settings[part] = Json::object();
    for (const std::string& text : assignments) {
        const std::size_t dot = text.find('.'), equals = text.find('=');
        if (dot == std::string::npos || equals == std::string::npos || dot > equals)
            throw Error(Blame::usage, "--set", "\"" + text + "\" is no assignment",
                        "write for instance --set " + parts.front() + ".threads=1");
        const std::string part = text.substr(0, dot), value = text.substr(equals + 1);
        if (std::find(parts.begin(), parts.end(), part) == parts.end()) {
            const std::string near = suggestion(part, parts);
            throw Error(Blame::usage, "--set", "no part \"" + part + "\"" + near,
                        near.empty() ? "there are " + listed(parts) : "");
        }
        settings[part][text.substr(dot + 1, equals - dot - 1)] = value;
    }
    return settings;
}

Json in_kinds_of(const std::string& interface_name, const std::string& id, const Json& texts) {
    if (texts.empty()) return texts;
    return values_of_texts(Library::open(find_part(interface_name, id, plugin_folders())).options(), texts);
}

}  // namespace hone
