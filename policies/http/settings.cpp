#include "settings.hpp"
#include <algorithm>
#include <cstdlib>
#include "http/provider/config_file.hpp"
#include "http/provider/providers.hpp"

namespace http {
namespace {

using nlohmann::json;

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
    Sources(hone::Doc options, json table, std::string file)
        : options_(options), table_(std::move(table)), file_(std::move(file)) {}
    double number(const char* name, double preset) const {
        const double given = options_.num(name, 0);
        return given > 0               ? given
               : table_.contains(name) ? of_kind(name, table_[name].is_number(), "a number").get<double>()
                                       : preset;
    }
    std::string text(const char* name, const std::string& preset) const {
        const std::string given = options_.text(name);
        return !given.empty() && given != "auto" ? given
               : table_.contains(name)           ? of_kind(name, table_[name].is_string(), "a text").get<std::string>()
                                                 : preset;
    }
    bool is_option(const char* name) const { return !options_.text(name).empty(); }
    bool flag(const char* name, bool preset) const {
        const std::string given = options_.text(name);
        if (given == "yes" || given == "no") return given == "yes";
        return table_.contains(name) ? of_kind(name, table_[name].is_boolean(), "true or false").get<bool>() : preset;
    }

private:
    const json& of_kind(const char* name, bool right, const char* kind) const {
        if (!right) throw hone::Refused(file_ + ": " + name + " must be " + kind + ", not " + table_[name].dump());
        return table_[name];
    }
    hone::Doc options_;
    json table_;
    std::string file_;
};

// With another value of these the answers would not be answers to what the script asks, or could not be read.
void check_body(const json& body, const std::string& place) {
    if (!body.is_object()) throw hone::Refused(place + " must be a table of fields, not " + body.dump());
    constexpr std::pair<const char*, const char*> own[] = {{"messages", "the prompt part of the script writes them"},
                                                           {"model", "name it in the option model"},
                                                           {"n", "say group in the script's stage"},
                                                           {"stream", "say it in the option stream"}};
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

void read_key(Settings& settings) {
    if (settings.key_env == "none") return;
    settings.key = key_in(settings.key_env);
    const bool here = settings.address.is_on_this_machine();
    if (settings.key.empty() && !here)
        throw hone::Refused(settings.key_env.empty()
                                ? "provider " + settings.provider +
                                      ": which environment variable holds its key? Say key_env in hone.toml or as an "
                                      "option (\"none\": send no key)"
                                : "environment variable " + settings.key_env +
                                      " is not set: it must hold the key for " + settings.provider);
    if (!settings.key.empty() && !here && !settings.address.is_encrypted())
        throw hone::Refused(settings.address.shown() + ": the key in " + settings.key_env +
                            " would travel in the clear; use https://, or key_env = \"none\"");
}

void read_address(Settings& settings, const Sources& from, const Provider& known) {
    const std::string environment = settings.provider == "openai" ? variable("OPENAI_BASE_URL") : "";
    settings.base_url =
        !environment.empty() && !from.is_option("base_url") ? environment : from.text("base_url", known.base_url);
    if (settings.base_url.empty())
        throw hone::Refused("provider \"" + settings.provider +
                            "\" is not known: say its base_url in hone.toml ([provider." + settings.provider +
                            "]) or as an option");
    const std::string protocol = from.text("protocol", known.protocol);
    settings.protocol = protocol_of(protocol);
    if (!settings.protocol)
        throw hone::Refused("provider " + settings.provider + ": protocol \"" + protocol +
                            "\" is not spoken here; write chat, responses, messages or gemini");
    settings.address = Address(settings.base_url, *settings.protocol);
    settings.secrets = settings.address.secrets();
}

void read_limits(Settings& settings, const Sources& from) {
    settings.concurrency = from.number("concurrency", 64);
    settings.tries = from.number("tries", 6);
    settings.deadline = from.number("deadline", 900);
    settings.connect = from.number("connect", 15);
    settings.silence = from.number("silence", 300);
    settings.backoff = from.number("backoff", 1);
    settings.max_bytes = from.number("max_bytes", 16 << 20);
}

}  // namespace

Settings read_settings(hone::Doc options) {
    Settings settings;
    split_model(options.text("model"), settings);
    read_provider(settings, options);
    return settings;
}

void read_provider(Settings& settings, hone::Doc options) {
    const ConfigFile config;
    const json table = config.provider(settings.provider);
    const Sources from(options, table, config.path());
    const Provider known = provider_of(settings.provider);
    read_address(settings, from, known);
    settings.key_env = from.text("key_env", known.key_env);
    if (!settings.key_env.empty()) check_name(settings.key_env);
    if (!table.contains("key_env") || table["key_env"] != settings.key_env) check_kept_secret(settings.key_env);
    read_limits(settings, from);
    settings.several = from.flag("several", known.several);
    settings.token_ids = from.flag("token_ids", known.token_ids);
    settings.answers = from.text("answers", "");
    settings.ca_file = from.text("ca_file", "");
    settings.stream = from.flag("stream", known.stream);
    settings.body =
        extra_body(options.text("body"), table, config.path() + ": provider." + settings.provider + ".body");
    settings.price = price_of(table, config.path(), settings.provider, settings.model);
    read_key(settings);
    settings.secrets.push_back(settings.key);
}

}  // namespace http
