// policies/bigram/vocabulary.hpp: text to token ids and back. A token is a word with the space before it, or a single
// other character.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bigram {

constexpr std::int32_t end_of_answer = 0;        // the one token without text
constexpr std::int32_t first_context = 1 << 24;  // ids from here on name prompts, not tokens

std::vector<std::string> split(std::string_view text);

class Vocabulary {
public:
    // Each word of `words` (separated by spaces) with and without a space before it.
    explicit Vocabulary(const std::string& words);
    // The tokens of the texts, in the order in which they first appear.
    explicit Vocabulary(const std::vector<std::string>& texts);
    static Vocabulary from_tokens(const std::vector<std::string>& tokens);  // as tokens() gave them
    // Throws hone::Refused naming the first token that is unknown and made of no known ones: what decode gave can be
    // encoded.
    std::vector<std::int32_t> encode(std::string_view text) const;
    std::string decode(const std::vector<std::int32_t>& ids) const;
    std::size_t size() const { return tokens_.size(); }
    const std::vector<std::string>& tokens() const { return tokens_; }

private:
    Vocabulary() = default;
    void add(const std::string& token);
    std::vector<std::int32_t> pieces(const std::string& word) const;
    std::vector<std::string> tokens_ = {""};
    std::map<std::string, std::int32_t, std::less<>> ids_;
};

// The id that stands for a prompt: its task line, hashed (hone/task_line.hpp).
std::int32_t context_id(std::string_view prompt);

}  // namespace bigram
