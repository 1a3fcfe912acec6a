// lua/conversations.hpp: hone.corpus: conversations of a JSONL file, the form in which chat models are fine-tuned.
#pragma once
#include <string>
#include <vector>
#include "lua/bind.hpp"
#include "parts/policy.hpp"

namespace hone::lua {

struct Conversation {
    std::vector<Message> messages;
    std::vector<bool> learnt;  // of each message: an answer whose "weight" is not 0
};

// {"messages": [{"role", "content", "weight"?}, ...]}, one a line; other keys are ignored, empty lines too. Throws
// Error(input) at the first line that is none: `FILE:3: message 2 has no text "content"`.
std::vector<Conversation> read_conversations(const std::string& path);
Bindings conversation_bindings();

}  // namespace hone::lua
