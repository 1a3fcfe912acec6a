#include "parts/prompt.hpp"
#include "parts/lending.hpp"
#include "parts/told.hpp"

namespace hone {
std::vector<Message> Prompt::write(const Json& task, const std::vector<Json>& exemplars, std::uint64_t seed) {
    const Lending lent_task(task, "hone.Task");
    const Lendings lent(exemplars, "hone.Exemplar");
    std::vector<Message> messages;
    const auto put = [](void* ctx, hone_message message) {
        auto& list = *static_cast<std::vector<Message>*>(ctx);
        list.push_back(
            {std::string(message.role.at, message.role.len), std::string(message.text.at, message.text.len)});
    };
    handle_.call("write", functions().write, handle_.self(), lent_task.doc(), lent.docs().data(),
                 static_cast<std::uint32_t>(lent.docs().size()), seed, &messages, put);
    for (const Message& message : messages) check_role(handle_.name() + ": write", message.role);
    return messages;
}

Json Prompt::facts() const {
    Collect collect;
    if (HONE_OFFERS(&functions(), facts)) handle_.call("facts", functions().facts, handle_.self(), collect.out());
    check_told(collect.json(), "prompt", handle_.name(), "facts");
    return collect.json();
}

}  // namespace hone
