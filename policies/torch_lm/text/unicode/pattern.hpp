// pattern.hpp: a regular expression over UTF-8 with Unicode classes: PCRE2, compiled to machine code where PCRE2 can,
// made to agree with the Oniguruma of the tokenizers library.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace hone::lm {

class Pattern {
public:
    // Throws Refused with the position of the mistake; `place` is the file it comes from.
    Pattern(const std::string& regex, const std::string& place);
    ~Pattern();
    Pattern(const Pattern&) = delete;
    Pattern& operator=(const Pattern&) = delete;
    // Cuts text at its matches: emit(piece, matched) for every non-empty stretch, in order. Bytes that are not UTF-8
    // count as control characters. Throws Failed where PCRE2 gives up (its match limits). Not for two threads at once.
    void cut(std::string_view text, const std::function<void(std::string_view, bool)>& emit) const;

private:
    struct Compiled;
    [[noreturn]] void give_up(int code, std::size_t size) const;
    std::string regex_, place_;
    std::unique_ptr<Compiled> compiled_;
};

}  // namespace hone::lm
