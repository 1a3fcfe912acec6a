// policies/http/protocol/stream.hpp: a reply that comes as events.
#pragma once
#include "events.hpp"
#include "protocol.hpp"

namespace http {

class Stream {
public:
    // on_text: what an event adds to the text of the first answer.
    Stream(const Protocol& protocol, std::function<void(const std::string&)> on_text)
        : protocol_(protocol), on_text_(std::move(on_text)) {}
    void take(std::string_view bytes);  // throws nothing but for want of memory
    // After the last byte. The reply as if it had come whole; null: no event came.
    const nlohmann::json& end();
    // Why that is not all of an answer; "": it is.
    std::string fault() const;
    bool has_begun() const { return read_ > 1; }  // an event came before the last one

private:
    void event(const std::string& data);
    const Protocol& protocol_;
    std::function<void(const std::string&)> on_text_;
    EventReader events_;
    nlohmann::json reply_;
    std::string fault_;
    std::size_t read_ = 0;
    bool done_ = false;
};

}  // namespace http
