// chat_template.hpp: how a model wants a conversation to be written.
#pragma once
#include <optional>
#include <span>
#include "hone/abi.h"
#include "torch_lm/text/jinja/template.hpp"
#include "torch_lm/text/tokenizer.hpp"

namespace hone::lm {

// What a model's files say of its template.
struct TemplateSource {
    std::string text;   // Jinja; empty: they have none
    std::string place;  // where it stands
    // "bos_token" and its spelling, "eos_token", ...: variables of the template
    std::vector<std::pair<std::string, std::string>> special_tokens;
};

class ChatTemplate {
public:
    // Throws Refused, with the option that names another template, for a text that is not Jinja.
    explicit ChatTemplate(TemplateSource source);
    const std::string& text() const { return text_; }  // Jinja
    const auto& special_tokens() const { return special_tokens_; }
    // The conversation as one text, in which each byte is of a message (its index) or of the template. A role that the
    // SDK knows counts as the template's. open: ready for the answer, or for more of it where the last message is an
    // assistant's. now: the date that a template may tell. Throws Refused where the template refuses the messages.
    jinja::Text write(std::span<const hone_message> messages, bool open, std::time_t now) const;

private:
    std::string text_, place_;
    std::vector<std::pair<std::string, std::string>> special_tokens_;
    jinja::Template template_;
};

struct ChosenTemplate {
    std::optional<ChatTemplate> chat;  // none: messages stand bare
    std::string name;                  // for facts: "own", a built-in name, a path, or "none"
};

// wanted: the policy's option: a built-in name, "none", the path of a .jinja file, or "" for the model's own; where
// the model has none, ChatML if the vocabulary has its tokens, else none. Throws Refused, with what can be named, also
// for a built-in one that writes special tokens which the vocabulary lacks.
ChosenTemplate choose_template(const std::string& wanted, TemplateSource own, const Tokenizer& tokenizer);

}  // namespace hone::lm
