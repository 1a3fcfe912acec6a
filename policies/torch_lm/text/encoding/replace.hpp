// replace.hpp: the step Replace, which normalizers and decoders of a tokenizer.json have.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace hone::lm {

// Each `from` (not empty), from the left, becomes `to`.
std::string replaced(std::string_view text, std::string_view from, std::string_view to);
// The string that a Replace looks for. Throws Refused where it is a regular expression or empty; `whose`: "normalizer".
std::string literal_of(const nlohmann::json& replace, const std::string& whose, const std::string& place);
// A text that a step inserts. Throws Refused where it is so long that a short text would become a huge one.
std::string inserted_text(const nlohmann::json& text, const std::string& place);

}  // namespace hone::lm
