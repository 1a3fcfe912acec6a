// answer_streams.hpp: answers as they come, for who wants to see them, and the texts that end them.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>
#include "torch_lm/text/stream_decoder.hpp"

namespace hone::lm {

// Where the first of these stands in a text, from `begin` on; npos: none does.
std::size_t first_of(const std::vector<std::string>& stop, const std::string& text, std::size_t begin = 0);

class AnswerStreams {
public:
    using Tell = std::function<void(std::uint64_t tag, std::uint32_t member, const std::string& piece)>;
    // The tokenizer must outlive it. tell: gets the pieces; empty: nobody does.
    AnswerStreams(const Tokenizer& tokenizer, Tell tell) : tokenizer_(tokenizer), tell_(std::move(tell)) {}
    // One more token of an answer. true: its text holds one of `stop`, in front of which it ends. What may be the start
    // of one is held back.
    bool push(std::uint64_t tag, std::uint32_t member, std::int32_t id, const std::vector<std::string>& stop);
    void end(std::uint64_t tag, std::uint32_t member);  // tells the rest

private:
    struct Stream {
        explicit Stream(const Tokenizer& tokenizer) : decoder(tokenizer) {}
        StreamDecoder decoder;
        std::string text;
        std::size_t told = 0;
        bool stopped = false;
    };
    void tell_until(std::size_t end, std::uint64_t tag, std::uint32_t member, Stream& stream) const;
    const Tokenizer& tokenizer_;
    Tell tell_;
    std::map<std::pair<std::uint64_t, std::uint32_t>, Stream> streams_;
};

}  // namespace hone::lm
