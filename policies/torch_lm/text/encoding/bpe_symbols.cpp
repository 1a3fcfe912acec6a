#include "torch_lm/text/encoding/bpe_symbols.hpp"
#include "torch_lm/text/byte_alphabet.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm {
namespace {

std::string fallback_name(int byte) {
    constexpr const char* digits = "0123456789ABCDEF";
    return std::string("<0x") + digits[byte >> 4] + digits[byte & 15] + ">";
}

}  // namespace

BpeSymbols::BpeSymbols(const Vocabulary& vocabulary, const BpeOptions& options) : options_(options) {
    if (options.byte_level || options.byte_fallback) read_bytes(vocabulary);
    if (!options.byte_level) read_characters(vocabulary);
}

void BpeSymbols::read_bytes(const Vocabulary& vocabulary) {
    for (int byte = 0; byte < 256; ++byte) {
        const std::string spelled = spell_bytes(std::string(1, static_cast<char>(byte)));
        const auto found = vocabulary.find(options_.byte_level ? spelled : fallback_name(byte));
        if (found != vocabulary.end()) byte_ids_[byte] = found->second;
    }
}

void BpeSymbols::read_characters(const Vocabulary& vocabulary) {
    for (const auto& [token, id] : vocabulary) {
        if (token.empty()) continue;
        const Character c = first_character(token);
        if (!c.whole || c.length != token.size()) continue;
        if (c.code < ascii_ids_.size()) ascii_ids_[c.code] = id;
        else character_ids_.emplace(c.code, id);
    }
}

std::int32_t BpeSymbols::id_of(char32_t character) const {
    if (character < ascii_ids_.size()) return ascii_ids_[character];
    const auto found = character_ids_.find(character);
    return found == character_ids_.end() ? -1 : found->second;
}

// False: not every byte has a token.
bool BpeSymbols::fall_back(std::string_view character, std::uint32_t begin, std::vector<BpeToken>& symbols) const {
    for (const unsigned char byte : character)
        if (byte_ids_[byte] < 0) return false;
    for (const unsigned char byte : character) symbols.push_back({byte_ids_[byte], ++begin});
    return true;
}

std::vector<BpeToken> BpeSymbols::of(std::string_view piece) const {
    std::vector<BpeToken> symbols;
    symbols.reserve(piece.size());
    std::uint32_t unknown_end = 0;  // of an unknown token that may still grow; 0: there is none
    const auto end_unknown = [&] {
        if (unknown_end) symbols.push_back({options_.unknown, unknown_end});
        unknown_end = 0;
    };
    for (std::uint32_t begin = 0, end = 0; begin < piece.size(); begin = end) {
        const Character c = options_.byte_level ? Character{1, false, false} : first_character(piece.substr(begin));
        end = begin + static_cast<std::uint32_t>(c.length);
        const std::int32_t byte_id = options_.byte_level ? byte_ids_[piece[begin] & 0xff] : -1;
        if (const std::int32_t id = c.whole ? id_of(c.code) : byte_id; id >= 0) {
            end_unknown();
            symbols.push_back({id, end});
        } else if (!options_.byte_level && fall_back(piece.substr(begin, c.length), begin, symbols)) {
            continue;  // as in the library, an unknown token stays open
        } else if (options_.unknown >= 0) {
            if (!options_.fuse_unknown) end_unknown();
            unknown_end = end;
        }
    }
    end_unknown();
    return symbols;
}

}  // namespace hone::lm
