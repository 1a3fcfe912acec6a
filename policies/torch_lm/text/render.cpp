#include "torch_lm/text/render.hpp"
#include <algorithm>
#include "hone/plugin.hpp"

namespace hone::lm {
namespace {

constexpr std::int32_t by_template = jinja::by_template;

bool is_ready(const hone_message& message) { return !message.role.len; }
bool is_piece(const hone_message& message) { return is_ready(message) || view(message.role) == "plain"; }
bool is_answer(const hone_message& message) { return view(message.role) == "assistant"; }

// While a text is encoded: what the template writes behind the message i, told apart from what else it writes.
constexpr std::int32_t behind(std::int32_t message) { return -2 - message; }

std::vector<Piece> pieces_of(const jinja::Text& text, std::span<const hone_message> messages) {
    std::vector<Piece> pieces;
    std::size_t begin = 0;
    std::int32_t last = by_template;
    for (const auto& [end, source] : text.spans()) {
        const std::string_view bytes = std::string_view(text.bytes()).substr(begin, end - begin);
        const bool ends_answer = source == by_template && last != by_template && is_answer(messages[last]);
        pieces.push_back({bytes, ends_answer ? behind(last) : source, source == by_template});
        last = source;
        begin = end;
    }
    return pieces;
}

bool is_blank(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; });
}

// Of the tokens from `begin` on, which the template wrote behind an answer: one behind the special token that ends it,
// or `begin` where the answer has no end.
std::size_t end_of_turn(const Tokenizer& tokenizer, const Rendered& rendered, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        const Tokenizer::Token* token = tokenizer.token(rendered.ids[i]);
        if (token && token->special) return i + 1;
        if (!token || !is_blank(token->text)) break;
    }
    return begin;
}

// The end of each answer becomes the answer's, all else that the template wrote the template's.
void give_ends(const Tokenizer& tokenizer, Rendered& rendered) {
    for (std::size_t i = 0; i < rendered.ids.size();) {
        const std::int32_t mark = rendered.source[i];
        std::size_t stop = i;
        while (stop < rendered.ids.size() && rendered.source[stop] == mark) ++stop;
        if (mark < by_template) {
            const std::size_t own = end_of_turn(tokenizer, rendered, i, stop);
            std::fill(rendered.source.begin() + i, rendered.source.begin() + own, behind(mark));
            std::fill(rendered.source.begin() + own, rendered.source.begin() + stop, by_template);
        }
        i = stop;
    }
}

Rendered render_bare(Tokenizer& tokenizer, std::span<const hone_message> messages, bool open, std::int32_t end_token) {
    Rendered rendered;
    const auto put = [&rendered](const Ids& ids, std::int32_t source) {
        rendered.ids.insert(rendered.ids.end(), ids.begin(), ids.end());
        rendered.source.insert(rendered.source.end(), ids.size(), source);
    };
    if (std::none_of(messages.begin(), messages.end(), is_ready)) put(tokenizer.prefix(), by_template);
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const auto source = static_cast<std::int32_t>(i);
        put(tokenizer.encode(view(messages[i].text), !messages[i].role.len), source);
        const bool goes_on = open && i + 1 == messages.size();
        if (is_answer(messages[i]) && !goes_on && end_token >= 0) put({end_token}, source);
    }
    return rendered;
}

}  // namespace

// What strftime_now of a template tells: 26 July 2024, which Llama 3's templates say where they know no date. Were it
// the clock's, a run would have other prompts tomorrow.
constexpr std::time_t told_time = 1721952000;

Rendered render(Tokenizer& tokenizer, const ChatTemplate* chat, std::span<const hone_message> messages, bool open,
                std::int32_t end_token) {
    if (!chat || std::any_of(messages.begin(), messages.end(), is_piece))
        return render_bare(tokenizer, messages, open, end_token);
    const jinja::Text text = chat->write(messages, open, told_time);
    Rendered rendered;
    rendered.ids = tokenizer.encode(pieces_of(text, messages), rendered.source);
    give_ends(tokenizer, rendered);
    return rendered;
}

std::int32_t turn_end(Tokenizer& tokenizer, const ChatTemplate& chat) {
    const hone_message turns[] = {{borrow("user"), borrow("a")}, {borrow("assistant"), borrow("a")}};
    try {
        const Rendered rendered = render(tokenizer, &chat, turns, false, -1);
        const auto last = std::find(rendered.source.rbegin(), rendered.source.rend(), 1);
        if (last == rendered.source.rend()) return -1;
        const std::int32_t id = rendered.ids[static_cast<std::size_t>(rendered.source.rend() - last) - 1];
        return tokenizer.token(id)->special ? id : -1;
    } catch (const Refused&) {
        return -1;  // the template takes other conversations alone
    }
}

}  // namespace hone::lm
