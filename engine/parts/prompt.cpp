#include "parts/prompt.hpp"

namespace hone {

std::vector<Message> Prompt::write(const Json& task, const std::vector<Json>& exemplars, std::uint64_t seed) {
    std::vector<const hone_doc*> lent;
    for (const Json& exemplar : exemplars) lent.push_back(as_doc(exemplar));
    std::vector<Message> messages;
    const auto put = [](void* ctx, hone_message message) {
        auto& list = *static_cast<std::vector<Message>*>(ctx);
        list.push_back(
            {std::string(message.role.at, message.role.len), std::string(message.text.at, message.text.len)});
    };
    handle_.call("write", functions().write, handle_.self(), as_doc(task), lent.data(),
                 static_cast<std::uint32_t>(lent.size()), seed, &messages, put);
    return messages;
}

Json Prompt::facts() const {
    Collect collect;
    if (HONE_OFFERS(&functions(), facts)) handle_.call("facts", functions().facts, handle_.self(), collect.out());
    return collect.json();
}

}  // namespace hone
