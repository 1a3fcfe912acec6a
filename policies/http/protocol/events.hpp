// policies/http/protocol/events.hpp: server-sent events, out of bytes that may be split anywhere (WHATWG HTML, section
// "Server-sent events"). Lines end in LF, CRLF or CR; several data lines of an event are joined by LF; comments, names
// and ids of events are skipped, because each protocol repeats the name within the data.
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace http {

class EventReader {
public:
    using OnData = std::function<void(const std::string& data)>;
    void take(std::string_view bytes, const OnData&);
    void end(const OnData&);  // the connection ended: the last event may lack its empty line

private:
    void line(const OnData&);
    std::string line_, data_;
    bool first_ = true, has_data_ = false, after_cr_ = false;  // first_: line, before which a byte order mark may stand
};

}  // namespace http
