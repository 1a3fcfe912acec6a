// pattern.hpp: a PCRE2 regular expression over UTF-8 with Unicode classes, compiled to machine code where PCRE2 can.
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
    // Cuts text at its matches: emit(piece, matched) for every non-empty stretch, in order. Invalid UTF-8 never
    // matches. Throws Failed where PCRE2 gives up (its match limits).
    void cut(std::string_view text, const std::function<void(std::string_view, bool)>& emit) const;

private:
    struct Compiled;
    std::unique_ptr<Compiled> compiled_;
};

}  // namespace hone::lm
