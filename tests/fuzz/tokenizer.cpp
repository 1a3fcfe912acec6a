// A tokenizer.json, then a zero byte, then texts of two writers with a zero byte between (policies/torch_lm/text).
#include <algorithm>
#include "hone/plugin.hpp"
#include "property.hpp"
#include "torch_lm/text/stream_decoder.hpp"

namespace {

using namespace hone::lm;
using hone::fuzz::hold;
using hone::fuzz::is_utf8;

std::string_view next_part(std::string_view& bytes) {
    const std::size_t end = std::min(bytes.find('\0'), bytes.size());
    const std::string_view part = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    return part;
}

void check_decoding(const Tokenizer& tokenizer, const Ids& ids) {
    StreamDecoder decoder(tokenizer);
    std::string text;
    for (const std::int32_t id : ids) {
        const std::string part = decoder.push(id);
        hold(is_utf8(part), "every part of a decoded text is UTF-8");
        text += part;
    }
    hold(text + decoder.finish() == tokenizer.decode(ids.data(), ids.size()), "parts are the whole");
}

void check_encoding(Tokenizer& tokenizer, std::string_view trusted, std::string_view foreign) {
    const Piece pieces[] = {{trusted, 7, true}, {foreign, 8, false}};
    std::vector<std::int32_t> source;
    const Ids ids = tokenizer.encode(pieces, source);
    hold(ids.size() == source.size(), "every token has a source");
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const Tokenizer::Token* token = tokenizer.token(ids[i]);
        hold(token != nullptr, "ids are of tokens");
        hold(source[i] == 7 || source[i] == 8, "sources are of pieces");
    }
    check_decoding(tokenizer, ids);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    std::string_view rest = hone::fuzz::view(bytes, size);
    const std::string file(next_part(rest));
    const std::string_view trusted = next_part(rest), foreign = rest;
    try {
        Tokenizer tokenizer(file, "tokenizer.json");
        check_encoding(tokenizer, trusted, foreign);
    } catch (const hone::Refused& e) {
        hold(is_utf8(e.what()), "a refusal is text");
    } catch (const hone::Failed& e) {
        hold(is_utf8(e.what()), "a failure is text");
    }
    return 0;
}
