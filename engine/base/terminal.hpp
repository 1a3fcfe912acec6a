// base/terminal.hpp: how wide a page for people may be.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace hone {

// Columns of the terminal behind a file descriptor, at most `most`; `absent` where it is none.
std::size_t terminal_width(int file, std::size_t absent, std::size_t most);

// The text in lines of at most `width` columns, each beginning with `indent`; a longer word stands alone. Ends with a
// newline.
std::string wrapped(std::string_view text, std::size_t width, const std::string& indent);

}  // namespace hone
