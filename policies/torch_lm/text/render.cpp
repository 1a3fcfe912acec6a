#include "torch_lm/text/render.hpp"
#include "hone/plugin.hpp"

namespace hone::lm {
namespace {

bool is_piece(std::string_view role) { return role.empty() || role == "plain"; }

class Renderer {
public:
    Renderer(Tokenizer& tokenizer, std::int32_t end_token)
        : tokenizer_(tokenizer), end_token_(end_token), chat_(chat_end(tokenizer) >= 0) {}

    // unfinished: the answer goes on where the message ends
    void message(const hone_message& m, std::int32_t source, bool unfinished) {
        const std::string_view role = view(m.role);
        const bool answer = role == "assistant";
        if (chat_ && !is_piece(role)) head(role);
        put(tokenizer_.encode(view(m.text), role.empty()), source);
        if (is_piece(role) || (answer && unfinished)) return;
        if (chat_) {
            put({chat_end(tokenizer_)}, answer ? source : -1);
            put(tokenizer_.encode("\n", false), -1);
        } else if (answer && end_token_ >= 0) {
            put({end_token_}, source);
        }
    }

    void open(std::string_view last_role) {
        if (chat_ && !is_piece(last_role) && last_role != "assistant") head("assistant");
    }

    Rendered rendered;

private:
    void head(std::string_view role) {
        put(tokenizer_.encode("<|im_start|>", true), -1);
        put(tokenizer_.encode(std::string(role) + "\n", false), -1);
    }
    void put(const Ids& ids, std::int32_t source) {
        rendered.ids.insert(rendered.ids.end(), ids.begin(), ids.end());
        rendered.source.insert(rendered.source.end(), ids.size(), source);
    }
    Tokenizer& tokenizer_;
    std::int32_t end_token_;
    bool chat_;
};

}  // namespace

std::int32_t chat_end(const Tokenizer& tokenizer) {
    return tokenizer.id("<|im_start|>") >= 0 ? tokenizer.id("<|im_end|>") : -1;
}

Rendered render(Tokenizer& tokenizer, const hone_message* messages, std::uint32_t n, bool open,
                std::int32_t end_token) {
    Renderer renderer(tokenizer, end_token);
    for (std::uint32_t i = 0; i < n; ++i)
        renderer.message(messages[i], static_cast<std::int32_t>(i), open && i + 1 == n);
    if (open && n) renderer.open(view(messages[n - 1].role));
    return std::move(renderer.rendered);
}

}  // namespace hone::lm
