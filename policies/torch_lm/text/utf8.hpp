// utf8.hpp: sampled tokens may cut characters anywhere, yet text that leaves the policy is valid UTF-8; some tokenizers
// want it composed.
#pragma once
#include <string>
#include <string_view>

namespace hone::lm {

// Each maximal invalid stretch of a sequence becomes one U+FFFD (Unicode 15, section 3.9, "maximal subparts").
std::string repair_utf8(std::string_view bytes);
// Normalization form NFC. Text that is not UTF-8 stays as it is.
std::string compose_utf8(std::string_view text);

}  // namespace hone::lm
