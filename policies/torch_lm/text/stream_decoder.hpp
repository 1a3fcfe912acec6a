// stream_decoder.hpp: ids, one by one, to text that can be shown at once.
#pragma once
#include <string>
#include "torch_lm/text/tokenizer.hpp"

namespace hone::lm {

class StreamDecoder {
public:
    enum class Begin { text, within_text };  // within_text: goes on after other text, so a leading space stays
    // The tokenizer must outlive it. specials: special tokens give their spelling, otherwise nothing.
    explicit StreamDecoder(const Tokenizer& tokenizer, bool specials = false, Begin begin = Begin::text);
    // What is certain after one more token: valid UTF-8, or nothing while a character is incomplete.
    std::string push(std::int32_t id);
    // What was held back; call it once, after the last token. All the pieces together are what decode gives.
    std::string finish();

private:
    std::string end_bytes();  // the fallback tokens until here are a run
    std::string strip(std::string text);
    const Tokenizer& tokenizer_;
    bool specials_;
    std::string bytes_;    // a run of fallback tokens: valid as a whole or not at all
    std::string pending_;  // the start of a character
    std::size_t strips_;   // characters that may still be taken from the start
};

}  // namespace hone::lm
