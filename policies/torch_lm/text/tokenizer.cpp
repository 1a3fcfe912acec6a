#include "torch_lm/text/tokenizer.hpp"
#include <limits>
#include "hone/plugin.hpp"
#include "torch_lm/text/stream_decoder.hpp"

namespace hone::lm {

struct Tokenizer::Output {
    Ids& ids;
    std::vector<std::int32_t>& source;
    void put(std::int32_t id, std::int32_t from) {
        ids.push_back(id);
        source.push_back(from);
    }
};

Ids Tokenizer::encode(std::string_view text, bool specials) {
    const Piece piece{text, 0, specials};
    std::vector<std::int32_t> source;
    return encode({&piece, 1}, source);
}

Ids Tokenizer::encode(std::span<const Piece> pieces, std::vector<std::int32_t>& source) {
    std::string all;
    Marked text;
    for (const Piece& piece : pieces) {
        text.marks.add(piece.text.size(), piece.source, piece.specials);
        if (pieces.size() > 1) all += piece.text;
    }
    text.bytes = pieces.size() == 1 ? pieces[0].text : std::string_view(all);
    if (text.bytes.size() > std::numeric_limits<std::int32_t>::max())
        throw Refused("a text of " + std::to_string(text.bytes.size()) + " bytes is too long to encode (2 GiB)");
    Ids ids;
    source.clear();
    Output to{ids, source};
    find_added(text, to);
    return ids;
}

void Tokenizer::find_added(const Marked& text, Output& to) {
    raw_added_.cut(
        text, [&](std::size_t begin, std::size_t end) { normalize(text.slice(begin, end), to); },
        [&](const AddedToken& token, std::size_t end) { to.put(token.id, text.marks.at(end - 1).source); });
}

void Tokenizer::normalize(const Marked& raw, Output& to) {
    std::string hold;
    const Marked text = normalizer_.apply(raw, hold);
    normalized_added_.cut(
        text, [&](std::size_t begin, std::size_t end) { encode_plain(text.slice(begin, end), to); },
        [&](const AddedToken& token, std::size_t end) { to.put(token.id, text.marks.at(end - 1).source); });
}

void Tokenizer::encode_plain(const Marked& normalized, Output& to) {
    std::string hold;
    const Marked text = metaspace_.apply(normalized, hold);
    splitter_.split(text.bytes, [&](std::string_view piece, std::size_t piece_end) {
        for (const BpeToken& token : bpe_.encode(piece)) {
            const std::size_t behind = piece.size() - token.end;  // bytes of the piece after the token
            // a space that was put before the text belongs to who wrote what follows
            const std::size_t end = std::max<std::size_t>(piece_end - std::min(behind, piece_end), 1);
            to.put(token.id, text.marks.at(end - 1).source);
        }
    });
}

const Tokenizer::Token* Tokenizer::token(std::int32_t id) const {
    return id >= 0 && static_cast<std::size_t>(id) < tokens_.size() ? &tokens_[id] : nullptr;
}

std::string Tokenizer::decode_bytes(const std::int32_t* ids, std::size_t n, bool specials) const {
    std::string bytes;
    for (std::size_t i = 0; i < n; ++i)
        if (const Token* known = token(ids[i]); known && (specials || !known->special)) bytes += known->text;
    return bytes;
}

std::string Tokenizer::decode(const std::int32_t* ids, std::size_t n) const {
    StreamDecoder decoder(*this);
    std::string text;
    for (std::size_t i = 0; i < n; ++i) text += decoder.push(ids[i]);
    return text + decoder.finish();
}

std::int32_t Tokenizer::id(std::string_view token) const {
    for (const Vocabulary* ids : {&added_ids_, &vocabulary_})
        if (const auto found = ids->find(std::string(token)); found != ids->end()) return found->second;
    return -1;
}

}  // namespace hone::lm
