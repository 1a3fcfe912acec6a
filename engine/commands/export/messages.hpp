// commands/export/messages.hpp: verified programs of a run as conversations, in the form in which chat models are
// fine-tuned (OpenAI, TRL, axolotl).
#pragma once
#include <string>
#include "store/journal.hpp"

namespace hone {

struct ExportedMessages {
    std::string lines;  // JSONL: {"messages": [{role, content}, ...], "hone": {task, speedup, teacher, ...}}
    std::size_t conversations = 0;
    std::size_t repeated = 0;  // left out: a program of a task that stands there already
    std::size_t rendered = 0;  // left out: answers to ready-rendered text, which is no conversation
};

// Answers that passed and count as scores, in the order in which they were given. stage: of this stage alone; "": of
// all.
ExportedMessages exported_messages(const Journal&, const std::string& stage);

}  // namespace hone
