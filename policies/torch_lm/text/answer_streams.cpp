#include "torch_lm/text/answer_streams.hpp"
#include <algorithm>

namespace hone::lm {

std::size_t first_of(const std::vector<std::string>& stop, const std::string& text, std::size_t begin) {
    std::size_t first = std::string::npos;
    for (const std::string& end : stop) first = std::min(first, text.find(end, begin));
    return first;
}

bool AnswerStreams::push(std::uint64_t tag, std::uint32_t member, std::int32_t id,
                         const std::vector<std::string>& stop) {
    if (stop.empty() && !tell_) return false;
    Stream& stream = streams_.try_emplace({tag, member}, tokenizer_).first->second;
    std::size_t held = 0;  // bytes that may be the start of a text of `stop`
    for (const std::string& end : stop) held = std::max(held, end.size() - 1);
    const std::size_t before = stream.text.size();
    stream.text += stream.decoder.push(id);
    const std::size_t found = first_of(stop, stream.text, before - std::min(before, held));
    stream.stopped = found != std::string::npos;
    std::size_t certain = stream.stopped ? found : stream.text.size() - std::min(stream.text.size(), held);
    while (certain > stream.told && certain < stream.text.size() && (stream.text[certain] & 0xc0) == 0x80) --certain;
    tell_until(certain, tag, member, stream);
    return stream.stopped;
}

void AnswerStreams::end(std::uint64_t tag, std::uint32_t member) {
    const auto found = streams_.find({tag, member});
    if (found == streams_.end()) return;
    Stream& stream = found->second;
    if (!stream.stopped) {
        stream.text += stream.decoder.finish();
        tell_until(stream.text.size(), tag, member, stream);
    }
    streams_.erase(found);
}

void AnswerStreams::tell_until(std::size_t end, std::uint64_t tag, std::uint32_t member, Stream& stream) const {
    if (tell_ && end > stream.told) tell_(tag, member, stream.text.substr(stream.told, end - stream.told));
    stream.told = std::max(stream.told, end);
}

}  // namespace hone::lm
