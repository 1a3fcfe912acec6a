#include "torch_lm/text/pattern.hpp"
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include "hone/plugin.hpp"

namespace hone::lm {
namespace {

std::string pcre_text(int code) {
    unsigned char buffer[256] = {};
    pcre2_get_error_message(code, buffer, sizeof buffer);
    return reinterpret_cast<const char*>(buffer);
}

}  // namespace

struct Pattern::Compiled {
    pcre2_code* code;
    pcre2_match_data* match;
};

Pattern::Pattern(const std::string& regex, const std::string& place) {
    int error = 0;
    PCRE2_SIZE offset = 0;
    pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(regex.data()), regex.size(),
                                     PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF, &error, &offset, nullptr);
    if (!code)
        throw Refused(place + ": the pattern \"" + regex + "\" is not understood at character " +
                      std::to_string(offset) + ": " + pcre_text(error));
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);  // where there is no JIT the interpreter matches the same
    compiled_ = std::make_unique<Compiled>(Compiled{code, pcre2_match_data_create_from_pattern(code, nullptr)});
}

Pattern::~Pattern() {
    pcre2_match_data_free(compiled_->match);
    pcre2_code_free(compiled_->code);
}

void Pattern::cut(std::string_view text, const std::function<void(std::string_view, bool)>& emit) const {
    std::size_t done = 0, from = 0;
    while (from <= text.size()) {
        const int found = pcre2_match(compiled_->code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), from, 0,
                                      compiled_->match, nullptr);
        if (found == PCRE2_ERROR_NOMATCH) break;
        if (found < 0) throw Failed("cutting a text for the tokenizer: " + pcre_text(found));
        const PCRE2_SIZE* range = pcre2_get_ovector_pointer(compiled_->match);
        if (range[0] > done) emit(text.substr(done, range[0] - done), false);
        if (range[1] > range[0]) emit(text.substr(range[0], range[1] - range[0]), true);
        done = range[1];
        from = range[1] > range[0] ? range[1] : range[1] + 1;  // an empty match: look behind it
    }
    if (done < text.size()) emit(text.substr(done), false);
}

}  // namespace hone::lm
