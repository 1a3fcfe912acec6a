// parts/prompt.hpp: one instance of a prompt part.
#pragma once
#include <vector>
#include "parts/handle.hpp"
#include "parts/policy.hpp"

namespace hone {

// What a prompt part puts: `messages` is a std::vector<Message>*. Null texts are kept, for check_messages to tell.
void put_message(void* messages, hone_message);
// Throws Error(input) where no policy could be asked by them: an unknown role, a text that is null or no UTF-8, nothing
// from the user. place: `prompt "x": write`.
void check_messages(const std::vector<Message>&, const std::string& place);

class Prompt {
public:
    explicit Prompt(const Recipe& recipe) : handle_(recipe) {}
    // task: a document with `brief`; exemplars: {code, hash, speedup {estimate, lower, upper} as plain ratios, seconds,
    // ...}
    std::vector<Message> write(const Json& task, const std::vector<Json>& exemplars, std::uint64_t seed);
    Json facts() const;
    const Recipe& recipe() const { return handle_.recipe(); }

private:
    const hone_prompt& functions() const { return *static_cast<const hone_prompt*>(handle_.part().functions); }
    Handle handle_;
};

}  // namespace hone
