// The torch-lm side of chat_templates.py: one JSON request a line on stdin, one JSON answer a line on stdout.
//     {"jinja": TEXT, "variables": {...}, "now": SECONDS}                   -> {"text": TEXT}
//     {"chat": TEXT, "special_tokens": {...}, "messages": [[ROLE, TEXT]...], "open": B, "now": SECONDS}
//         "chat": a template's text, or the name of a built-in one  -> {"text": TEXT, "spans": [[END, SOURCE]...]}
//         with "tokenizer": PATH                                    -> {"ids": [ID...], "source": [SOURCE...]}
// or {"error": TEXT}
#include <iostream>
#include <map>
#include "hone/plugin.hpp"
#include "torch_lm/format/files.hpp"
#include "torch_lm/text/render.hpp"

namespace {

using nlohmann::ordered_json;
using namespace hone::lm;

jinja::Value value_of(jinja::Budget& budget, const ordered_json& from) {
    if (from.is_boolean()) return from.get<bool>();
    if (from.is_number_integer()) return from.get<std::int64_t>();
    if (from.is_number()) return from.get<double>();
    if (from.is_string()) return make_text(budget, jinja::Text(from.get<std::string>()));
    if (from.is_array()) {
        std::vector<jinja::Value> items;
        for (const auto& item : from) items.push_back(value_of(budget, item));
        return make_list(budget, std::move(items));
    }
    if (!from.is_object()) return jinja::None{};
    std::vector<std::pair<jinja::Value, jinja::Value>> items;
    for (const auto& [key, item] : from.items())
        items.emplace_back(make_text(budget, jinja::Text(key)), value_of(budget, item));
    return make_dict(budget, std::move(items));
}

ordered_json run_jinja(const ordered_json& ask) {
    const jinja::Template parsed(ask["jinja"].get<std::string>(), "template", "cure");
    jinja::Budget budget(64 << 20);
    std::vector<std::pair<std::string, jinja::Value>> variables;
    for (const auto& [name, value] : ask["variables"].items()) variables.emplace_back(name, value_of(budget, value));
    return {{"text", parsed.render(variables, ask["now"].get<std::time_t>()).bytes()}};
}

Tokenizer& tokenizer_at(const std::string& path) {
    static std::map<std::string, Tokenizer> known;
    const auto found = known.find(path);
    if (found != known.end()) return found->second;
    return known.emplace(path, Tokenizer(read_file(path), path)).first->second;
}

ChatTemplate chat_template(const ordered_json& ask) {
    TemplateSource source{ask["chat"].get<std::string>(), "template", {}};
    for (const auto& [name, text] : ask["special_tokens"].items()) source.special_tokens.emplace_back(name, text);
    return ChatTemplate(std::move(source));
}

ordered_json render_chat(const ordered_json& ask) {
    const ChatTemplate chat = chat_template(ask);
    const auto texts = ask["messages"].get<std::vector<std::pair<std::string, std::string>>>();
    std::vector<hone_message> messages;
    for (const auto& [role, text] : texts) messages.push_back({hone::borrow(role), hone::borrow(text)});
    if (ask.contains("tokenizer")) {
        const Rendered rendered = render(tokenizer_at(ask["tokenizer"]), &chat, messages, ask["open"], -1);
        return {{"ids", rendered.ids}, {"source", rendered.source}};
    }
    const jinja::Text text = chat.write(messages, ask["open"], ask["now"].get<std::time_t>());
    ordered_json spans = ordered_json::array();
    for (const auto& [end, source] : text.spans()) spans.push_back({end, source});
    return {{"text", text.bytes()}, {"spans", spans}};
}

ordered_json answer(const ordered_json& ask) {
    try {
        return ask.contains("jinja") ? run_jinja(ask) : render_chat(ask);
    } catch (const hone::Refused& e) {
        return {{"error", e.what()}};
    }
}

}  // namespace

int main() {
    for (std::string line; std::getline(std::cin, line);)
        std::cout << answer(ordered_json::parse(line)).dump() << std::endl;
}
