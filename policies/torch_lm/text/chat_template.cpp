#include "torch_lm/text/chat_template.hpp"
#include <algorithm>
#include <regex>
#include "hone/plugin.hpp"
#include "templates.hpp"
#include "torch_lm/format/files.hpp"

namespace hone::lm {
namespace {

using jinja::Text;
using jinja::Value;

std::string names() {
    std::string all;
    for (const auto& [name, text] : built_in_templates) all += std::string(name) + ", ";
    return all + "none, or the path of a .jinja file";
}

std::string another() { return "name another by the policy's option template: " + names(); }

Value message_value(jinja::Budget& budget, const hone_message& message, std::int32_t index) {
    const std::string_view role = view(message.role);
    const bool is_known = role == "system" || role == "user" || role == "assistant";
    const auto text = [&budget](std::string_view bytes, std::int32_t source) {
        return make_text(budget, Text(std::string(bytes), source));
    };
    return make_dict(budget, {{text("role", jinja::by_template), text(role, is_known ? jinja::by_template : index)},
                              {text("content", jinja::by_template), text(view(message.text), index)}});
}

// Up to the last byte of the last message, so that the answer goes on there.
Text unfinished(const Text& text, std::int32_t last, const std::string& place) {
    const auto& spans = text.spans();
    const auto found =
        std::find_if(spans.rbegin(), spans.rend(), [last](const Text::Span& s) { return s.source == last; });
    if (found == spans.rend())
        throw Refused(place + ": the template leaves out the last message, whose answer goes on; " + another());
    return text.slice(0, found->end);
}

// The first special token that the template spells out and the vocabulary lacks: a model would read its letters, and an
// answer would have no end.
std::string lacking(std::string_view text, const Tokenizer& tokenizer) {
    static const std::regex mark("<(\\||｜)[^<> ]*(\\||｜)>");
    const std::string all(text);
    for (std::sregex_iterator at(all.begin(), all.end(), mark), end; at != end; ++at)
        if (tokenizer.id(at->str()) < 0) return at->str();
    return {};
}

TemplateSource built_in(std::string_view name, TemplateSource own) {
    const auto* found = std::find_if(std::begin(built_in_templates), std::end(built_in_templates),
                                     [name](const auto& known) { return known.first == name; });
    if (found == std::end(built_in_templates)) return {};
    return {found->second, "the template " + std::string(name), std::move(own.special_tokens)};
}

}  // namespace

ChatTemplate::ChatTemplate(TemplateSource source)
    : text_(std::move(source.text)),
      place_(std::move(source.place)),
      special_tokens_(std::move(source.special_tokens)),
      template_(text_, place_, another()) {}

Text ChatTemplate::write(std::span<const hone_message> messages, bool open, std::time_t now) const {
    std::size_t size = 0;
    for (const hone_message& message : messages) size += message.text.len;
    jinja::Budget budget(size);
    std::vector<Value> list;
    for (std::size_t i = 0; i < messages.size(); ++i)
        list.push_back(message_value(budget, messages[i], static_cast<std::int32_t>(i)));
    const bool goes_on = open && !messages.empty() && view(messages.back().role) == "assistant";
    std::vector<std::pair<std::string, Value>> variables = {{"messages", make_list(budget, std::move(list))},
                                                            {"tools", jinja::None{}},
                                                            {"documents", jinja::None{}},
                                                            {"add_generation_prompt", open && !goes_on}};
    for (const auto& [name, spelling] : special_tokens_)
        variables.emplace_back(name, make_text(budget, Text(spelling)));
    Text text = template_.render(variables, now);
    return goes_on ? unfinished(text, static_cast<std::int32_t>(messages.size()) - 1, place_) : text;
}

ChosenTemplate choose_template(const std::string& wanted, TemplateSource own, const Tokenizer& tokenizer) {
    if (wanted == "none") return {std::nullopt, "none"};
    if (wanted.empty() && !own.text.empty()) return {ChatTemplate(std::move(own)), "own"};
    const bool has_chatml = tokenizer.id("<|im_start|>") >= 0 && tokenizer.id("<|im_end|>") >= 0;
    if (wanted.empty() && !has_chatml) return {std::nullopt, "none"};
    const std::string name = wanted.empty() ? "chatml" : wanted;
    if (TemplateSource known = built_in(name, own); !known.text.empty()) {
        if (const std::string mark = lacking(known.text, tokenizer); !mark.empty())
            throw Refused("the template " + name + " writes " + mark + ", which is no token of this model; " +
                          another());
        return {ChatTemplate(std::move(known)), name};
    }
    if (!file_exists(name)) throw Refused("there is no template \"" + name + "\" and no such file; name " + names());
    return {ChatTemplate({read_file(name), name, std::move(own.special_tokens)}), name};
}

}  // namespace hone::lm
