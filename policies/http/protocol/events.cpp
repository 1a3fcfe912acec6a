#include "events.hpp"
#include <utility>

namespace http {

void EventReader::take(std::string_view bytes, const OnData& give) {
    for (const char c : bytes) {
        const bool ends_crlf = std::exchange(after_cr_, c == '\r') && c == '\n';
        if (ends_crlf) continue;
        if (c == '\r' || c == '\n') line(give);
        else line_ += c;
    }
}

void EventReader::line(const OnData& give) {
    std::string line = std::exchange(line_, {});
    if (std::exchange(first_, false) && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    if (line.empty()) {
        if (std::exchange(has_data_, false)) give(std::exchange(data_, {}));
        return;
    }
    const std::string_view field = "data";
    if (!line.starts_with(field) || (line.size() > field.size() && line[field.size()] != ':')) return;
    std::string_view value = std::string_view(line).substr(std::min(field.size() + 1, line.size()));
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (std::exchange(has_data_, true)) data_ += '\n';
    data_ += value;
}

void EventReader::end(const OnData& give) {
    if (!line_.empty()) line(give);
    line(give);
}

}  // namespace http
