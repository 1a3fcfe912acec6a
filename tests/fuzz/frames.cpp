// Frames between processes (base/frames). The first byte is the size of the pieces in which the rest arrives.
#include "base/frames.hpp"
#include <unistd.h>
#include "base/process.hpp"
#include "property.hpp"

using namespace hone;

namespace {

struct Stream {
    std::vector<Frame> frames;
    bool refused = false;
};

Stream in_pieces(std::string_view bytes, std::size_t piece) {
    Stream stream;
    FrameReader reader;
    stream.refused = !fuzz::taken([&] {
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            reader.feed(bytes.substr(at, piece));
            while (auto frame = reader.next()) stream.frames.push_back(std::move(*frame));
        }
    });
    return stream;
}

std::vector<Frame> from_pipe(std::string_view bytes) {
    std::vector<Frame> frames;
    auto [read_end, in] = make_pipe();
    const int out = read_end.get();
    fuzz::hold(write(in.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "a pipe takes 4 KiB");
    in.close();
    fuzz::taken([&] {
        while (auto frame = read_frame(out, 0)) frames.push_back(std::move(*frame));
    });
    return frames;
}

bool same(const std::vector<Frame>& a, const std::vector<Frame>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Frame& x, const Frame& y) { return x.header == y.header && x.blob == y.blob; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    if (size == 0 || size > 4096) return 0;
    const std::string_view all = fuzz::view(bytes + 1, size - 1);
    const Stream stream = in_pieces(all, bytes[0] + 1u);
    fuzz::hold(same(stream.frames, in_pieces(all, all.size() + 1).frames), "pieces do not matter");
    fuzz::hold(same(stream.frames, from_pipe(all)), "both readers read alike");
    auto [out, in] = make_pipe();
    for (const Frame& frame : stream.frames) {
        write_frame(in.get(), frame);
        const auto back = read_frame(out.get(), 0);
        fuzz::hold(back && back->header == frame.header && back->blob == frame.blob,
                   "what was read can be written and read again");
    }
    return 0;
}
