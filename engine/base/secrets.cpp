#include "base/secrets.hpp"
#include <algorithm>
#include <sstream>
#include <string_view>
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>
#include "base/error.hpp"
#include "base/paths.hpp"

namespace hone {
namespace {

bool is_secret(std::string_view name, const std::set<std::string>& named) {
    for (const char* end : {"_KEY", "_TOKEN", "_SECRET"})
        if (name.ends_with(end)) return true;
    return named.contains(std::string(name));
}

}  // namespace

std::vector<std::string> without_secrets(const std::vector<std::string>& entries, const std::set<std::string>& named) {
    std::vector<std::string> kept;
    std::copy_if(entries.begin(), entries.end(), std::back_inserter(kept), [&](const std::string& entry) {
        return !is_secret(std::string_view(entry).substr(0, entry.find('=')), named);
    });
    return kept;
}

std::set<std::string> named_secrets() {
    const fs::path file = config_file();
    if (file.empty()) return {};
    std::set<std::string> names;
    try {
        const toml::table all = toml::parse_file(file.string());
        if (const toml::table* providers = all["provider"].as_table())
            for (const auto& [provider, table] : *providers)
                if (const auto name = toml::node_view(table)["key_env"].value<std::string>()) names.insert(*name);
    } catch (const toml::parse_error& error) {
        std::ostringstream cause;
        cause << error.description() << " (line " << error.source().begin.line << ")";
        throw Error(Blame::input, file.string(), cause.str(),
                    "correct the file: the environment variables that it names as keys are kept from the judge");
    }
    return names;
}

}  // namespace hone
