// added_tokens.hpp: the tokens that are looked for in a text before anything else is done to it.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>
#include "torch_lm/text/encoding/marks.hpp"

namespace hone::lm {

struct AddedToken {
    std::string spelling;  // as it is looked for: normalized, where the text that is searched is
    std::int32_t id;
    bool special;
    bool single_word;              // not where a letter, digit or mark stands beside it
    bool takes_left, takes_right;  // lstrip, rstrip: white space beside it belongs to it
};

class AddedTokens {
public:
    AddedTokens() = default;
    explicit AddedTokens(std::vector<AddedToken> tokens);  // of the same spelling: the later counts
    // Cuts text as the tokenizers library does: at the leftmost place the longest spelling. A special token counts only
    // where every byte of its spelling may hold specials; one that no such byte touches is passed over as a whole.
    // plain: each non-empty stretch between; found: the token, and where its spelling ends.
    void cut(const Marked& text, const std::function<void(std::size_t begin, std::size_t end)>& plain,
             const std::function<void(const AddedToken&, std::size_t end)>& found) const;

private:
    struct Match {
        const AddedToken* token;  // null: only text, to be passed over
        std::size_t length;
    };
    std::vector<const AddedToken*> spelled_at(std::string_view text) const;  // what starts there, longest first
    Match match_at(const Marked& text, std::size_t at) const;
    std::vector<AddedToken> tokens_;                     // by spelling
    std::vector<bool> starts_ = std::vector<bool>(256);  // first bytes
};

}  // namespace hone::lm
