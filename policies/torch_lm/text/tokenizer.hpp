// tokenizer.hpp: text to token ids and back, as a Hugging Face tokenizer.json of the byte-level BPE family says (GPT-2,
// Llama 3, Qwen, SmolLM, and the ones trained here). Not for two threads at once: pieces are remembered.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>
#include "torch_lm/text/bpe.hpp"
#include "torch_lm/text/splitter.hpp"

namespace hone::lm {

using Ids = std::vector<std::int32_t>;

class Tokenizer {
public:
    // `json`: the text of a tokenizer.json; `place`: its path. Throws Refused for what is malformed or not byte-level
    // BPE.
    Tokenizer(const std::string& json, const std::string& place);
    // Vocabulary of the tiny model: special tokens, bytes, and merges found in texts (none: bytes only). Programs are
    // cut after `;`, `{`, `}`,
    // `(` and newline, so a whole statement may become one token. Throws Refused if nothing but bytes fits.
    static Tokenizer train(const std::vector<std::string>& texts, std::size_t vocabulary_size);

    // specials: also recognise special tokens (for ready-rendered prompts; never for text of users or of a model).
    Ids encode(std::string_view text, bool specials);
    std::string decode_bytes(const std::int32_t* ids, std::size_t n, bool specials) const;  // unknown ids give nothing
    std::string decode(const std::int32_t* ids, std::size_t n) const;  // without specials; invalid UTF-8 becomes U+FFFD

    std::int32_t id(std::string_view token) const;       // of an added token or a spelled one; -1 if there is none
    std::size_t size() const { return tokens_.size(); }  // largest id + 1
    const std::string& file() const { return file_; }    // text of tokenizer.json, as it was or shall be

private:
    struct Added {
        std::string content;
        std::int32_t id;
        bool special, takes_left, takes_right;  // lstrip, rstrip: white space beside it belongs to it
    };
    struct Token {
        std::string bytes;
        bool special = false;
    };
    void read_model(const nlohmann::json& model, const std::string& place);
    void read_added(const nlohmann::json& added, const std::string& place);
    void put_token(std::int32_t id, Token token, const std::string& place);
    const Added* added_at(std::string_view text, bool specials) const;  // the longest that starts here
    void encode_plain(std::string_view text, Ids& ids);
    std::string file_;
    Splitter splitter_;
    bool composes_ = false;  // text is brought to Unicode's form NFC first
    Vocabulary vocabulary_;
    Bpe bpe_;
    std::vector<Added> added_;
    std::vector<bool> added_starts_ = std::vector<bool>(256);  // first bytes of added tokens
    std::vector<Token> tokens_;
};

}  // namespace hone::lm
