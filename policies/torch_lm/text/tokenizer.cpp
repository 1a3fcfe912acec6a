#include "torch_lm/text/tokenizer.hpp"
#include <algorithm>
#include "hone/plugin.hpp"
#include "torch_lm/text/byte_alphabet.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm {
namespace {

using nlohmann::json;

constexpr std::int32_t most_tokens = 1 << 20;

json parse(const std::string& text, const std::string& place) {
    try {
        return json::parse(text);
    } catch (const json::exception& e) {
        throw Refused(place + ": is not JSON: " + e.what());
    }
}

bool asks_for_nfc(const json& node, const std::string& place) {
    if (node.is_null()) return false;
    const std::string type = node.value("type", "");
    if (type == "NFC") return true;
    if (type != "Sequence")
        throw Refused(place + ": the normalizer \"" + type + "\" is not supported (supported: none, NFC)");
    bool asked = false;
    for (const auto& child : node.at("normalizers")) asked |= asks_for_nfc(child, place);
    return asked;
}

Merges read_merges(const json& list) {
    Merges merges;
    for (const auto& entry : list) {
        if (entry.is_array()) {
            merges.emplace_back(entry.at(0).get<std::string>(), entry.at(1).get<std::string>());
        } else {
            const std::string both = entry.get<std::string>();
            const std::size_t space = both.find(' ');
            merges.emplace_back(both.substr(0, space), space == std::string::npos ? "" : both.substr(space + 1));
        }
    }
    return merges;
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

Tokenizer::Tokenizer(const std::string& text, const std::string& place) : file_(text), splitter_(nullptr, place) {
    const json root = parse(text, place);
    try {
        composes_ = asks_for_nfc(root.value("normalizer", json()), place);
        splitter_ = Splitter(root.value("pre_tokenizer", json()), place);
        read_model(root.at("model"), place);
        read_added(root.value("added_tokens", json::array()), place);
    } catch (const json::exception& e) {
        throw Refused(place + ": is not a tokenizer.json: " + e.what());
    }
}

void Tokenizer::read_model(const json& model, const std::string& place) {
    const std::string type = model.value("type", "BPE");
    if (type != "BPE" || model.value("byte_fallback", false))
        throw Refused(place + ": the model is " + (type == "BPE" ? "SentencePiece BPE" : type) +
                      "; only byte-level BPE is supported");
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
        if (model.contains(key) && model[key].is_string() && !model[key].get<std::string>().empty())
            throw Refused(place + ": the BPE option " + key + " is not supported");
    for (const auto& [token, id] : model.at("vocab").items()) {
        vocabulary_.emplace(token, id.get<std::int32_t>());
        put_token(id.get<std::int32_t>(), {unspell_bytes(token)}, place);
    }
    bpe_ = Bpe(vocabulary_, read_merges(model.at("merges")), model.value("ignore_merges", false), place);
}

void Tokenizer::read_added(const json& added, const std::string& place) {
    for (const auto& entry : added) {
        const Added token{entry.at("content").get<std::string>(), entry.at("id").get<std::int32_t>(),
                          entry.value("special", false), entry.value("lstrip", false), entry.value("rstrip", false)};
        if (token.content.empty()) throw Refused(place + ": added token " + std::to_string(token.id) + " is empty");
        if (entry.value("single_word", false))
            throw Refused(place + ": added token \"" + token.content + "\" is single_word, which is not supported");
        put_token(token.id, {token.content, token.special}, place);
        added_starts_[static_cast<unsigned char>(token.content[0])] = true;
        added_.push_back(token);
    }
    std::stable_sort(added_.begin(), added_.end(),
                     [](const Added& a, const Added& b) { return a.content.size() > b.content.size(); });
}

void Tokenizer::put_token(std::int32_t id, Token token, const std::string& place) {
    if (id < 0 || id >= most_tokens)
        throw Refused(place + ": token \"" + token.bytes + "\" has the id " + std::to_string(id));
    if (tokens_.size() <= static_cast<std::size_t>(id)) tokens_.resize(id + 1);
    tokens_[id] = std::move(token);
}

const Tokenizer::Added* Tokenizer::added_at(std::string_view text, bool specials) const {
    if (!added_starts_[static_cast<unsigned char>(text[0])]) return nullptr;
    for (const Added& token : added_)
        if ((specials || !token.special) && text.starts_with(token.content)) return &token;
    return nullptr;
}

Ids Tokenizer::encode(std::string_view text, bool specials) {
    Ids ids;
    std::size_t plain = 0, at = 0;
    while (at < text.size()) {
        const Added* token = added_at(text.substr(at), specials);
        if (!token) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (token->takes_left && end > plain && is_space(text[end - 1])) --end;
        encode_plain(text.substr(plain, end - plain), ids);
        ids.push_back(token->id);
        at += token->content.size();
        while (token->takes_right && at < text.size() && is_space(text[at])) ++at;
        plain = at;
    }
    encode_plain(text.substr(plain), ids);
    return ids;
}

void Tokenizer::encode_plain(std::string_view text, Ids& ids) {
    if (text.empty()) return;
    std::string composed, spaced;
    if (composes_) text = composed = compose_utf8(text);
    if (splitter_.adds_prefix_space() && text[0] != ' ') text = spaced = " " + std::string(text);
    splitter_.split(text, [&](std::string_view piece) { bpe_.encode(piece, ids); });
}

std::string Tokenizer::decode_bytes(const std::int32_t* ids, std::size_t n, bool specials) const {
    std::string bytes;
    for (std::size_t i = 0; i < n; ++i)
        if (ids[i] >= 0 && static_cast<std::size_t>(ids[i]) < tokens_.size() && (specials || !tokens_[ids[i]].special))
            bytes += tokens_[ids[i]].bytes;
    return bytes;
}

std::string Tokenizer::decode(const std::int32_t* ids, std::size_t n) const {
    return repair_utf8(decode_bytes(ids, n, false));
}

std::int32_t Tokenizer::id(std::string_view token) const {
    for (const Added& added : added_)
        if (added.content == token) return added.id;
    const auto found = vocabulary_.find(std::string(token));
    return found == vocabulary_.end() ? -1 : found->second;
}

}  // namespace hone::lm
