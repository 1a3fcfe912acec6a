// render.hpp: messages to token ids.
#pragma once
#include <cstdint>
#include <vector>
#include "hone/abi.h"
#include "torch_lm/text/tokenizer.hpp"

namespace hone::lm {

struct Rendered {
    Ids ids;
    std::vector<std::int32_t> source;  // index of the message that a token comes from, -1: the template
};

// A message without a role is a ready-rendered piece: special tokens are recognised in it, and nowhere else; one of the
// role "plain" is a piece of text that came from elsewhere. Any other is wrapped as ChatML where the vocabulary has its
// tokens and stands bare otherwise. An assistant's message ends with the end token, which counts as its own: a policy
// learns to stop. open: ready for the answer.
Rendered render(Tokenizer& tokenizer, const hone_message* messages, std::uint32_t n, bool open, std::int32_t end_token);
// The token that ends an answer in this vocabulary, or -1.
std::int32_t chat_end(const Tokenizer& tokenizer);

}  // namespace hone::lm
