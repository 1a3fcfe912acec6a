// Reading a tokenizer.json into a Tokenizer.
#include "hone/plugin.hpp"
#include "torch_lm/text/encoding/bpe_file.hpp"
#include "torch_lm/text/json_text.hpp"
#include "torch_lm/text/tokenizer.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm {
namespace {

using nlohmann::json;

}  // namespace

Tokenizer::Tokenizer(const std::string& text, const std::string& place) : file_(text), splitter_(nullptr, place) {
    const json root = parse_json(text, place);
    try {
        read(root, place);
    } catch (const json::exception& e) {
        throw Refused(place + ": is not a tokenizer.json: " + first_words(e.what()));
    }
}

void Tokenizer::read(const json& root, const std::string& place) {
    const json pre_tokenizer = root.value("pre_tokenizer", json());
    normalizer_ = Normalizer::of_normalizer(root.value("normalizer", json()), place);
    splitter_ = Splitter(pre_tokenizer, place);
    if (!pre_tokenizer.is_null() && pre_tokenizer.value("type", "") == "Metaspace")
        metaspace_ = Normalizer::of_metaspace(pre_tokenizer, place);
    decoding_ = Decoding(root.value("decoder", json()), splitter_.is_byte_level(), place);
    read_model(root.at("model"), place);
    read_added(root.value("added_tokens", json::array()), place);
    read_prefix(root.value("post_processor", json()), place);
}

void Tokenizer::read_model(const json& model, const std::string& place) {
    BpeFile file = read_bpe(model, splitter_.is_byte_level(), place);
    for (const auto& [token, id] : file.vocabulary) put_token(id, token, false);
    bpe_ = Bpe(file.vocabulary, file.merges, file.options, place);
    vocabulary_ = std::move(file.vocabulary);
}

void Tokenizer::put_token(std::int32_t id, const std::string& spelling, bool special) {
    if (tokens_.size() <= static_cast<std::size_t>(id)) tokens_.resize(id + 1);
    const auto byte = decoding_.byte_of(spelling);
    tokens_[id] = {byte ? std::string(1, *byte) : decoding_.text_of(spelling), special, byte.has_value()};
}

void Tokenizer::read_added(const json& added, const std::string& place) {
    std::vector<AddedToken> raw, normalized;
    for (const auto& entry : added) {
        const std::string content = entry.at("content");
        const std::int32_t id = read_id(entry.at("id"), content, place);
        if (content.empty()) throw Refused(place + ": added token " + std::to_string(id) + " is empty");
        const auto known = vocabulary_.find(content);
        if (known != vocabulary_.end() && known->second != id)
            throw Refused(place + ": the token \"" + first_words(content) + "\" has the id " + std::to_string(id) +
                          " in added_tokens and " + std::to_string(known->second) + " in the vocabulary");
        const bool special = entry.value("special", false), is_normalized = entry.value("normalized", false);
        AddedToken token{is_normalized ? normalizer_.apply(content) : content,
                         id,
                         special,
                         entry.value("single_word", false),
                         entry.value("lstrip", false),
                         entry.value("rstrip", false)};
        put_token(id, token.spelling, special);  // as the library does: decoded as it is looked for
        added_ids_[content] = id;
        if (!token.spelling.empty()) (is_normalized ? normalized : raw).push_back(std::move(token));
    }
    raw_added_ = AddedTokens(std::move(raw));
    normalized_added_ = AddedTokens(std::move(normalized));
}

// Llama's post-processor is a TemplateProcessing, alone or in a Sequence behind ByteLevel, which only moves offsets.
void Tokenizer::read_prefix(const json& post_processor, const std::string& place) {
    if (post_processor.is_null()) return;
    if (post_processor.contains("processors") && post_processor["processors"].is_array()) {
        for (const auto& part : post_processor["processors"])
            if (!part.contains("processors")) read_prefix(part, place);
        return;
    }
    if (post_processor.value("type", "") != "TemplateProcessing") return;
    for (const auto& part : post_processor.at("single")) {
        if (!part.contains("SpecialToken")) return;
        const std::string token = part["SpecialToken"].at("id");
        if (id(token) < 0)
            throw Refused(place + ": the post-processor names a token \"" + first_words(token) +
                          "\" that there is not");
        prefix_.push_back(id(token));
    }
}

}  // namespace hone::lm
