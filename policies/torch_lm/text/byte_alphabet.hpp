// byte_alphabet.hpp: GPT-2's spelling of bytes as printable characters, in which byte-level vocabularies are written.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace hone::lm {

// "Ġint" for " int": each byte becomes one character (UTF-8).
std::string spell_bytes(std::string_view bytes);
// The inverse; none where a character is outside the alphabet.
std::optional<std::string> unspell_bytes(std::string_view spelled);

}  // namespace hone::lm
