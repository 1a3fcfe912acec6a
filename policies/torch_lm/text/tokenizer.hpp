// tokenizer.hpp: text to token ids and back, as a Hugging Face tokenizer.json with a BPE model says: byte-level (GPT-2,
// Llama 3, Qwen, SmolLM, and the ones trained here) or of SentencePiece's kind (Llama 2, Mistral). The ids are those of
// the tokenizers library. Not for two threads at once: pieces are remembered.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include "torch_lm/text/decoding.hpp"
#include "torch_lm/text/encoding/added_tokens.hpp"
#include "torch_lm/text/encoding/bpe.hpp"
#include "torch_lm/text/encoding/normalizer.hpp"
#include "torch_lm/text/encoding/splitter.hpp"

namespace hone::lm {

using Ids = std::vector<std::int32_t>;

// A part of a text and who wrote it.
struct Piece {
    std::string_view text;
    std::int32_t source;
    bool specials;  // recognise special tokens in it; never in text of users or of a model
};

class Tokenizer {
public:
    // `json`: the text of a tokenizer.json; `place`: its path. Throws Refused for what is malformed or not supported.
    Tokenizer(const std::string& json, const std::string& place);
    // Vocabulary of the tiny model: special tokens, bytes, and merges found in texts (none: bytes only). Programs are
    // cut after `;`, `{`, `}`,
    // `(` and newline, so a whole statement may become one token. Throws Refused if nothing but bytes fits.
    static Tokenizer train(const std::vector<std::string>& texts, std::size_t vocabulary_size);

    // The pieces as one text: a token may reach from one into the next. A special token is recognised where its whole
    // spelling lies in pieces with specials. source[i]: of the piece that the last byte of token i comes from.
    Ids encode(std::span<const Piece> pieces, std::vector<std::int32_t>& source);
    Ids encode(std::string_view text, bool specials);
    // What stands before a whole text that no template wraps (the post-processor's; Llama: the begin token).
    const Ids& prefix() const { return prefix_; }

    // A whole text, without specials; invalid UTF-8 becomes U+FFFD; unknown ids give nothing. Token by token, or text
    // that goes on another: StreamDecoder.
    std::string decode(const std::int32_t* ids, std::size_t n) const;
    std::string decode_bytes(const std::int32_t* ids, std::size_t n, bool specials) const;  // as the tokens have them

    std::int32_t id(std::string_view token) const;       // of an added token or a spelled one; -1 if there is none
    std::size_t size() const { return tokens_.size(); }  // largest id + 1
    const std::string& file() const { return file_; }    // text of tokenizer.json, as it was or shall be

    struct Token {
        std::string text;  // what it stands for when it is decoded
        bool special = false;
        bool is_byte = false;  // a fallback token, one byte of a character
    };
    const Token* token(std::int32_t id) const;  // null: no such id
    const Decoding& decoding() const { return decoding_; }

private:
    struct Output;
    void read(const nlohmann::json& root, const std::string& place);
    void read_model(const nlohmann::json& model, const std::string& place);
    void read_added(const nlohmann::json& added, const std::string& place);
    void read_prefix(const nlohmann::json& post_processor, const std::string& place);
    void put_token(std::int32_t id, const std::string& spelling, bool special);
    void find_added(const Marked& text, Output& to);
    void normalize(const Marked& text, Output& to);
    void encode_plain(const Marked& text, Output& to);

    std::string file_;
    Normalizer normalizer_, metaspace_;
    Splitter splitter_;
    Vocabulary vocabulary_;
    Bpe bpe_;
    Decoding decoding_;
    Vocabulary added_ids_;
    AddedTokens raw_added_, normalized_added_;  // looked for before and after the normalizer
    std::vector<Token> tokens_;
    Ids prefix_;
};

}  // namespace hone::lm
