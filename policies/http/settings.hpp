// policies/http/settings.hpp: where requests go and by which limits: options, then environment, then hone.toml, then
// what is known of a provider.
//     [provider.openai]                      # keys as in the option table below, and:
//     body = { reasoning_effort = "low" }    # merged into each request
//     [provider.openai.price."gpt-5.4"]      # US dollars per million tokens
//     input = 2.5
//     cached = 0.25                          # preset: as input
//     output = 15
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>
#include "hone/plugin.hpp"
#include "http/provider/address.hpp"
#include "price.hpp"
#include "secrets.hpp"

namespace http {

struct Settings {
    std::string provider, model, base_url, key_env;
    const Protocol* protocol = nullptr;
    Address address;
    std::vector<std::string> secrets;  // key, userinfo, query
    std::string key_file;              // "": the key is in the environment
    std::string key;                   // empty: none is sent. Never shown: see redacted
    std::string ca_file;               // "": the machine's own certificates
    std::string answers;               // folder of kept answers; "": none
    nlohmann::json body;               // merged into each request
    Price price;
    double concurrency = 0, requests_per_minute = 0, tokens_per_minute = 0, tries = 0, deadline = 0, connect = 0,
           silence = 0, backoff = 0, max_bytes = 0;
    bool several = false, token_ids = false, stream = false, cache = true;  // see the option table
    std::string redacted(std::string text) const { return without(secrets, std::move(text)); }
};

inline constexpr hone_option option_table[] = {
    {"model", "text", "", nullptr, "provider/model, such as openai/gpt-5.4 or vllm/Qwen/Qwen3-8B"},
    {"base_url", "text", "", nullptr,
     "address of the API; empty: OPENAI_BASE_URL (provider openai), hone.toml's, the provider's own"},
    {"key_env", "text", "", nullptr,
     "environment variable that holds the key; empty: hone.toml's or the provider's own; none: send no key"},
    {"key_file", "text", "", nullptr,
     "file that holds the key and that nobody else may read (chmod 600); empty: hone.toml's, else key_env is asked"},
    {"concurrency", "int", "0", "0..4096", "most requests at once; 0: hone.toml's or 64"},
    {"requests_per_minute", "num", "0", "0..1e9", "most requests a minute; 0: hone.toml's or no limit"},
    {"tokens_per_minute", "num", "0", "0..1e12",
     "most tokens a minute, of prompts (a token of four bytes) and of max_tokens; 0: hone.toml's or no limit"},
    {"tries", "int", "0", "0..100",
     "most tries of a request, but for those that cost nothing (429, 503, no connection); 0: hone.toml's or 6"},
    {"deadline", "num", "0", "0..86400", "seconds for a request with all its tries; 0: hone.toml's or 900"},
    {"connect", "num", "0", "0..3600", "seconds for a connection to stand; 0: hone.toml's or 15"},
    {"silence", "num", "0", "0..86400",
     "seconds without a byte after which a connection is given up; 0: hone.toml's or 300"},
    {"backoff", "num", "0", "0..60",
     "seconds before the second try at most, doubled each time up to 60; 0: hone.toml's or 1"},
    {"max_bytes", "int", "0", "0..1000000000", "longest answer body; 0: hone.toml's or 16777216"},
    {"several", "choice", "auto", "auto|yes|no", "ask for all answers of a group by one request (n)"},
    {"token_ids", "choice", "auto", "auto|yes|no", "ask for token ids and log-probabilities, as vLLM gives them"},
    {"ca_file", "text", "", nullptr,
     "file of the certificates that are trusted (PEM), for a server whose authority this machine does not know;"
     " empty: hone.toml's or the machine's own"},
    {"answers", "text", "", nullptr,
     "folder of answers that were paid for: what was asked before, with the same seed, is not paid again; empty:"
     " hone.toml's or none"},
    {"stream", "choice", "auto", "auto|yes|no",
     "take answers as they are written: a proxy does not cut a long one off; auto: hone.toml's or yes"},
    {"cache", "choice", "auto", "auto|yes|no",
     "mark the system message for Anthropic's cache (cache_control); auto: hone.toml's or yes"},
    {"protocol", "choice", "auto", "auto|chat|responses|messages|gemini",
     "of the API: OpenAI's chat completions or responses, Anthropic's messages, Gemini's generateContent; auto: "
     "hone.toml's or the provider's own"},
    {"body", "text", "", nullptr,
     "a JSON object merged into each request: fields of the provider; null leaves a field out"},
    {}};

// Throws hone::Refused with place, cause and cure.
Settings read_settings(hone::Doc options);
// Of a provider, without options and without a model. What is known before an error is thrown stays in `settings`.
void read_provider(Settings& settings, hone::Doc options);

}  // namespace http
