// What providers answer: one answer of a model in each protocol that policy.http speaks, whole and as a stream of
// events, as their documents show it.
#pragma once
#include <string>
#include <vector>
#include "base/json.hpp"

namespace hone::test {

struct ProviderReply {
    Json whole;
    std::vector<std::string> events;  // each with its lines, ready to be sent
};

// target: where the request went, which says by which protocol. Usage is 10 tokens in, 4 of them cached, and 5 out an
// answer, 2 of them thoughts.
ProviderReply provider_reply(const std::string& target, const Json& request, const std::string& text);
bool wants_stream(const std::string& target, const Json& request);

Json completion(const std::string& text, int count = 1);  // of chat, with usage 10 in, 5 out an answer

}  // namespace hone::test
