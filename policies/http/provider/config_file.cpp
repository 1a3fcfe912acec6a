#include "config_file.hpp"
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>
#include <cstdlib>
#include <sstream>
#include "hone/plugin.hpp"

namespace http {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* toml_keys =
    "base_url, key_env, key_file, protocol, concurrency, requests_per_minute, tokens_per_minute, tries, deadline, "
    "connect, silence, backoff, max_bytes, several, token_ids, stream, cache, ca_file, answers, body, price";

fs::path find_file() {
    if (const std::string named = variable("HONE_CONFIG"); !named.empty()) {
        std::error_code unreadable;
        if (!fs::exists(named, unreadable)) throw hone::Refused("HONE_CONFIG names " + named + ": no such file");
        return named;
    }
    if (fs::exists("hone.toml")) return "hone.toml";
    const std::string folder = variable("XDG_CONFIG_HOME");
    const fs::path path =
        (folder.empty() ? fs::path(variable("HOME")) / ".config" : fs::path(folder)) / "hone" / "hone.toml";
    return fs::exists(path) ? path : fs::path();
}

json read(const std::string& path) {
    if (fs::is_directory(path)) throw hone::Refused(path + ": is a folder; name a file, or remove it");
    try {
        std::ostringstream text;
        text << toml::json_formatter{toml::parse_file(path)};
        return json::parse(text.str());
    } catch (const toml::parse_error& e) {
        const auto at = e.source().begin;
        const std::string place = at.line > 0 ? ":" + std::to_string(at.line) + ":" + std::to_string(at.column) : "";
        throw hone::Refused(path + place + ": " + std::string(e.description()));
    }
}

}  // namespace

std::string variable(const std::string& name) {
    const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
    return value ? value : "";
}

ConfigFile::ConfigFile() : path_(find_file().string()), tables_(json::object()) {
    if (path_.empty()) return;
    const json all = read(path_);
    for (const auto& [key, value] : all.items())
        if (key != "provider")
            throw hone::Refused(path_ + ": no table \"" + key +
                                "\"; the tables of providers are named [provider.NAME]");
    tables_ = all.value("provider", json::object());
    if (!tables_.is_object()) throw hone::Refused(path_ + ": provider is no table; write [provider.NAME]");
}

std::vector<std::string> ConfigFile::providers() const {
    std::vector<std::string> names;
    for (const auto& [name, table] : tables_.items()) names.push_back(name);
    return names;
}

json ConfigFile::provider(const std::string& name) const {
    if (!tables_.contains(name)) return json::object();
    const json& table = tables_[name];
    if (!table.is_object()) throw hone::Refused(path_ + ": provider." + name + " is no table");
    for (const auto& [key, value] : table.items())
        if ((std::string(", ") + toml_keys + ",").find(", " + key + ",") == std::string::npos)
            throw hone::Refused(path_ + ": provider." + name + " has no key \"" + key + "\" (keys: " + toml_keys + ")");
    return table;
}

}  // namespace http
