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

// Understands Sequence, Split (String or Regex; Isolated or Removed), Digits and ByteLevel.
class Splitter {
public:
    // Throws Refused, naming what it does not understand. `place` is the file for error texts. null: one piece.
    Splitter(const nlohmann::json& pre_tokenizer, const std::string& place);
    // Calls emit for each piece in order. Lossless unless a step says Removed. Any bytes: invalid UTF-8 stays between
    // matches.
    void split(std::string_view text, const std::function<void(std::string_view)>& emit) const;
    bool adds_prefix_space() const { return prefix_space_; }

private:
    struct Step {
        std::shared_ptr<const Pattern> pattern;
        bool keep_matches = true, invert = false;
    };
    void add(const nlohmann::json& node, const std::string& place);
    void add_split(const nlohmann::json& node, const std::string& place);
    void add_byte_level(const nlohmann::json& node, const std::string& place);
    void run(std::size_t step, std::string_view text, const std::function<void(std::string_view)>& emit) const;
    std::vector<Step> steps_;
    bool prefix_space_ = false;
};

}  // namespace hone::lm
