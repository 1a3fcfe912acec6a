// bpe.hpp: byte pair encoding (Sennrich et al., arXiv 1508.07909) of pieces of text, over bytes or over characters.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>
#include "torch_lm/text/encoding/bpe_symbols.hpp"
#include "torch_lm/text/encoding/merge_table.hpp"

namespace hone::lm {

using Merges = std::vector<std::pair<std::string, std::string>>;  // in order of rank

class Bpe {
public:
    Bpe() = default;
    // Throws Refused (place: the file) if a merge names a token that is not in the vocabulary.
    Bpe(const Vocabulary& vocabulary, const Merges& merges, const BpeOptions& options, const std::string& place);
    // The tokens of one piece, until the next call. O(n log n); remembers pieces, so not for two threads at once.
    const std::vector<BpeToken>& encode(std::string_view piece);

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    template <class Value> using ByText = std::unordered_map<std::string, Value, Hash, std::equal_to<>>;

    std::vector<BpeToken> merge(std::vector<BpeToken> tokens) const;
    void tokenize(std::string_view piece, std::vector<BpeToken>& tokens) const;

    BpeSymbols symbols_;
    MergeTable merges_;
    ByText<std::int32_t> whole_;
    ByText<std::vector<BpeToken>> seen_;
    std::vector<BpeToken> long_piece_;
};

}  // namespace hone::lm
