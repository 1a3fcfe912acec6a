// template_files.hpp: the chat template of a Hugging Face folder.
#pragma once
#include <string>
#include "torch_lm/text/chat_template.hpp"

namespace hone::lm {

// From chat_template.jinja, else from tokenizer_config.json, and the special tokens of the latter. A folder that has
// neither gives an empty text. Throws Refused for files that are malformed.
TemplateSource read_template(const std::string& folder);

}  // namespace hone::lm
