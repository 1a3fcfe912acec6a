// policies/http/secrets.hpp: keys and passwords taken out of what servers say.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace http {

// The text with "[key]" for each secret of 8 bytes or more, also where JSON, HTML or an address would write it
// otherwise: a\/b, a\u002fb, a&#x2F;b, a&#47;b, a%2Fb.
std::string without(const std::vector<std::string>& secrets, std::string text);

// The same for a text that comes in pieces (told_text.hpp). How many bytes at its beginning are a secret, in any form;
// 0: they are not. Whether a text that ends here may go on to be one.
inline constexpr const char* hidden = "[key]";
std::size_t secret_at(const std::vector<std::string>& secrets, std::string_view text);
bool may_be_secret(const std::vector<std::string>& secrets, std::string_view text);

}  // namespace http
