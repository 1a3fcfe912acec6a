#include "torch_lm/format/gguf/tokens.hpp"
#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include "hone/plugin.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm::gguf {
namespace {

constexpr std::size_t most_token_bytes = 1024;  // each is cut at each of its characters

std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

struct Way {  // to put a token together
    std::string_view left, right;
    std::size_t left_id, right_id;
    double score;
};

using Ids = std::unordered_map<std::string_view, std::size_t>;

std::vector<Way> ways_to(const Token& token, const Ids& ids) {
    std::vector<Way> ways;
    const std::string_view text = token.text;
    for (std::size_t cut = 1; cut < text.size(); ++cut) {
        if ((text[cut] & 0xc0) == 0x80) continue;  // within a character
        const auto left = ids.find(text.substr(0, cut)), right = ids.find(text.substr(cut));
        if (left != ids.end() && right != ids.end())
            ways.push_back({left->first, right->first, left->second, right->second, token.score});
    }
    std::sort(ways.begin(), ways.end(), [](const Way& a, const Way& b) {
        return std::tie(a.left_id, a.right_id) < std::tie(b.left_id, b.right_id);
    });
    return ways;
}

void refuse_doubles(const std::vector<Token>& tokens, const std::string& place) {
    Ids ids;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].type == TokenType::unused) continue;
        if (const auto [at, is_new] = ids.emplace(tokens[i].text, i); !is_new)
            throw Refused(place + ": the tokens " + std::to_string(at->second) + " and " + std::to_string(i) +
                          " are both \"" + first_words(tokens[i].text) + "\"");
    }
}

}  // namespace

std::vector<Token> tokens_of(const Metadata& metadata) {
    const std::vector<std::string> texts = metadata.texts("tokenizer.ggml.tokens");
    const auto optional = [&](const char* key, auto read) {
        auto list = metadata.has(key) ? read(key) : decltype(read(key))(texts.size());
        if (list.size() != texts.size())
            throw Refused(metadata.place() + ": metadata \"" + key + "\" has " + std::to_string(list.size()) +
                          " entries for " + std::to_string(texts.size()) + " tokens");
        return list;
    };
    const auto types = optional("tokenizer.ggml.token_type", [&](const char* key) { return metadata.wholes(key); });
    const auto scores = optional("tokenizer.ggml.scores", [&](const char* key) { return metadata.numbers(key); });
    std::vector<Token> tokens;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::int64_t type = types[i] == 0 ? 1 : types[i];  // 0: not said
        if (type < 1 || type > 6)
            throw Refused(metadata.place() + ": token " + std::to_string(i) + " has the unknown type " +
                          std::to_string(type));
        if (!std::isfinite(scores[i]))
            throw Refused(metadata.place() + ": the score of token " + std::to_string(i) + " is no number");
        // an empty text fills a place in the list
        tokens.push_back({texts[i], texts[i].empty() ? TokenType::unused : static_cast<TokenType>(type), scores[i]});
    }
    refuse_doubles(tokens, metadata.place());
    return tokens;
}

std::vector<std::pair<std::string, std::string>> merges_of_scores(const std::vector<Token>& tokens,
                                                                  const std::string& place) {
    Ids ids;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].text.size() > most_token_bytes)
            throw Refused(place + ": token " + std::to_string(i) + " has " + std::to_string(tokens[i].text.size()) +
                          " bytes; at most " + std::to_string(most_token_bytes) + " are taken");
        if (tokens[i].type != TokenType::unused) ids.emplace(tokens[i].text, i);
    }
    std::vector<Way> ways;
    for (const Token& token : tokens)
        if (token.type != TokenType::unused)
            for (const Way& way : ways_to(token, ids)) ways.push_back(way);
    std::stable_sort(ways.begin(), ways.end(), [](const Way& a, const Way& b) {
        return std::tuple(a.score, characters(a.left), characters(a.right)) >
               std::tuple(b.score, characters(b.left), characters(b.right));
    });
    std::vector<std::pair<std::string, std::string>> merges;
    for (const Way& way : ways) merges.emplace_back(way.left, way.right);
    return merges;
}

}  // namespace hone::lm::gguf
