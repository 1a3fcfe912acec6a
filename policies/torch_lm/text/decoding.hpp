// decoding.hpp: the decoder of a tokenizer.json: what a token stands for, and what a whole text loses at its start.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hone::lm {

class Decoding {
public:
    Decoding() = default;
    // Understands ByteLevel, and a Sequence of Replace (of a String), ByteFallback, Fuse and Strip (at the start) in
    // this order. null: the inverse of ByteLevel where byte_level, else nothing is done. Throws Refused with `place`.
    Decoding(const nlohmann::json& decoder, bool byte_level, const std::string& place);

    std::string text_of(const std::string& token) const;
    std::optional<char> byte_of(const std::string& token) const;  // of a fallback token, <0x41>
    // Taken from the start of a whole text, so many times: the space that the Llama-2 kind puts there.
    const std::string& stripped() const { return stripped_; }
    std::size_t most_stripped() const { return most_stripped_; }

private:
    void add(const nlohmann::json& node, const std::string& place, int depth);
    void take_turn(int step, const std::string& type, const std::string& place);
    bool byte_level_ = false, names_bytes_ = false;
    std::vector<std::pair<std::string, std::string>> replaced_;
    std::string stripped_;
    std::size_t most_stripped_ = 0;
    int last_step_ = 0;
};

}  // namespace hone::lm
