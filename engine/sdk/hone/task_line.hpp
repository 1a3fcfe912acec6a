// hone/task_line.hpp: which task a prompt is about, for policies that do not read: the first line of its text.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include "hone/abi.h"
#include "hone/plugin.hpp"

namespace hone {

// What the user's side of a conversation says; system texts and answers are left out.
inline std::string prompt_text(const hone_message* messages, uint32_t n) {
    std::string prompt;
    for (uint32_t i = 0; i < n; ++i)
        if (const auto role = view(messages[i].role); role != "assistant" && role != "system")
            prompt += view(messages[i].text);
    return prompt;
}

// The first line. A mark such as <|task|> at its start is passed over, and the line ends at the next mark, so that
// exemplars and scores behind it make no other prompt of the same task.
inline std::string_view task_line(std::string_view prompt) {
    const auto skip_space = [&] { prompt.remove_prefix(std::min(prompt.find_first_not_of(" \t\r\n"), prompt.size())); };
    skip_space();
    if (prompt.starts_with('<')) prompt.remove_prefix(std::min(prompt.find('>'), prompt.size() - 1) + 1);
    skip_space();
    prompt = prompt.substr(0, prompt.find_first_of("\n<"));
    return prompt.substr(0, prompt.find_last_not_of(' ') + 1);
}

// hash: of what stands before the bytes.
inline uint64_t fnv1a(std::string_view bytes, uint64_t hash = 14695981039346656037u) {
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return hash;
}

}  // namespace hone
