#include "vocabulary.hpp"
#include <cctype>
#include "hone/task_line.hpp"

namespace bigram {
namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> tokens;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at + (text[at] == ' ');
        while (end < text.size() && in_word(text[end])) ++end;
        if (end == at || (end == at + 1 && text[at] == ' ')) end = at + 1;
        tokens.emplace_back(text.substr(at, end - at));
        at = end;
    }
    return tokens;
}

Vocabulary::Vocabulary(const std::string& words) {
    for (std::size_t at = 0; at < words.size();) {
        const std::size_t end = std::min(words.find(' ', at), words.size());
        if (end > at) add(words.substr(at, end - at)), add(" " + words.substr(at, end - at));
        at = end + 1;
    }
}

Vocabulary::Vocabulary(const std::vector<std::string>& texts) {
    for (const std::string& text : texts)
        for (const std::string& token : split(text)) add(token);
}

Vocabulary Vocabulary::from_tokens(const std::vector<std::string>& tokens) {
    Vocabulary made;
    for (std::size_t i = 1; i < tokens.size(); ++i) made.add(tokens[i]);
    return made;
}

void Vocabulary::add(const std::string& token) {
    if (ids_.emplace(token, static_cast<std::int32_t>(tokens_.size())).second) tokens_.push_back(token);
}

// A sampled text may join tokens within a word (" 0" and "3" to " 03"): the fewest tokens that make it up. None: empty.
std::vector<std::int32_t> Vocabulary::pieces(const std::string& word) const {
    std::vector<std::vector<std::int32_t>> best(word.size() + 1);  // of the word's beginnings
    for (std::size_t end = 1; end <= word.size(); ++end)
        for (std::size_t begin = 0; begin < end; ++begin) {
            const auto known = ids_.find(word.substr(begin, end - begin));
            if (known == ids_.end() || (begin > 0 && best[begin].empty())) continue;
            if (!best[end].empty() && best[end].size() <= best[begin].size() + 1) continue;
            best[end] = best[begin];
            best[end].push_back(known->second);
        }
    return best.back();
}

std::vector<std::int32_t> Vocabulary::encode(std::string_view text) const {
    std::vector<std::int32_t> ids;
    for (const std::string& token : split(text)) {
        const auto known = ids_.find(token);
        const std::vector<std::int32_t> found = known == ids_.end() ? pieces(token) : std::vector{known->second};
        if (found.empty())
            throw hone::Refused(
                "the vocabulary has no token \"" + token +
                "\": call policy:adapt(texts) with the corpus first, or name it in the option vocabulary");
        ids.insert(ids.end(), found.begin(), found.end());
    }
    return ids;
}

std::string Vocabulary::decode(const std::vector<std::int32_t>& ids) const {
    std::string text;
    for (const std::int32_t id : ids) text += tokens_.at(static_cast<std::size_t>(id));
    return text;
}

std::int32_t context_id(std::string_view prompt) {
    const std::uint64_t hash = hone::fnv1a(hone::task_line(prompt));
    return first_context + static_cast<std::int32_t>((hash ^ (hash >> 32)) & 0xffffff);
}

}  // namespace bigram
