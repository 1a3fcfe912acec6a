#include "settings.hpp"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include "http/provider/config_file.hpp"
#include "http/provider/providers.hpp"
#include "key.hpp"

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
    Sources(hone::Doc options, json table, const std::string& file, const std::string& provider)
        : options_(options), table_(std::move(table)), place_(file + ": provider." + provider + ".") {}
    double number(const char* name, double preset) const {
        const double given = options_.num(name, 0);
        if (given > 0) return given;
        if (!table_.contains(name)) return preset;
        const double value = within(name, of_kind(name, table_[name].is_number(), "a number").get<double>());
        return value > 0 ? value : preset;
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
        if (!right) throw hone::Refused(place_ + name + " must be " + kind + ", not " + table_[name].dump());
        return table_[name];
    }
    // As the option of that name, which the engine checks.
    double within(const char* name, double value) const {
        for (const hone_option* option = option_table; option->name; ++option) {
            if (std::string_view(option->name) != name || !option->allowed) continue;
            const std::string range = option->allowed;
            const std::size_t dots = range.find("..");  // of which a number would take the first one
            const double least = std::stod(range.substr(0, dots)), most = std::stod(range.substr(dots + 2));
            const bool whole = std::string_view(option->kind) != "int" || value == std::floor(value);
            if (!(value >= least && value <= most) || !whole)
                throw hone::Refused(place_ + name + ": " + table_[name].dump() + " is " +
                                    (whole ? "outside " + std::string(option->allowed) : "no whole number"));
        }
        return value;
    }
    hone::Doc options_;
    json table_;
    std::string place_;  // "hone.toml: provider.acme."
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

std::string all_of(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

void read_address(Settings& settings, const Sources& from, const Provider& known, const ConfigFile& config) {
    const std::string environment = settings.provider == "openai" ? variable("OPENAI_BASE_URL") : "";
    settings.base_url =
        !environment.empty() && !from.is_option("base_url") ? environment : from.text("base_url", known.base_url);
    if (settings.base_url.empty())
        throw hone::Refused("provider \"" + settings.provider + "\" is none of " + all_of(provider_names(config)) +
                            ": say its base_url in hone.toml ([provider." + settings.provider + "]) or as an option");
    const std::string protocol = from.text("protocol", known.protocol);
    settings.protocol = protocol_of(protocol);
    if (!settings.protocol)
        throw hone::Refused("provider " + settings.provider + ": protocol \"" + protocol +
                            "\" is not spoken here; write chat, responses, messages or gemini");
    settings.address = Address(settings.base_url, *settings.protocol);
    settings.secrets = settings.address.secrets();
}

// A path of hone.toml goes on from the file's folder.
std::string path_from(const std::string& path, bool is_option, const std::string& config) {
    if (path.starts_with("~/")) return variable("HOME") + path.substr(1);
    if (is_option || path.empty() || path.starts_with('/')) return path;
    return (std::filesystem::path(config).parent_path() / path).lexically_normal().string();
}

// Without a "/" it is perhaps the key itself: read_key refuses it.
std::string key_path(const std::string& path, bool is_option, const std::string& config) {
    if (path.find('/') == std::string::npos) return path;
    const std::string found = path_from(path, is_option, config);
    return found.find('/') == std::string::npos ? "./" + found : found;  // "./key" beside a file without a folder
}

void read_limits(Settings& settings, const Sources& from) {
    settings.concurrency = from.number("concurrency", 64);
    settings.requests_per_minute = from.number("requests_per_minute", 0);
    settings.tokens_per_minute = from.number("tokens_per_minute", 0);
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
    const Sources from(options, table, config.path(), settings.provider);
    const Provider known = provider_of(settings.provider);
    read_address(settings, from, known, config);
    settings.key_env = from.text("key_env", known.key_env);
    check_key_env(settings.key_env, table.contains("key_env") && table["key_env"] == settings.key_env);
    const bool names_variable = from.is_option("key_env") && !from.is_option("key_file");
    settings.key_file =
        names_variable ? "" : key_path(from.text("key_file", ""), from.is_option("key_file"), config.path());
    read_limits(settings, from);
    settings.several = from.flag("several", known.several);
    settings.token_ids = from.flag("token_ids", known.token_ids);
    settings.answers = path_from(from.text("answers", ""), from.is_option("answers"), config.path());
    settings.ca_file = path_from(from.text("ca_file", ""), from.is_option("ca_file"), config.path());
    settings.stream = from.flag("stream", known.stream);
    settings.cache = from.flag("cache", true);
    settings.body =
        extra_body(options.text("body"), table, config.path() + ": provider." + settings.provider + ".body");
    settings.price =
        price_of(table, config.path(), settings.provider, settings.model, settings.protocol->cache_write());
    read_key(settings);
    settings.secrets.push_back(settings.key);
}

}  // namespace http
