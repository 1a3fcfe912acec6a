// text.hpp: a string that knows who wrote each of its bytes, whatever a template does with it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone::lm::jinja {

inline constexpr std::int32_t by_template = -1;  // the source of what a template wrote; others are indices of messages

class Text {
public:
    struct Span {
        std::size_t end;  // byte behind it; it begins where the span before it ends
        std::int32_t source;
    };
    Text() = default;
    Text(std::string bytes, std::int32_t source = by_template);

    const std::string& bytes() const { return bytes_; }
    std::size_t size() const { return bytes_.size(); }
    // They tile the bytes. An empty message leaves an empty span, so that its place in a prompt is known.
    const std::vector<Span>& spans() const { return spans_; }
    void append(std::string_view bytes, std::int32_t source);
    void append(const Text& text);
    Text slice(std::size_t begin, std::size_t end) const;  // byte offsets, begin <= end <= size()
    std::int32_t source_at(std::size_t byte) const;        // of the byte; behind the last one, of the last span
    // The source of something new that is made out of this text: the template's where the template wrote all of it.
    std::int32_t foreign_source() const;

private:
    std::string bytes_;
    std::vector<Span> spans_;
};

}  // namespace hone::lm::jinja
