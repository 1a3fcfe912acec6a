// policies/http/protocol/protocols.hpp: the protocols that are spoken.
#pragma once
#include "protocol.hpp"

namespace http {

const Protocol& chat_completions();  // OpenAI, and most servers
const Protocol& responses();         // OpenAI
const Protocol& messages();          // Anthropic
const Protocol& generate_content();  // Google Gemini

}  // namespace http
