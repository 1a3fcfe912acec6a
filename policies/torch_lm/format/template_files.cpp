#include "torch_lm/format/template_files.hpp"
#include "hone/plugin.hpp"
#include "torch_lm/format/files.hpp"

namespace hone::lm {
namespace {

using nlohmann::json;

// A template, or several with names, of which "default" is the one for conversations.
std::string template_in(const json& config, const std::string& place) {
    const json found = config.value("chat_template", json());
    if (found.is_null()) return "";
    if (found.is_string()) return found;
    if (found.is_array())
        for (const json& one : found)
            if (one.is_object() && one.value("name", json()) == "default" && one.value("template", json()).is_string())
                return one["template"];
    throw Refused(place +
                  ": chat_template is no text and has no text named default; write it into chat_template.jinja");
}

void read_special_tokens(const json& config, TemplateSource& source) {
    for (const char* name :
         {"bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"}) {
        json token = config.value(name, json());
        if (token.is_object()) token = token.value("content", json());
        if (token.is_string()) source.special_tokens.emplace_back(name, token);
    }
}

}  // namespace

TemplateSource read_template(const std::string& folder) {
    TemplateSource source;
    const std::string config_path = folder + "/tokenizer_config.json", own_path = folder + "/chat_template.jinja";
    if (file_exists(config_path)) {
        const json config = read_json(config_path);
        read_special_tokens(config, source);
        source.place = config_path + ", chat_template";
        if (!file_exists(own_path)) source.text = template_in(config, config_path);
    }
    if (file_exists(own_path)) {
        source.place = own_path;
        source.text = read_file(own_path);
    }
    return source;
}

}  // namespace hone::lm
