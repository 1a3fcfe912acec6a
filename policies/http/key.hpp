// policies/http/key.hpp: a provider's key, out of the environment or a file that nobody else can read.
#pragma once
#include <string>

namespace http {

struct Settings;

// Of settings.key_file, else of the variable settings.key_env. Throws hone::Refused where no key is there and the
// server is not on this machine, where others may read the file, and where a key would travel in the clear.
void read_key(Settings& settings);
// of_config: hone.toml names the variable, so that hone keeps it from candidates.
void check_key_env(const std::string& name, bool of_config);
// "the environment variable OPENAI_API_KEY", "the file ~/.keys/openai"
std::string place_of_key(const Settings& settings);

}  // namespace http
