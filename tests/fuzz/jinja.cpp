// A chat template, then a zero byte, a user's text, a zero byte, an assistant's text (policies/torch_lm/text/jinja).
#include <algorithm>
#include "hone/plugin.hpp"
#include "property.hpp"
#include "torch_lm/text/jinja/template.hpp"

namespace {

using namespace hone::lm::jinja;
using hone::fuzz::hold;

std::string_view next_part(std::string_view& bytes) {
    const std::size_t end = std::min(bytes.find('\0'), bytes.size());
    const std::string_view part = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    return part;
}

Value message(Budget& budget, const char* role, std::string_view text, std::int32_t source) {
    const auto own = [&budget](const char* word) { return make_text(budget, Text(std::string(word), by_template)); };
    return make_dict(budget,
                     {{own("role"), own(role)}, {own("content"), make_text(budget, Text(std::string(text), source))}});
}

void check(const Text& text) {
    std::size_t begin = 0;
    for (const Text::Span& span : text.spans()) {
        hold(span.end > begin, "spans have bytes, and follow one another");
        hold(span.source == by_template || span.source == 0 || span.source == 1, "sources are of messages");
        begin = span.end;
    }
    hold(begin == text.bytes().size(), "every byte is of a span");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    std::string_view rest = hone::fuzz::view(bytes, size);
    const std::string_view text = next_part(rest), user = next_part(rest);
    try {
        const Template parsed(text, "chat_template.jinja", "name another");
        Budget budget(user.size() + rest.size());
        std::vector<Value> list;
        list.push_back(message(budget, "user", user, 0));
        list.push_back(message(budget, "assistant", rest, 1));
        check(parsed.render({{"messages", make_list(budget, std::move(list))}, {"add_generation_prompt", true}}, 0));
    } catch (const hone::Refused& e) {
        hold(std::string(e.what()).starts_with("chat_template.jinja, line "), "a refusal names its line");
    }
    return 0;
}
