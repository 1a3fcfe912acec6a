#include "base/terminal.hpp"
#include <sys/ioctl.h>
#include <algorithm>
#include <sstream>
#include <utility>

namespace hone {

std::size_t terminal_width(int file, std::size_t absent, std::size_t most) {
    winsize size{};
    if (ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return absent;
    return std::min<std::size_t>(size.ws_col, most);
}

std::string wrapped(std::string_view text, std::size_t width, const std::string& indent) {
    std::istringstream words{std::string(text)};
    std::string all, line;
    for (std::string word; words >> word;) {
        if (!line.empty() && indent.size() + line.size() + 1 + word.size() > width)
            all += indent + std::exchange(line, "") + "\n";
        line += (line.empty() ? "" : " ") + word;
    }
    return line.empty() ? all : all + indent + line + "\n";
}

}  // namespace hone
