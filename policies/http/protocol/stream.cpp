#include "stream.hpp"
#include "http/reply_text.hpp"

namespace http {

void Stream::take(std::string_view bytes) {
    events_.take(bytes, [this](const std::string& data) { event(data); });
}

const nlohmann::json& Stream::end() {
    events_.end([this](const std::string& data) { event(data); });
    return reply_;
}

void Stream::event(const std::string& data) {
    if (data == "[DONE]") return void(done_ = true);
    ++read_;
    const ReadText read = read_text(data);
    if (!read.document.is_object()) {
        if (fault_.empty())
            fault_ = "an event of the answer is no JSON object" + (read.fault.empty() ? "" : " (" + read.fault + ")") +
                     ": " + data.substr(0, 80);
        return;
    }
    if (const std::string text = protocol_.add(read.document, reply_); !text.empty() && on_text_) on_text_(text);
}

std::string Stream::fault() const {
    if (!fault_.empty()) return fault_;
    const bool failed = reply_.is_object() && !member(reply_, "error").is_null();
    const bool is_whole = done_ && !protocol_.awaits_end(reply_);
    if (is_whole || failed || protocol_.is_complete(reply_)) return "";
    return "the stream ended before the answer did";
}

}  // namespace http
