// splitter.hpp: the pre-tokenizer of a tokenizer.json. Merges never cross the pieces it cuts.
#pragma once
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace hone::lm {

class Pattern;  // a compiled regular expression

// Understands Sequence, Split (String or Regex; Isolated or Removed), Digits, ByteLevel and Metaspace (whose rewriting
// of the text is a Normalizer's).
class Splitter {
public:
    // A piece of the text, or of the text with a space put before it, and where it ends in the text.
    using Emit = std::function<void(std::string_view piece, std::size_t end)>;
    // Throws Refused, naming what it does not understand. `place` is the file for error texts. null: one piece.
    Splitter(const nlohmann::json& pre_tokenizer, const std::string& place);
    // Calls emit for each piece in order; piece by piece the text, unless a step says Removed or adds a space.
    void split(std::string_view text, const Emit& emit) const;
    bool is_byte_level() const { return byte_level_; }  // the vocabulary is spelled in the byte alphabet

private:
    enum class Cut {
        at_matches,
        between_matches,
        before_matches
    };  // what becomes of a match: a piece; nothing; a head
    struct Step {
        std::shared_ptr<const Pattern> pattern;  // null: no cut
        Cut cut = Cut::at_matches;
        bool invert = false, adds_space = false;
    };
    void add(const nlohmann::json& node, const std::string& place, int depth);
    void add_split(const nlohmann::json& node, const std::string& place);
    void add_byte_level(const nlohmann::json& node, const std::string& place);
    void add_metaspace(const nlohmann::json& node, const std::string& place);
    void run(std::size_t step, std::string_view text, std::size_t end, const Emit& emit) const;
    void cut_before(const Step& step, std::string_view text, const Emit& emit) const;
    std::vector<Step> steps_;
    bool byte_level_ = false;
};

}  // namespace hone::lm
