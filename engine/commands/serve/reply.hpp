// commands/serve/reply.hpp: answers in the forms of OpenAI's API, whole and as chunks of a stream.
#pragma once
#include "commands/serve/request.hpp"

namespace hone::serve {

// By the ids that the policy gave, else as its provider told; 0: neither is known. An answer's part of the prompt: with
// ids the first member has all of them, since the prompt is read once; a provider's number is already shared out.
double prompt_tokens(const Answer& answer);
double completion_tokens(const Answer& answer);

class Replies {  // of one request
public:
    Replies(const Asked& asked, const Served& served, std::string id);

    Json whole(const std::vector<Answer>& answers) const;  // in the order of their members
    Json first(std::uint32_t member) const;                // chat: the chunk that names the role
    Json piece(std::uint32_t member, const std::string& text) const;
    // What of the answer's text was not sent yet, its tokens, and how it ended.
    Json last(const Answer& answer, const std::string& sent) const;
    // The chunk behind all others. Here and in whole: usage is null where the policy does not tell it.
    Json usage(const std::vector<Answer>& answers) const;

private:
    Json head(bool chunk) const;
    Json chunk(Json choice) const;
    Json choice(const Answer& answer) const;
    void add_tokens(const Answer& answer, Json& choice) const;
    const Asked& asked_;
    const Served& served_;
    std::string id_;
    std::int64_t created_;
};

}  // namespace hone::serve
