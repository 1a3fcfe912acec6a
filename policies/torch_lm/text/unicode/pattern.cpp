#include "torch_lm/text/unicode/pattern.hpp"
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include "hone/plugin.hpp"
#include "torch_lm/text/unicode/matchable.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm {
namespace {

// Oniguruma's ^ and $ are those of lines, and its lines end in \n. \C would cut characters.
constexpr std::uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
constexpr std::size_t least_stack = 32 << 10, most_stack = 1 << 20;  // bytes, of the machine code
constexpr std::uint32_t most_steps = 5'000'000;                      // a pattern that tries more at one place is a bomb

std::string pcre_text(int code) {
    unsigned char buffer[256] = {};
    pcre2_get_error_message(code, buffer, sizeof buffer);
    return reinterpret_cast<const char*>(buffer);
}

template <auto free> struct Free {
    template <class T> void operator()(T* object) const { free(object); }
};

PCRE2_SPTR units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

}  // namespace

struct Pattern::Compiled {
    std::unique_ptr<pcre2_code, Free<pcre2_code_free>> code;
    std::unique_ptr<pcre2_match_data, Free<pcre2_match_data_free>> match;
    std::unique_ptr<pcre2_match_context, Free<pcre2_match_context_free>> context;
    std::unique_ptr<pcre2_jit_stack, Free<pcre2_jit_stack_free>> stack;
};

Pattern::Pattern(const std::string& regex, const std::string& place) : regex_(regex), place_(place) {
    int error = 0;
    PCRE2_SIZE offset = 0;
    const std::unique_ptr<pcre2_compile_context, Free<pcre2_compile_context_free>> rules(
        pcre2_compile_context_create(nullptr));
    pcre2_set_newline(rules.get(), PCRE2_NEWLINE_LF);
    pcre2_code* code = pcre2_compile(units(regex), regex.size(), options, &error, &offset, rules.get());
    if (!code)
        throw Refused(place + ": the pattern \"" + first_words(regex) + "\" is not understood at character " +
                      std::to_string(offset) + ": " + pcre_text(error));
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);  // where there is no JIT the interpreter matches the same
    compiled_ = std::make_unique<Compiled>();
    compiled_->code.reset(code);
    compiled_->match.reset(pcre2_match_data_create_from_pattern(code, nullptr));
    compiled_->context.reset(pcre2_match_context_create(nullptr));
    compiled_->stack.reset(pcre2_jit_stack_create(least_stack, most_stack, nullptr));
    pcre2_set_match_limit(compiled_->context.get(), most_steps);
    pcre2_jit_stack_assign(compiled_->context.get(), nullptr, compiled_->stack.get());
}

Pattern::~Pattern() = default;

void Pattern::cut(std::string_view text, const std::function<void(std::string_view, bool)>& emit) const {
    std::string hold;
    const std::string_view seen = matchable(text, hold);
    std::size_t done = 0, from = 0;
    while (from <= seen.size()) {
        const int found = pcre2_match(compiled_->code.get(), units(seen), seen.size(), from, PCRE2_NO_UTF_CHECK,
                                      compiled_->match.get(), compiled_->context.get());
        if (found == PCRE2_ERROR_NOMATCH) break;
        if (found < 0) give_up(found, text.size());
        const PCRE2_SIZE begin = pcre2_get_ovector_pointer(compiled_->match.get())[0];
        const PCRE2_SIZE end = pcre2_get_ovector_pointer(compiled_->match.get())[1];
        if (begin < done || end < begin) give_up(PCRE2_ERROR_BADOFFSET, text.size());  // \K in a lookaround
        if (begin > done) emit(text.substr(done, begin - done), false);
        if (end > begin) emit(text.substr(begin, end - begin), true);
        done = end;
        from = end;
        if (end == begin)  // an empty match: look behind the next character
            do ++from;
            while (from < seen.size() && (seen[from] & 0xc0) == 0x80);
    }
    if (done < text.size()) emit(text.substr(done), false);
}

void Pattern::give_up(int code, std::size_t size) const {
    throw Failed(place_ + ": the pattern \"" + first_words(regex_) + "\" gives up on a text of " +
                 std::to_string(size) + " bytes: " + pcre_text(code));
}

}  // namespace hone::lm
