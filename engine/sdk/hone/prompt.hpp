// hone/prompt.hpp: the base class of a prompt strategy. Override what you need and write `override` behind each
// function: a name or a signature that is not one of these is then a compile error.
#pragma once
#include <functional>
#include "hone/plugin.hpp"

namespace hone {

class PromptPart {
public:
    // role "system", "user", "assistant"; "": ready-rendered text, in which special tokens are read; "plain": not.
    using Put = std::function<void(std::string_view role, std::string_view text)>;
    virtual ~PromptPart() = default;

    // Runs on the script's thread. Puts the messages that ask for a program for `task`, whose "brief" the verifier
    // wrote. exemplars (documents.md): scored programs that the script chose. Equal arguments and seed give equal
    // messages.
    virtual void write(Doc task, const Docs& exemplars, uint64_t seed, const Put& put) = 0;

    // "fenced" 0: the whole answer is the program, no fences are expected.
    virtual void facts(Out out) { (void)out; }
};

}  // namespace hone
