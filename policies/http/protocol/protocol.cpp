#include "protocol.hpp"
#include <map>
#include "protocols.hpp"

namespace http {

Question question_of(const hone_request& request) {
    Question question{request.tag,         request.seed,       nlohmann::json::array(),
                      request.temperature, request.top_p,      request.min_p,
                      request.top_k,       request.max_tokens, {}};
    const auto words = [](hone_text text) { return std::string(text.len ? text.at : "", text.len); };
    bool goes_on = false;  // ready-rendered pieces that follow each other are one message
    for (std::uint32_t i = 0; i < request.n; ++i) {
        const std::string role = words(request.messages[i].role), said = words(request.messages[i].text);
        const bool piece = role.empty() || role == "plain";
        question.goes_on = question.goes_on || role == "plain";
        if (piece && goes_on) question.messages.back()["content"].get_ref<std::string&>() += said;
        else question.messages.push_back({{"role", piece ? "user" : role}, {"content", said}});
        goes_on = piece;
    }
    for (std::uint32_t i = 0; i < request.n_stop; ++i) question.stop.push_back(words(request.stop[i]));
    return question;
}

std::string field_that_can_be_left_out(const std::string& field) {
    static const std::map<std::string, std::string> fields = {{"temperature", "temperature"},
                                                              {"top_p", "top_p"},
                                                              {"top_k", "top_k"},
                                                              {"min_p", "min_p"},
                                                              {"seed", "seed"},
                                                              {"stop", "stop"},
                                                              {"n", "n"},
                                                              {"logprobs", "logprobs"},
                                                              {"max_tokens", "max_tokens"},
                                                              {"return_token_ids", "return_token_ids"},
                                                              {"stream", "stream"},
                                                              {"stream_options", "stream_options"},
                                                              {"topP", "top_p"},
                                                              {"topK", "top_k"},
                                                              {"stop_sequences", "stop"},
                                                              {"stopSequences", "stop"},
                                                              {"candidateCount", "n"}};
    const auto found = fields.find(field);
    return found == fields.end() ? "" : found->second;
}

const Protocol* protocol_of(const std::string& name) {
    for (const Protocol* one : {&chat_completions(), &responses(), &messages(), &generate_content()})
        if (name == one->name()) return one;
    return nullptr;
}

}  // namespace http
