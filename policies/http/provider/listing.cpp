#include "listing.hpp"
#include <algorithm>
#include "http/complaint.hpp"
#include "http/provider/config_file.hpp"
#include "http/provider/providers.hpp"
#include "http/reply_text.hpp"
#include "http/settings.hpp"
#include "http/transfers.hpp"

namespace http {
namespace {

using nlohmann::json;

constexpr double seconds_to_connect = 3, seconds_altogether = 10;

struct Source {
    Settings settings;
    std::string said;  // why it does not answer, or was not asked
    int answers = -1;
    std::vector<std::string> models;
};

Source source_of(const std::string& name) {
    Source source;
    source.settings.provider = name;
    try {
        read_provider(source.settings, hone::Doc(nullptr, nullptr));
    } catch (const hone::Refused& e) {
        source.said = e.what();
    }
    return source;
}

// {"data": [{"id": "gpt-5.4"}]}, of some servers the list alone, or Gemini's {"models": [{"name": "models/gemini-3"}]}.
std::vector<std::string> models_in(const json& reply) {
    std::vector<std::string> models;
    for (const json& one : reply.is_array() ? reply : member(reply, "data")) models.push_back(text_at(one, "id"));
    for (const json& one : member(reply, "models")) {
        const std::string name = text_at(one, "name"), folder = "models/";
        models.push_back(name.starts_with(folder) ? name.substr(folder.size()) : name);
    }
    std::erase(models, "");
    std::sort(models.begin(), models.end());
    return models;
}

bool is_listing(const json& reply) { return reply.is_array() || reply.contains("data") || reply.contains("models"); }

void take_list(Source& source, const std::string& body) {
    const json list = read_text(body).document;
    source.models = models_in(list);
    for (std::string& model : source.models) model = source.settings.provider + "/" + model;
    if (is_listing(list)) return;
    source.answers = false;
    source.said =
        "no list of models comes from there: the address does not speak the protocol; correct base_url. It "
        "says: " +
        body.substr(0, 80);
}

void take_reply(Source& source, const Reply& reply) {
    const std::string body = source.settings.redacted(reply.body);
    source.answers = reply.status >= 200 && reply.status < 300;
    if (reply.status == 0) source.said = source.settings.redacted(reply.error);
    else if (source.answers) take_list(source, body);
    else source.said = std::to_string(reply.status) + ": " + read_complaint(body).message;
}

void ask_for_models(Source& source, Transfers& transfers, std::size_t& open) {
    const Settings& settings = source.settings;
    Post post{settings.address.endpoint("/models"),
              "",
              {"Accept: application/json", "User-Agent: hone"},
              seconds_to_connect,
              seconds_altogether,
              seconds_altogether,
              static_cast<std::size_t>(settings.max_bytes),
              settings.ca_file};
    post.direct = settings.address.is_on_this_machine();
    if (!settings.key.empty()) post.headers = settings.protocol->key_headers(settings.key);
    ++open;
    transfers.post(std::move(post), [&](const Reply& reply) { take_reply(source, reply), --open; });
}

std::string key_text(const Settings& settings) {
    if (!settings.key_file.empty() && settings.key_file.find('/') == std::string::npos)
        return "key_file, no key";  // what stands there may be the key itself
    if (!settings.key_file.empty()) return settings.key_file + (settings.key.empty() ? ", no key" : ", read");
    if (settings.key_env.empty() || settings.key_env == "none") return "";
    return settings.key_env + (settings.key.empty() ? ", not set" : ", set");
}

void tell_of(const Source& source, const hone::PolicyPart::OnSource& tell) {
    std::vector<hone_text> models;
    for (const std::string& model : source.models) models.push_back(hone::borrow(model));
    const std::string key = key_text(source.settings);
    tell({sizeof(hone_model_source), hone::borrow(source.settings.provider),
          hone::borrow(source.settings.address.shown()), hone::borrow(key), source.answers, hone::borrow(source.said),
          models.data(), static_cast<std::uint32_t>(models.size())});
}

}  // namespace

void list_sources(bool ask, const hone::PolicyPart::OnSource& tell) {
    std::vector<Source> sources;
    for (const std::string& name : provider_names(ConfigFile())) sources.push_back(source_of(name));
    Transfers transfers;
    std::size_t open = 0;
    for (Source& source : sources)
        if (ask && source.said.empty()) ask_for_models(source, transfers, open);
    while (open > 0) transfers.run_for(seconds_altogether);
    for (const Source& source : sources) tell_of(source, tell);
}

}  // namespace http
