#include "parts/prompt.hpp"
#include "base/printable.hpp"
#include "parts/lending.hpp"
#include "parts/told.hpp"

namespace hone {
namespace {

const std::string null_text("\xff", 1);  // is no UTF-8, so that no message has this text

std::string copied(hone_text text) { return text.at ? std::string(text.at, text.len) : text.len ? null_text : ""; }

}  // namespace

void put_message(void* messages, hone_message message) {
    static_cast<std::vector<Message>*>(messages)->push_back({copied(message.role), copied(message.text)});
}

void check_messages(const std::vector<Message>& messages, const std::string& place) {
    bool asks = false;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        if (messages[i].text == null_text)
            throw Error(Blame::input, place, "the text of message " + std::to_string(i) + " is null, with a length",
                        "give its bytes, or a length of 0");
        check_role(place, messages[i].role);
        if (!is_utf8(messages[i].text))
            throw Error(Blame::input, place, "the text of message " + std::to_string(i) + " is no UTF-8");
        const bool blank = messages[i].text.find_first_not_of(" \t\r\n") == std::string::npos;
        asks = asks || (!blank && messages[i].role != "system" && messages[i].role != "assistant");
    }
    if (!asks)
        throw Error(Blame::input, place, "puts no message of the user's, which a model would answer",
                    "give the task in a message with the role \"user\"");
}

std::vector<Message> Prompt::write(const Json& task, const std::vector<Json>& exemplars, std::uint64_t seed) {
    const Lending lent_task(task, "hone.Task");
    const Lendings lent(exemplars, "hone.Exemplar");
    std::vector<Message> messages;
    handle_.call("write", functions().write, handle_.self(), lent_task.doc(), lent.docs().data(),
                 static_cast<std::uint32_t>(lent.docs().size()), seed, &messages, put_message);
    check_messages(messages, handle_.name() + ": write");
    return messages;
}

Json Prompt::facts() const {
    Collect collect;
    if (HONE_OFFERS(&functions(), facts)) handle_.call("facts", functions().facts, handle_.self(), collect.out());
    check_told(collect.json(), "prompt", handle_.name(), "facts");
    return collect.json();
}

}  // namespace hone
