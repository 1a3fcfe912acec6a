// policies/http/secrets.hpp: keys and passwords taken out of what servers say.
#pragma once
#include <string>
#include <vector>

namespace http {

// The text with "[key]" for each secret of 8 bytes or more, also where JSON, HTML or an address would write it
// otherwise: a\/b, a\u002fb, a&#x2F;b, a&#47;b, a%2Fb.
std::string without(const std::vector<std::string>& secrets, std::string text);

// How many bytes at the end of a text may be the beginning of a secret, in any of these forms.
std::size_t may_begin(const std::vector<std::string>& secrets, const std::string& text);

}  // namespace http
