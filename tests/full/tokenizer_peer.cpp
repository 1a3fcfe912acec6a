// Our side of tokenizer_exact.py. usage: tokenizer_peer TOKENIZER_JSON; one JSON request a line on stdin, one JSON
// answer a line on stdout.
//     {"encode": [TEXT...], "specials": B}   -> {"ids": [[ID...]...], "seconds": S}
//     {"pieces": [[TEXT, SOURCE, B]...]}     -> {"ids": [ID...], "source": [SOURCE...]}
//     {"decode": [[ID...]...], "specials": B} -> {"texts": [TEXT...]}, decoded id by id
//     {"split": [TEXT...]}                   -> {"ends": [[BYTE...]...]}, where the pre-tokenizer cuts
//     {"prefix": true}                       -> {"ids": [ID...]}
#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>
#include "torch_lm/text/stream_decoder.hpp"

namespace {

using namespace hone::lm;
using nlohmann::json;

json encode(Tokenizer& tokenizer, const json& ask) {
    const auto texts = ask["encode"].get<std::vector<std::string>>();
    std::vector<Ids> ids;
    const auto start = std::chrono::steady_clock::now();
    for (const std::string& text : texts) ids.push_back(tokenizer.encode(text, ask["specials"]));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    return {{"ids", ids}, {"seconds", took.count()}};
}

json encode_pieces(Tokenizer& tokenizer, const json& ask) {
    std::vector<Piece> pieces;
    for (const json& piece : ask["pieces"])
        pieces.push_back({piece[0].get_ref<const std::string&>(), piece[1].get<std::int32_t>(), piece[2].get<bool>()});
    std::vector<std::int32_t> source;
    const Ids ids = tokenizer.encode(pieces, source);
    return {{"ids", ids}, {"source", source}};
}

std::string decode(const Tokenizer& tokenizer, const json& ids, bool specials) {
    StreamDecoder decoder(tokenizer, specials);
    std::string text;
    for (const json& id : ids) text += decoder.push(id);
    return text + decoder.finish();
}

json split(const Tokenizer& tokenizer, const json& ask) {
    const Splitter splitter(json::parse(tokenizer.file())["pre_tokenizer"], "tokenizer.json");
    std::vector<std::vector<std::size_t>> ends;
    for (const json& text : ask["split"]) {
        ends.emplace_back();
        splitter.split(text.get_ref<const std::string&>(),
                       [&](std::string_view, std::size_t end) { ends.back().push_back(end); });
    }
    return {{"ends", ends}};
}

json answer(Tokenizer& tokenizer, const json& ask) {
    if (ask.contains("split")) return split(tokenizer, ask);
    if (ask.contains("encode")) return encode(tokenizer, ask);
    if (ask.contains("pieces")) return encode_pieces(tokenizer, ask);
    if (ask.contains("prefix")) return {{"ids", tokenizer.prefix()}};
    json texts = json::array();
    for (const json& ids : ask["decode"]) texts.push_back(decode(tokenizer, ids, ask["specials"]));
    return {{"texts", texts}};
}

}  // namespace

int main(int, char** arguments) {
    std::ifstream file(arguments[1]);
    Tokenizer tokenizer(std::string(std::istreambuf_iterator<char>(file), {}), arguments[1]);
    for (std::string line; std::getline(std::cin, line);)
        std::cout << answer(tokenizer, json::parse(line)).dump() << std::endl;
}
