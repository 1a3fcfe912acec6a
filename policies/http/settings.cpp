#include "settings.hpp"
#include <arpa/inet.h>
#include <curl/curl.h>
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>

namespace http {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Known {
    const char *provider, *base_url, *key_env;
    bool several, token_ids;
};

constexpr Known known_providers[] = {
    {"openai", "https://api.openai.com/v1", "OPENAI_API_KEY", true, false},
    {"anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", false, false},
    {"gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", false, false},
    {"deepseek", "https://api.deepseek.com", "DEEPSEEK_API_KEY", false, false},
    {"openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", false, false},
    {"vllm", "http://127.0.0.1:8000/v1", "none", true, true},
};

constexpr const char* toml_keys =
    "base_url, key_env, concurrency, tries, deadline, connect, silence, backoff, max_bytes, several, token_ids, body, "
    "price";

std::string variable(const std::string& name) {
    const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
    return value ? value : "";
}

fs::path config_file() {
    if (const std::string named = variable("HONE_CONFIG"); !named.empty()) return named;
    if (fs::exists("hone.toml")) return "hone.toml";
    const std::string folder = variable("XDG_CONFIG_HOME");
    const fs::path path =
        (folder.empty() ? fs::path(variable("HOME")) / ".config" : fs::path(folder)) / "hone" / "hone.toml";
    return fs::exists(path) ? path : fs::path();
}

// The provider's table of hone.toml as JSON; an empty object if there is none.
json provider_table(const fs::path& file, const std::string& provider) {
    if (file.empty()) return json::object();
    try {
        std::ostringstream text;
        text << toml::json_formatter{toml::parse_file(file.string())};
        const json all = json::parse(text.str());
        for (const auto& [key, value] : all.items())
            if (key != "provider")
                throw hone::Refused(file.string() + ": no table \"" + key + "\"; did you mean [provider." + provider +
                                    "]?");
        return all.value(json::json_pointer("/provider/" + provider), json::object());
    } catch (const toml::parse_error& e) {
        const auto at = e.source().begin;
        const std::string place = at.line > 0 ? ":" + std::to_string(at.line) + ":" + std::to_string(at.column) : "";
        throw hone::Refused(file.string() + place + ": " + std::string(e.description()));
    }
}

void check_keys(const json& table, const fs::path& file, const std::string& provider) {
    if (!table.is_object()) throw hone::Refused(file.string() + ": provider." + provider + " is no table");
    for (const auto& [key, value] : table.items())
        if ((std::string(", ") + toml_keys + ",").find(", " + key + ",") == std::string::npos)
            throw hone::Refused(file.string() + ": provider." + provider + " has no key \"" + key +
                                "\" (keys: " + toml_keys + ")");
}

std::string likely_provider(const std::string& model) {
    if (model.starts_with("claude")) return "anthropic";
    if (model.starts_with("gemini")) return "gemini";
    if (model.starts_with("deepseek")) return "deepseek";
    return model.starts_with("gpt") || model.starts_with("o1") || model.starts_with("o3") || model.starts_with("o4")
               ? "openai"
               : "PROVIDER";
}

void split_model(const std::string& name, Settings& settings) {
    const std::size_t slash = name.find('/');
    if (name.empty()) throw hone::Refused("option model: none is named; write provider/model, such as openai/gpt-5.4");
    if (slash != 0 && slash + 1 == name.size())
        throw hone::Refused("option model: \"" + name + "\" names no model behind the provider; write provider/model");
    if (slash == std::string::npos || slash == 0)
        throw hone::Refused("option model: \"" + name + "\" names no provider; did you mean \"" +
                            likely_provider(name) + "/" + name + "\"?");
    settings.provider = name.substr(0, slash);
    settings.model = name.substr(slash + 1);
}

class Sources {  // option, then hone.toml, then preset
public:
    Sources(hone::Doc options, json table, fs::path file)
        : options_(options), table_(std::move(table)), file_(std::move(file)) {}
    double number(const char* name, double preset) const {
        const double given = options_.num(name, 0);
        return given > 0               ? given
               : table_.contains(name) ? of_kind(name, table_[name].is_number(), "a number").get<double>()
                                       : preset;
    }
    std::string text(const char* name, const std::string& preset) const {
        const std::string given = options_.text(name);
        return !given.empty()          ? given
               : table_.contains(name) ? of_kind(name, table_[name].is_string(), "a text").get<std::string>()
                                       : preset;
    }
    bool flag(const char* name, bool preset) const {
        const std::string given = options_.text(name);
        if (given == "yes" || given == "no") return given == "yes";
        return table_.contains(name) ? of_kind(name, table_[name].is_boolean(), "true or false").get<bool>() : preset;
    }
    const json& table() const { return table_; }

private:
    const json& of_kind(const char* name, bool right, const char* kind) const {
        if (!right)
            throw hone::Refused(file_.string() + ": " + name + " must be " + kind + ", not " + table_[name].dump());
        return table_[name];
    }
    hone::Doc options_;
    json table_;
    fs::path file_;
};

// With another value of these the answers would not be answers to what the script asks, or could not be read.
void check_body(const json& body, const std::string& place) {
    if (!body.is_object()) throw hone::Refused(place + " must be a table of fields, not " + body.dump());
    constexpr std::pair<const char*, const char*> own[] = {{"messages", "the prompt part of the script writes them"},
                                                           {"model", "name it in the option model"},
                                                           {"n", "say group in the script's stage"},
                                                           {"stream", "hone reads whole answers"}};
    for (const auto& [field, cure] : own)
        if (body.contains(field))
            throw hone::Refused(place + ": hone itself sets \"" + field + "\"; leave it out of body: " + cure);
}

json extra_body(const std::string& option, const json& table, const std::string& place) {
    json body = table.value("body", json::object());
    check_body(body, place);
    const json given = option.empty() ? json::object() : json::parse(option, nullptr, false);
    if (!given.is_object()) throw hone::Refused("option body: no JSON object: " + option);
    check_body(given, "option body");
    body.update(given);
    return body;
}

// Of the host that libcurl would connect to: a name may begin like one of ours and lie elsewhere.
bool on_this_machine(const std::string& url) {
    const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parsed(curl_url(), curl_url_cleanup);
    char* part = nullptr;
    if (curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) ||
        curl_url_get(parsed.get(), CURLUPART_HOST, &part, 0))
        return false;
    const std::unique_ptr<char, decltype(&curl_free)> host(part, curl_free);
    unsigned char address[4];
    if (strcasecmp(part, "localhost") == 0 || strcmp(part, "[::1]") == 0) return true;
    return inet_pton(AF_INET, part, address) == 1 && address[0] == 127;
}

// A key out of a file or a secret store often ends with a newline. Within the key such a character would break the
// header that it travels in.
std::string key_in(const std::string& name) {
    std::string key = variable(name);
    key.erase(0, std::min(key.find_first_not_of(" \t\r\n"), key.size()));
    key.erase(key.find_last_not_of(" \t\r\n") + 1);
    for (const char c : key)
        if (static_cast<unsigned char>(c) < ' ' || c == 0x7f)
            throw hone::Refused(
                "environment variable " + name +
                " holds a newline or another control character within the key; put the key there alone, "
                "on one line");
    return key;
}

// hone keeps variables with these endings, and those that hone.toml names, from candidates (base/secrets.hpp).
void check_kept_secret(const std::string& name) {
    if (name.empty() || name == "none") return;
    for (const char* end : {"_KEY", "_TOKEN", "_SECRET"})
        if (name.ends_with(end)) return;
    throw hone::Refused("option key_env: candidates could read " + name +
                        ": name it in hone.toml, or end its name with _KEY, _TOKEN or _SECRET");
}

// A key that was put where the name of its variable belongs must not be shown.
void check_name(const std::string& name) {
    const auto wrong = [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_'; };
    if (!std::isdigit(static_cast<unsigned char>(name[0])) && std::none_of(name.begin(), name.end(), wrong)) return;
    throw hone::Refused(
        "key_env: no name of an environment variable (letters, digits and _); put the key into a variable and name "
        "that "
        "here");
}

// The address to post to: the path of an answer comes before the query.
void read_address(Settings& settings) {
    std::string& url = settings.base_url;
    settings.address = without_secrets(url);
    if (!url.starts_with("http://") && !url.starts_with("https://"))
        throw hone::Refused("base_url: \"" + settings.address + "\" must begin with https:// or http://");
    const std::size_t query = std::min(url.find_first_of("?#"), url.size()), scheme = url.find("://") + 3,
                      at = url.rfind('@', url.find('/', scheme));
    const std::string rest = url.substr(query);
    std::string path = url.substr(0, query);
    for (std::string* one : {&path, &settings.address})
        while (one->ends_with('/')) one->pop_back();
    constexpr std::string_view ending = "/chat/completions";
    if (path.ends_with(ending))
        throw hone::Refused("base_url: \"" + settings.address + "\" ends in " + std::string(ending) +
                            ", which hone adds; write \"" +
                            settings.address.substr(0, settings.address.size() - ending.size()) + "\"");
    settings.endpoint = path + std::string(ending) + rest;
    settings.secrets = {rest.substr(std::min<std::size_t>(1, rest.size()))};
    if (at != std::string::npos && at > scheme) settings.secrets.push_back(url.substr(scheme, at - scheme));
}

void read_key(Settings& settings) {
    if (settings.key_env == "none") return;
    settings.key = key_in(settings.key_env);
    const bool here = on_this_machine(settings.base_url);
    if (settings.key.empty() && !here)
        throw hone::Refused(settings.key_env.empty()
                                ? "provider " + settings.provider +
                                      ": which environment variable holds its key? Say key_env in hone.toml or as an "
                                      "option (\"none\": send no key)"
                                : "environment variable " + settings.key_env +
                                      " is not set: it must hold the key for " + settings.provider);
    if (!settings.key.empty() && !here && !settings.base_url.starts_with("https://"))
        throw hone::Refused(settings.address + ": the key in " + settings.key_env +
                            " would travel in the clear; use https://, or key_env = \"none\"");
}

}  // namespace

std::string without_secrets(std::string url) {
    url.erase(std::min(url.find_first_of("?#"), url.size()));
    const std::size_t scheme = url.find("://"), from = scheme == std::string::npos ? 0 : scheme + 3;
    const std::size_t at = url.rfind('@', url.find('/', from));
    if (at != std::string::npos && at >= from) url.erase(from, at + 1 - from);
    return url;
}

Settings read_settings(hone::Doc options) {
    Settings settings;
    split_model(options.text("model"), settings);
    const fs::path file = config_file();
    const json table = provider_table(file, settings.provider);
    check_keys(table, file, settings.provider);
    const Sources from(options, table, file);
    Known known{"", "", "", false, false};
    for (const Known& row : known_providers)
        if (settings.provider == row.provider) known = row;
    const std::string environment = settings.provider == "openai" ? variable("OPENAI_BASE_URL") : "";
    settings.base_url =
        !environment.empty() && options.text("base_url").empty() ? environment : from.text("base_url", known.base_url);
    if (settings.base_url.empty())
        throw hone::Refused("provider \"" + settings.provider +
                            "\" is not known: say its base_url in hone.toml ([provider." + settings.provider +
                            "]) or as an option");
    read_address(settings);
    settings.key_env = from.text("key_env", known.key_env);
    if (!settings.key_env.empty()) check_name(settings.key_env);
    if (!table.contains("key_env") || table["key_env"] != settings.key_env) check_kept_secret(settings.key_env);
    settings.concurrency = from.number("concurrency", 64);
    settings.tries = from.number("tries", 6);
    settings.deadline = from.number("deadline", 900);
    settings.connect = from.number("connect", 15);
    settings.silence = from.number("silence", 300);
    settings.backoff = from.number("backoff", 1);
    settings.max_bytes = from.number("max_bytes", 16 << 20);
    settings.several = from.flag("several", known.several);
    settings.token_ids = from.flag("token_ids", known.token_ids);
    settings.body =
        extra_body(options.text("body"), table, file.string() + ": provider." + settings.provider + ".body");
    settings.price = price_of(table, file.string(), settings.provider, settings.model);
    read_key(settings);
    settings.secrets.push_back(settings.key);
    return settings;
}

}  // namespace http
