// base/frames.hpp: the one wire format between engine, worker and bench (and later a worker on another machine): two
// 32-bit little-endian lengths, a JSON header, a blob. Foreign bytes: lengths are bounded before anything is allocated,
// JSON depth is bounded.
#pragma once
#include <optional>
#include <string>
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"

namespace hone {

struct Frame {
    Json header;       // an object; "type" names it
    std::string blob;  // raw bytes, often empty
};

constexpr std::size_t max_header_bytes = 16u << 20, max_blob_bytes = 256u << 20;

// Reads what a header says: `body` may take any key to be there and of its kind, and where it is not,
// Error(environment) is thrown.
template <class Body> decltype(auto) understand(Body&& body) {
    try {
        return body();
    } catch (const Json::exception& e) {
        throw Error(Blame::environment, "frame", "its header is not understood: " + plain_words(e));
    }
}

void write_frame(int fd, const Frame&);  // throws Error(environment) if the other end is gone
// The next frame; waits for its first byte at most so long (negative: for ever). nullopt: end of file or none begun in
// time; `readable` tells them apart. Throws Error(environment) on a malformed or unfinished frame. Do not mix with a
// FrameReader on one descriptor.
std::optional<Frame> read_frame(int fd, double seconds);
// something (or end of file) can be read within the time
bool readable(int fd, double seconds);

class FrameReader {  // assembles frames from bytes that arrive in pieces; for descriptors polled together
public:
    void feed(std::string_view bytes);
    // throws Error(environment) on a malformed frame
    std::optional<Frame> next();

private:
    std::string buffer_;
};

}  // namespace hone
