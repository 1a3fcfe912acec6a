// render.hpp: messages to token ids.
#pragma once
#include <cstdint>
#include <vector>
#include "torch_lm/text/chat_template.hpp"

namespace hone::lm {

struct Rendered {
    Ids ids;
    std::vector<std::int32_t> source;  // index of the message that a token comes from, -1: the template
};

// A message without a role is a ready-rendered piece: special tokens are recognised in it; one of the role "plain" is a
// piece of text that came from elsewhere. Where there is such a piece, or no template, every message stands bare, and
// end_token (-1: none) ends an assistant's; otherwise the template says how they stand. The tokenizer's prefix (Llama:
// the begin token) stands before bare messages none of which is ready-rendered. The token that ends an assistant's turn
// counts as its own: a policy learns to stop. open: ready for the answer.
Rendered render(Tokenizer& tokenizer, const ChatTemplate* chat, std::span<const hone_message> messages, bool open,
                std::int32_t end_token);
// The token that ends an answer within this template; -1: none is found.
std::int32_t turn_end(Tokenizer& tokenizer, const ChatTemplate& chat);

}  // namespace hone::lm
