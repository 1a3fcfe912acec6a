// compose.hpp: normalization form NFC as the tokenizers library makes it.
#pragma once
#include <string>
#include <string_view>

namespace hone::lm {

// Bytes that are not UTF-8 stay where they are, and the text on either side is composed by itself.
std::string compose_utf8(std::string_view text);

}  // namespace hone::lm
