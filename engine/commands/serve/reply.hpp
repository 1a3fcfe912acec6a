// commands/serve/reply.hpp: answers in the forms of OpenAI's API, whole and as chunks of a stream.
#pragma once
#include "commands/serve/request.hpp"

namespace hone::serve {

class Replies {  // of one request
public:
    Replies(const Asked& asked, const Served& served, std::string id);

    Json whole(const std::vector<Answer>& answers) const;  // in the order of their members
    Json first(std::uint32_t member) const;                // chat: the chunk that names the role
    Json piece(std::uint32_t member, const std::string& text) const;
    // What of the answer's text was not sent yet, its tokens, and how it ended.
    Json last(const Answer& answer, const std::string& sent) const;
    Json usage(const std::vector<Answer>& answers) const;  // the chunk behind all others

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
