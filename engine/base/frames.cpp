#include "base/frames.hpp"
#include <poll.h>
#include <signal.h>
#include <unistd.h>
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/process.hpp"

namespace hone {

static_assert(std::endian::native == std::endian::little, "lengths are copied as they lie in memory");

namespace {

constexpr std::size_t prefix_bytes = 8;
constexpr double stall_seconds = 30;  // the longest pause within one frame

struct Lengths {
    std::uint32_t header, blob;
};

[[noreturn]] void malformed(const std::string& cause) { throw Error(Blame::environment, "frame", cause); }

Lengths check_lengths(const char* prefix) {
    Lengths lengths;
    std::memcpy(&lengths, prefix, sizeof lengths);
    if (lengths.header > max_header_bytes || lengths.blob > max_blob_bytes)
        malformed("lengths " + std::to_string(lengths.header) + " and " + std::to_string(lengths.blob) +
                  " are beyond the limits");
    return lengths;
}

Json parse_header(std::string_view bytes) {
    Json header;
    try {
        header = parse_strange_json(bytes);
    } catch (const TooDeep&) {
        malformed("header is nested too deeply");
    } catch (const Json::exception&) {
        malformed("header is no JSON object");
    }
    if (!header.is_object()) malformed("header is no JSON object");
    return header;
}

void write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            throw Error(Blame::environment, "frame", std::string("the other end is gone: ") + std::strerror(errno));
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

// false: end of file before the first byte
bool read_exactly(int fd, char* to, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
        if (!readable(fd, stall_seconds)) malformed("stopped in its middle");
        const ssize_t n = read(fd, to + done, bytes - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) malformed(std::strerror(errno));
        if (n == 0 && done == 0) return false;
        if (n == 0) malformed("ended in its middle");
        done += static_cast<std::size_t>(n);
    }
    return true;
}

std::string read_part(int fd, std::size_t bytes) {
    std::string part(bytes, '\0');
    if (bytes > 0 && !read_exactly(fd, part.data(), bytes)) malformed("ended in its middle");
    return part;
}

}  // namespace

void write_frame(int fd, const Frame& frame) {
    // a reader that died is an error with a text, not a signal that ends this program too
    static const auto ignored [[maybe_unused]] = signal(SIGPIPE, SIG_IGN);
    const std::string header = frame.header.dump(-1, ' ', false, Json::error_handler_t::replace);
    const Lengths lengths{static_cast<std::uint32_t>(header.size()), static_cast<std::uint32_t>(frame.blob.size())};
    if (header.size() > max_header_bytes || frame.blob.size() > max_blob_bytes) malformed("too long to be sent");
    std::string bytes(prefix_bytes, '\0');
    std::memcpy(bytes.data(), &lengths, sizeof lengths);
    write_all(fd, bytes + header);
    write_all(fd, frame.blob);
}

std::optional<Frame> read_frame(int fd, double seconds) {
    if (!readable(fd, seconds)) return std::nullopt;
    char prefix[prefix_bytes];
    if (!read_exactly(fd, prefix, sizeof prefix)) return std::nullopt;
    const Lengths lengths = check_lengths(prefix);
    Json header = parse_header(read_part(fd, lengths.header));
    return Frame{std::move(header), read_part(fd, lengths.blob)};
}

bool readable(int fd, double seconds) {
    const double deadline = monotonic_seconds() + seconds;
    pollfd wanted{fd, POLLIN, 0};
    for (;;) {
        const double left = std::clamp(deadline - monotonic_seconds(), 0.0, 1e6);
        const int ready = poll(&wanted, 1, seconds < 0 ? -1 : static_cast<int>(left * 1000 + 0.999));
        if (ready >= 0) return ready > 0;
        if (errno != EINTR) malformed(std::strerror(errno));
    }
}

void FrameReader::feed(std::string_view bytes) { buffer_ += bytes; }

std::optional<Frame> FrameReader::next() {
    if (buffer_.size() < prefix_bytes) return std::nullopt;
    const Lengths lengths = check_lengths(buffer_.data());
    const std::size_t whole = prefix_bytes + lengths.header + lengths.blob;
    if (buffer_.size() < whole) return std::nullopt;
    Frame frame{parse_header(std::string_view(buffer_).substr(prefix_bytes, lengths.header)),
                buffer_.substr(prefix_bytes + lengths.header, lengths.blob)};
    buffer_.erase(0, whole);
    return frame;
}

}  // namespace hone
