#include "torch_lm/text/jinja/values/text.hpp"
#include <algorithm>

namespace hone::lm::jinja {

Text::Text(std::string bytes, std::int32_t source) : bytes_(std::move(bytes)) {
    if (!bytes_.empty() || source != by_template) spans_.push_back({bytes_.size(), source});
}

void Text::append(std::string_view bytes, std::int32_t source) {
    bytes_ += bytes;
    if (!spans_.empty() && spans_.back().source == source) spans_.back().end = bytes_.size();
    else if (!bytes.empty() || source != by_template) spans_.push_back({bytes_.size(), source});
}

void Text::append(const Text& text) {
    std::size_t begin = 0;
    for (const Span& span : text.spans_) {
        append(std::string_view(text.bytes_).substr(begin, span.end - begin), span.source);
        begin = span.end;
    }
}

Text Text::slice(std::size_t begin, std::size_t end) const {
    if (begin == end) return Text("", source_at(begin));
    Text part;
    auto span =
        std::upper_bound(spans_.begin(), spans_.end(), begin, [](std::size_t at, const Span& s) { return at < s.end; });
    while (begin < end) {
        const std::size_t stop = std::min(end, span->end);
        part.append(std::string_view(bytes_).substr(begin, stop - begin), span->source);
        begin = stop;
        ++span;
    }
    return part;
}

std::int32_t Text::source_at(std::size_t byte) const {
    if (spans_.empty()) return by_template;
    const auto span =
        std::upper_bound(spans_.begin(), spans_.end(), byte, [](std::size_t at, const Span& s) { return at < s.end; });
    return span == spans_.end() ? spans_.back().source : span->source;
}

std::int32_t Text::foreign_source() const {
    std::int32_t source = by_template;
    for (const Span& span : spans_) source = std::max(source, span.source);
    return source;
}

}  // namespace hone::lm::jinja
