#include "torch_lm/text/encoding/bpe_trainer.hpp"
#include <algorithm>
#include <utility>
#include "torch_lm/text/byte_alphabet.hpp"

namespace hone::lm {
namespace {

using Pair = std::pair<std::int32_t, std::int32_t>;

struct Word {
    std::vector<std::int32_t> ids;
    std::int64_t count;
};

std::vector<std::string> first_tokens(const std::vector<std::string>& special) {
    std::vector<std::string> bytes;
    for (int byte = 0; byte < 256; ++byte) bytes.push_back(spell_bytes(std::string(1, static_cast<char>(byte))));
    std::sort(bytes.begin(), bytes.end());  // of UTF-8: the order of code points
    std::vector<std::string> tokens = special;
    tokens.insert(tokens.end(), bytes.begin(), bytes.end());
    return tokens;
}

std::map<Pair, std::int64_t> count_pairs(const std::vector<Word>& words) {
    std::map<Pair, std::int64_t> counts;
    for (const Word& word : words)
        for (std::size_t i = 0; i + 1 < word.ids.size(); ++i) counts[{word.ids[i], word.ids[i + 1]}] += word.count;
    return counts;
}

void replace_pair(std::vector<std::int32_t>& ids, const Pair& pair, std::int32_t merged) {
    std::size_t to = 0;
    for (std::size_t from = 0; from < ids.size(); ++from) {
        const bool hit = from + 1 < ids.size() && ids[from] == pair.first && ids[from + 1] == pair.second;
        ids[to++] = hit ? merged : ids[from];
        from += hit;
    }
    ids.resize(to);
}

}  // namespace

TrainedBpe train_bpe(const std::map<std::string, std::int64_t>& pieces, const std::vector<std::string>& special,
                     std::size_t vocabulary_size) {
    TrainedBpe trained{first_tokens(special), {}};
    Vocabulary ids;
    for (std::size_t id = special.size(); id < trained.tokens.size(); ++id)
        ids[trained.tokens[id]] = static_cast<std::int32_t>(id);
    std::vector<Word> words;
    for (const auto& [piece, count] : pieces) {
        words.push_back({{}, count});
        for (const char byte : piece) words.back().ids.push_back(ids.at(spell_bytes(std::string(1, byte))));
    }
    // Counted afresh for each merge: a corpus of programs has a few thousand distinct pieces, so a whole vocabulary
    // takes well under a second.
    while (trained.tokens.size() < vocabulary_size) {
        const auto counts = count_pairs(words);
        const auto best = std::max_element(counts.begin(), counts.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        if (best == counts.end() || best->second < 2) break;
        const auto [left, right] = best->first;
        const std::string token = trained.tokens[left] + trained.tokens[right];
        // "a"+"bc" may follow "ab"+"c"
        const auto [known, fresh] = ids.emplace(token, static_cast<std::int32_t>(trained.tokens.size()));
        trained.merges.emplace_back(trained.tokens[left], trained.tokens[right]);
        if (fresh) trained.tokens.push_back(token);
        for (Word& word : words) replace_pair(word.ids, best->first, known->second);
    }
    return trained;
}

}  // namespace hone::lm
