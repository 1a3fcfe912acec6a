#include "torch_lm/text/stream_decoder.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm {

StreamDecoder::StreamDecoder(const Tokenizer& tokenizer, bool specials, Begin begin)
    : tokenizer_(tokenizer),
      specials_(specials),
      strips_(begin == Begin::text ? tokenizer.decoding().most_stripped() : 0) {}

std::string StreamDecoder::push(std::int32_t id) {
    const Tokenizer::Token* token = tokenizer_.token(id);
    if (!token || (token->special && !specials_)) return {};
    if (token->is_byte) {
        bytes_ += token->text;
        return {};
    }
    std::string text = end_bytes();
    pending_ += token->text;
    const std::size_t complete = complete_length(pending_);
    text += repair_utf8(std::string_view(pending_).substr(0, complete));
    pending_.erase(0, complete);
    return strip(std::move(text));
}

std::string StreamDecoder::finish() {
    std::string text = end_bytes() + repair_utf8(pending_);
    pending_.clear();
    return strip(std::move(text));
}

std::string StreamDecoder::end_bytes() {
    std::string text = repair_utf8(bytes_);
    if (text != bytes_) {  // the library then takes every byte for a character that cannot be read
        text.clear();
        for (std::size_t i = 0; i < bytes_.size(); ++i) text += "\xef\xbf\xbd";
    }
    bytes_.clear();
    return text;
}

std::string StreamDecoder::strip(std::string text) {
    const std::string& taken = tokenizer_.decoding().stripped();
    for (; strips_ > 0 && !text.empty() && text.starts_with(taken); --strips_) text.erase(0, taken.size());
    if (!text.empty()) strips_ = 0;
    return text;
}

}  // namespace hone::lm
