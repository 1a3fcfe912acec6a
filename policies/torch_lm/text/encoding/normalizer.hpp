// normalizer.hpp: the rewriting of a text before it is cut: the normalizer of a tokenizer.json, and the Metaspace
// pre-tokenizer, which rewrites likewise.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>
#include "torch_lm/text/encoding/marks.hpp"

namespace hone::lm {

class Normalizer {
public:
    Normalizer() = default;  // keeps every text
    // Understands NFC, Prepend, Replace (of a String), and a Sequence of them. Throws Refused with `place`.
    static Normalizer of_normalizer(const nlohmann::json& node, const std::string& place);
    static Normalizer of_metaspace(const nlohmann::json& node, const std::string& place);

    // The text rewritten, its bytes in `hold`, or in `text` where nothing changed. Throws Failed where it grows beyond
    // all bounds.
    Marked apply(const Marked& text, std::string& hold) const;
    std::string apply(std::string_view text) const { return rewritten(text, true); }

private:
    explicit Normalizer(const std::string& place) : place_(place) {}
    enum class Kind { compose, prepend, prepend_once, prepend_at_start, replace };
    struct Step {
        Kind kind;
        std::string from, to;  // replace: each `from` becomes `to`; prepend: `to`
    };
    void add(const nlohmann::json& node, const std::string& place, int depth);
    std::string rewritten(std::string_view text, bool at_start) const;
    std::string place_;
    std::vector<Step> steps_;
};

}  // namespace hone::lm
