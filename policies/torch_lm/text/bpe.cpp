#include "torch_lm/text/bpe.hpp"
#include <queue>
#include "hone/plugin.hpp"
#include "torch_lm/text/byte_alphabet.hpp"

namespace hone::lm {
namespace {

constexpr std::size_t remembered_pieces = 1 << 16;

std::uint64_t pair_key(std::int32_t left, std::int32_t right) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
}

std::int32_t id_of(const Vocabulary& vocabulary, const std::string& token, const std::string& place) {
    const auto found = vocabulary.find(token);
    if (found == vocabulary.end())
        throw Refused(place + ": the merges need a token \"" + token + "\" that the vocabulary does not have");
    return found->second;
}

struct Symbol {  // an element of a doubly linked list; id -1: merged into its left neighbour
    std::int32_t id, left, right;
};
struct Candidate {
    std::int32_t rank, at, left_id, right_id, id;
    bool operator<(const Candidate& other) const { return rank != other.rank ? rank > other.rank : at > other.at; }
};

}  // namespace

Bpe::Bpe(const Vocabulary& vocabulary, const Merges& merges, bool ignore_merges, const std::string& place) {
    for (int byte = 0; byte < 256; ++byte) {
        const auto found = vocabulary.find(spell_bytes(std::string(1, static_cast<char>(byte))));
        if (found != vocabulary.end()) byte_ids_[byte] = found->second;
    }
    merges_.reserve(merges.size());
    for (const auto& [left, right] : merges) {
        const Merge made{static_cast<std::int32_t>(merges_.size()), id_of(vocabulary, left + right, place)};
        merges_.emplace(pair_key(id_of(vocabulary, left, place), id_of(vocabulary, right, place)), made);
    }
    if (ignore_merges)
        for (const auto& [token, id] : vocabulary) whole_.emplace(unspell_bytes(token), id);
}

void Bpe::encode(std::string_view piece, std::vector<std::int32_t>& ids) {
    std::string key(piece);
    if (const auto whole = whole_.find(key); whole != whole_.end()) return ids.push_back(whole->second);
    auto found = seen_.find(key);
    if (found == seen_.end()) {
        if (seen_.size() >= remembered_pieces) seen_.clear();
        found = seen_.emplace(std::move(key), merge(piece)).first;
    }
    ids.insert(ids.end(), found->second.begin(), found->second.end());
}

std::vector<std::int32_t> Bpe::merge(std::string_view piece) const {
    std::vector<Symbol> symbols;
    for (const unsigned char byte : piece)
        if (byte_ids_[byte] >= 0)
            symbols.push_back({byte_ids_[byte], static_cast<std::int32_t>(symbols.size()) - 1,
                               static_cast<std::int32_t>(symbols.size()) + 1});
    if (symbols.empty()) return {};
    symbols.back().right = -1;
    std::priority_queue<Candidate> queue;
    const auto consider = [&](std::int32_t at) {
        if (at < 0 || symbols[at].right < 0) return;
        const std::int32_t left = symbols[at].id, right = symbols[symbols[at].right].id;
        const auto found = merges_.find(pair_key(left, right));
        if (found != merges_.end()) queue.push({found->second.rank, at, left, right, found->second.id});
    };
    for (std::size_t at = 0; at + 1 < symbols.size(); ++at) consider(static_cast<std::int32_t>(at));
    while (!queue.empty()) {
        const Candidate best = queue.top();
        queue.pop();
        Symbol& left = symbols[best.at];
        // overtaken by another merge
        if (left.id != best.left_id || left.right < 0 || symbols[left.right].id != best.right_id) continue;
        Symbol& right = symbols[left.right];
        left.id = best.id;
        left.right = right.right;
        right.id = -1;
        if (left.right >= 0) symbols[left.right].left = best.at;
        consider(left.left);
        consider(best.at);
    }
    std::vector<std::int32_t> ids;
    for (std::int32_t at = 0; at >= 0; at = symbols[at].right) ids.push_back(symbols[at].id);
    return ids;
}

}  // namespace hone::lm
