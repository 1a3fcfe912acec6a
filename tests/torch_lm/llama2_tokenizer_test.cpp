// SentencePiece's kind of BPE, and decoding token by token.
#include <gtest/gtest.h>
#include <random>
#include "small_tokenizer.hpp"
#include "torch_lm/text/stream_decoder.hpp"

namespace hone::lm {
namespace {

using nlohmann::json;

json small() { return llama2_tokenizer({"▁", "a", "b", "é"}, {{"▁", "a"}, {"a", "b"}, {"▁", "▁"}}); }
constexpr std::int32_t space = 259, letter_a = 260, letter_b = 261, accented = 262, space_a = 263, ab = 264,
                       two_spaces = 265;

std::vector<std::string> streamed(const Tokenizer& tokenizer, const Ids& ids,
                                  StreamDecoder::Begin begin = StreamDecoder::Begin::text) {
    StreamDecoder decoder(tokenizer, false, begin);
    std::vector<std::string> parts;
    for (const std::int32_t id : ids) parts.push_back(decoder.push(id));
    parts.push_back(decoder.finish());
    return parts;
}
using Parts = std::vector<std::string>;

TEST(Llama2Tokenizer, EncodesWithASpaceBeforeAndFallsBackToBytes) {
    Tokenizer tokenizer = made(small());
    EXPECT_EQ(tokenizer.encode("ab", false), (Ids{space_a, letter_b}));
    EXPECT_EQ(tokenizer.encode(" ab", false), (Ids{space, space_a, letter_b}));
    EXPECT_EQ(tokenizer.encode("b  ab", false), (Ids{space, letter_b, space, space_a, letter_b}));
    EXPECT_EQ(tokenizer.encode("  ", false), (Ids{two_spaces, space}));
    EXPECT_EQ(tokenizer.encode("bab", false), (Ids{space, letter_b, ab}));
    EXPECT_EQ(tokenizer.encode("é€", false), (Ids{space, accented, 3 + 0xe2, 3 + 0x82, 3 + 0xac}));
    EXPECT_EQ(tokenizer.encode("\xff", false), (Ids{space, 3 + 0xff})) << "bytes that are no text";
    EXPECT_EQ(tokenizer.encode("", false), Ids());
}

TEST(Llama2Tokenizer, EveryPartBetweenSpecialTokensBeginsWithASpace) {
    json root = small();
    root["added_tokens"] = {added(2, "</s>", true)};
    EXPECT_EQ(made(root).encode("a</s>a", true), (Ids{space_a, 2, space_a}));
    root["pre_tokenizer"] = {
        {"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "first"}, {"split", false}};
    root.erase("normalizer");
    EXPECT_EQ(made(root).encode("a</s>a", true), (Ids{space_a, 2, letter_a}));
    EXPECT_EQ(made(root).encode(" a</s>", true), (Ids{space_a, 2})) << "one space is enough";
    root["pre_tokenizer"]["prepend_scheme"] = "never";
    EXPECT_EQ(made(root).encode("a a", true), (Ids{letter_a, space_a}));
}

TEST(Llama2Tokenizer, UnknownCharactersFuseWhereThereAreNoBytes) {
    json root = small();
    root["model"]["byte_fallback"] = false;
    EXPECT_EQ(made(root).encode("x€yaz", false), (Ids{space, 0, letter_a, 0}));
    root["model"]["fuse_unk"] = false;
    EXPECT_EQ(made(root).encode("x€", false), (Ids{space, 0, 0}));
    root["model"]["unk_token"] = nullptr;
    EXPECT_EQ(made(root).encode("x€a", false), (Ids{space_a}));
}

TEST(Llama2Tokenizer, DecodesWithoutTheFirstSpace) {
    const Tokenizer tokenizer = made(small());
    EXPECT_EQ(decoded(tokenizer, {space_a, space_a, letter_b}), "a ab");
    EXPECT_EQ(decoded(tokenizer, {two_spaces, letter_a}), " a") << "one space is taken, not all";
    EXPECT_EQ(decoded(tokenizer, {3 + 0xe2, 3 + 0x82, 3 + 0xac, letter_b}), "€b");
    EXPECT_EQ(decoded(tokenizer, {3 + 'x', 3 + 0xe2, letter_b}), "\uFFFD\uFFFDb")
        << "a run that is broken is lost whole";
    EXPECT_EQ(decoded(tokenizer, {}), "");
}

TEST(StreamDecoder, HoldsRunsOfBytesBack) {
    const Tokenizer tokenizer = made(small());
    EXPECT_EQ(streamed(tokenizer, {space_a, 3 + 0xe2, 3 + 0x82, 3 + 0xac, letter_b}),
              (Parts{"a", "", "", "", "€b", ""}));
    EXPECT_EQ(streamed(tokenizer, {letter_b, 3 + 0xe2}), (Parts{"b", "", "\uFFFD"}));
    EXPECT_EQ(streamed(tokenizer, {space, space_a}), (Parts{"", " a", ""}));
}

TEST(StreamDecoder, TextThatGoesOnKeepsItsSpace) {
    const Tokenizer tokenizer = made(small());
    EXPECT_EQ(streamed(tokenizer, {space_a}), (Parts{"a", ""}));
    EXPECT_EQ(streamed(tokenizer, {space_a}, StreamDecoder::Begin::within_text), (Parts{" a", ""}));
}

TEST(StreamDecoder, HoldsBegunCharactersBack) {
    const Tokenizer tokenizer = made(byte_tokenizer({}));
    EXPECT_EQ(streamed(tokenizer, {'a', 0xf0, 0x9f, 0x98, 0x80, 'b'}), (Parts{"a", "", "", "", "😀", "b", ""}));
    EXPECT_EQ(streamed(tokenizer, {0xf0, 0x9f, 'b'}), (Parts{"", "", "\uFFFDb", ""}));
    EXPECT_EQ(streamed(tokenizer, {0xe2, 0x82}), (Parts{"", "", "\uFFFD"}));
    EXPECT_EQ(streamed(tokenizer, {'a', -1, 1 << 30}), (Parts{"a", "", "", ""}));
}

TEST(StreamDecoder, SpecialTokensOnlyWhereAsked) {
    json root = byte_tokenizer({});
    root["added_tokens"] = {added(300, "<end>", true)};
    const Tokenizer tokenizer = made(root);
    StreamDecoder with(tokenizer, true), without(tokenizer);
    EXPECT_EQ(with.push(300), "<end>");
    EXPECT_EQ(without.push(300), "");
}

TEST(StreamDecoder, PartsAreTheWhole) {
    std::mt19937 random(5);
    const Tokenizer bytes = made(byte_tokenizer({{"Ã", "©"}, {"Ġ", "a"}})), characters = made(small());
    for (const Tokenizer* tokenizer : {&bytes, &characters})
        for (int round = 0; round < 500; ++round) {
            Ids ids(random() % 12);
            for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random() % tokenizer->size());
            std::string whole;
            for (const std::string& part : streamed(*tokenizer, ids)) {
                EXPECT_NO_THROW((void)json(part).dump()) << "every part is UTF-8";
                whole += part;
            }
            EXPECT_EQ(whole, decoded(*tokenizer, ids));
        }
}

}  // namespace
}  // namespace hone::lm
