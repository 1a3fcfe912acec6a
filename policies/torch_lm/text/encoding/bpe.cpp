#include "torch_lm/text/encoding/bpe.hpp"
#include <queue>
#include "hone/plugin.hpp"
#include "torch_lm/text/byte_alphabet.hpp"

namespace hone::lm {
namespace {

constexpr std::size_t remembered_pieces = 1 << 16, longest_remembered = 256;

std::int32_t id_in(const Vocabulary& vocabulary, const std::string& token, const std::string& place) {
    const auto found = vocabulary.find(token);
    if (found == vocabulary.end())
        throw Refused(place + ": the merges need a token \"" + token + "\" that the vocabulary does not have");
    return found->second;
}

struct Symbol {  // an element of a doubly linked list; id -1: merged into its left neighbour
    std::int32_t id, left, right;
    std::uint32_t end;
};
struct Candidate {
    std::int32_t rank, at, left_id, right_id, id;
    bool operator<(const Candidate& other) const { return rank != other.rank ? rank > other.rank : at > other.at; }
};

}  // namespace

Bpe::Bpe(const Vocabulary& vocabulary, const Merges& merges, const BpeOptions& options, const std::string& place)
    : symbols_(vocabulary, options), merges_(merges.size()) {
    for (std::size_t rank = 0; rank < merges.size(); ++rank) {
        const auto& [left, right] = merges[rank];
        const std::int32_t left_id = id_in(vocabulary, left, place), right_id = id_in(vocabulary, right, place);
        merges_.put(left_id, right_id, {static_cast<std::int32_t>(rank), id_in(vocabulary, left + right, place)});
    }
    if (!options.ignore_merges) return;
    for (const auto& [token, id] : vocabulary)
        if (const auto text = options.byte_level ? unspell_bytes(token) : token) whole_.emplace(*text, id);
}

const std::vector<BpeToken>& Bpe::encode(std::string_view piece) {
    if (piece.size() > longest_remembered) {
        tokenize(piece, long_piece_);
        return long_piece_;
    }
    auto found = seen_.find(piece);
    if (found == seen_.end()) {
        if (seen_.size() >= remembered_pieces) seen_.clear();
        found = seen_.emplace(piece, std::vector<BpeToken>()).first;
        tokenize(piece, found->second);
    }
    return found->second;
}

void Bpe::tokenize(std::string_view piece, std::vector<BpeToken>& tokens) const {
    if (const auto whole = whole_.find(piece); whole != whole_.end())
        tokens = {{whole->second, static_cast<std::uint32_t>(piece.size())}};
    else tokens = merge(symbols_.of(piece));
}

std::vector<BpeToken> Bpe::merge(std::vector<BpeToken> tokens) const {
    const auto n = static_cast<std::int32_t>(tokens.size());
    std::vector<Symbol> symbols;
    symbols.reserve(tokens.size());
    for (std::int32_t at = 0; at < n; ++at)
        symbols.push_back({tokens[at].id, at - 1, at + 1 < n ? at + 1 : -1, tokens[at].end});
    std::priority_queue<Candidate> queue;
    const auto consider = [&](std::int32_t at) {
        if (at < 0 || symbols[at].right < 0) return;
        const std::int32_t left = symbols[at].id, right = symbols[symbols[at].right].id;
        if (const Merge* found = merges_.find(left, right)) queue.push({found->rank, at, left, right, found->id});
    };
    for (std::int32_t at = 0; at + 1 < n; ++at) consider(at);
    while (!queue.empty()) {
        const Candidate best = queue.top();
        queue.pop();
        Symbol& left = symbols[best.at];
        // overtaken by another merge
        if (left.id != best.left_id || left.right < 0 || symbols[left.right].id != best.right_id) continue;
        Symbol& right = symbols[left.right];
        left.id = best.id;
        left.end = right.end;
        left.right = right.right;
        right.id = -1;
        if (left.right >= 0) symbols[left.right].left = best.at;
        consider(left.left);
        consider(best.at);
    }
    tokens.clear();
    for (const Symbol& symbol : symbols)
        if (symbol.id >= 0) tokens.push_back({symbol.id, symbol.end});
    return tokens;
}

}  // namespace hone::lm
