// policies/http/provider/providers.hpp: what is known of providers and of families of models without asking them. What
// hone.toml or an option says comes first; what a model does not take and the table does not know, its server tells.
#pragma once
#include <string>
#include <vector>
#include "http/protocol/protocol.hpp"
#include "http/provider/config_file.hpp"

namespace http {

struct Provider {
    const char *name = "", *base_url = "", *key_env = "", *protocol = "chat";
    bool several = false;    // one request may ask for several answers (n)
    bool token_ids = false;  // it returns token ids with log-probabilities, as vLLM does
    bool stream = true;      // its answers are asked for as streams of events
};

std::vector<std::string> provider_names(const ConfigFile&);  // its own, and those that are known
// Of a name that is not known: an empty address.
Provider provider_of(const std::string& name);

// Fields that the models of a family refuse, by the beginning of their names.
LeftOut refused_by_family(const std::string& provider, const std::string& model);

// For a model that is named without its provider: "claude-..." is anthropic's; "PROVIDER" where its name says nothing.
std::string likely_provider(const std::string& model);

}  // namespace http
