// bpe.hpp: byte pair encoding (Sennrich et al., arXiv 1508.07909) over a vocabulary spelled in the byte alphabet.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hone::lm {

using Vocabulary = std::unordered_map<std::string, std::int32_t>;  // spelled token -> id
using Merges = std::vector<std::pair<std::string, std::string>>;   // in order of rank

class Bpe {
public:
    Bpe() = default;
    // Throws Refused (place: the file) if a merge names a token that is not in the vocabulary.
    // ignore_merges: a piece that is itself a token is taken whole (Llama 3).
    Bpe(const Vocabulary& vocabulary, const Merges& merges, bool ignore_merges, const std::string& place);
    // Appends the ids of one piece. Bytes without a token are left out, as the tokenizers library does.
    // O(n log n); remembers pieces, so not for two threads at once.
    void encode(std::string_view piece, std::vector<std::int32_t>& ids);

private:
    struct Merge {
        std::int32_t rank, id;
    };
    std::vector<std::int32_t> merge(std::string_view piece) const;
    std::vector<std::int32_t> byte_ids_ = std::vector<std::int32_t>(256, -1);
    std::unordered_map<std::uint64_t, Merge> merges_;  // (left id, right id)
    std::unordered_map<std::string, std::int32_t> whole_;
    std::unordered_map<std::string, std::vector<std::int32_t>> seen_;
};

}  // namespace hone::lm
