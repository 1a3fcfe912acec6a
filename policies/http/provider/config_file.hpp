// policies/http/provider/config_file.hpp: hone.toml: $HONE_CONFIG, else ./hone.toml, else
// $XDG_CONFIG_HOME/hone/hone.toml.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace http {

std::string variable(const std::string& name);  // of the environment; "": not set

class ConfigFile {
public:
    ConfigFile();                                      // reads it; throws hone::Refused with file, line and column
    const std::string& path() const { return path_; }  // "": there is none
    std::vector<std::string> providers() const;
    // An empty object where the file has none. Its keys are checked.
    nlohmann::json provider(const std::string& name) const;

private:
    std::string path_;
    nlohmann::json tables_;  // by provider
};

}  // namespace http
