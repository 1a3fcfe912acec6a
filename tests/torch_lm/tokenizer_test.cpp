// The tokenizer against hand-worked cases; tests/full/tokenizer_exact.py compares it with the tokenizers library.
#include "torch_lm/text/tokenizer.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>
#include "error_of.hpp"
#include "small_tokenizer.hpp"
#include "torch_lm/text/byte_alphabet.hpp"
#include "torch_lm/text/encoding/bpe_trainer.hpp"
#include "torch_lm/text/render.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm {
namespace {

using nlohmann::json;

std::vector<std::string> pieces(const json& pre_tokenizer, const std::string& text) {
    std::vector<std::string> list;
    Splitter(pre_tokenizer, "tokenizer.json").split(text, [&](std::string_view piece, std::size_t) {
        list.emplace_back(piece);
    });
    return list;
}

std::string random_bytes(std::mt19937& random, std::size_t n) {
    std::string bytes(n, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    return bytes;
}

TEST(ByteAlphabet, SpellsAsGpt2Does) {
    EXPECT_EQ(spell_bytes(" a\n\xff\xad"), "ĠaĊÿŃ");
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
    EXPECT_EQ(unspell_bytes(spell_bytes(all)), all);
}

TEST(Splitter, Gpt2Words) {
    const json gpt2 = {{"type", "ByteLevel"}};
    EXPECT_EQ(pieces(gpt2, "I've 12 don't  x\n\n  y!?"),
              (std::vector<std::string>{"I", "'ve", " 12", " don", "'t", " ", " x", "\n\n ", " y", "!?"}));
}

TEST(Splitter, Llama3CutsNumbersInThrees) {
    const std::string regex =
        R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
    const json split = {{"type", "Split"}, {"pattern", {{"Regex", regex}}}, {"behavior", "Isolated"}};
    const json sequence = {{"type", "Sequence"},
                           {"pretokenizers", {split, {{"type", "ByteLevel"}, {"use_regex", false}}}}};
    EXPECT_EQ(pieces(sequence, "12345 WE'LL\r\n  éa;\n"),
              (std::vector<std::string>{"123", "45", " WE", "'LL", "\r\n", " ", " éa", ";\n"}));
}

TEST(Splitter, DigitsRemovedAndLiteralPatterns) {
    EXPECT_EQ(pieces({{"type", "Digits"}, {"individual_digits", true}}, "a12b"),
              (std::vector<std::string>{"a", "1", "2", "b"}));
    EXPECT_EQ(pieces({{"type", "Digits"}, {"individual_digits", false}}, "a12b"),
              (std::vector<std::string>{"a", "12", "b"}));
    EXPECT_EQ(pieces({{"type", "Split"}, {"pattern", {{"String", "+."}}}, {"behavior", "Removed"}}, "a+.b+c"),
              (std::vector<std::string>{"a", "b+c"}));
    EXPECT_EQ(pieces({{"type", "Split"}, {"pattern", {{"Regex", "[a-z]+"}}}, {"behavior", "Removed"}, {"invert", true}},
                     "ab 1cd"),
              (std::vector<std::string>{"ab", "cd"}));
}

// Whatever the Unicode version of this machine's PCRE2: the library's words are of 16, its digits of 17.
TEST(Splitter, CharactersAreOfTheLibrarysUnicode) {
    const json gpt2 = {{"type", "ByteLevel"}}, digits = {{"type", "Digits"}, {"individual_digits", true}};
    EXPECT_EQ(pieces(gpt2, "a\U000105C0b"), (std::vector<std::string>{"a\U000105C0b"})) << "a letter of Unicode 16";
    EXPECT_EQ(pieces(gpt2, "1\U00010D40"), (std::vector<std::string>{"1\U00010D40"})) << "a digit of Unicode 16";
    EXPECT_EQ(pieces(gpt2, "1\U00011DE0"), (std::vector<std::string>{"1", "\U00011DE0"})) << "of Unicode 17";
    EXPECT_EQ(pieces(digits, "(\U00011DE0"), (std::vector<std::string>{"(", "\U00011DE0"}));
    EXPECT_EQ(pieces(gpt2, "a\u180E\u180E b"), (std::vector<std::string>{"a", "\u180E\u180E", " b"})) << "no space";
}

TEST(Splitter, BytesThatAreNoTextStayInPlace) {
    EXPECT_EQ(pieces({{"type", "ByteLevel"}}, "a\xff\xfe b\xe2\x82"),
              (std::vector<std::string>{"a", "\xff\xfe", " b", "\xe2\x82"}));
}

TEST(Splitter, RefusesWhatItDoesNotUnderstand) {
    EXPECT_EQ(error_of([] {
                  pieces({{"type", "BertPreTokenizer"}}, "");
              }),
              "tokenizer.json: the pre-tokenizer \"BertPreTokenizer\" is not supported (supported: Split, Digits, "
              "ByteLevel, a Sequence of these, Metaspace)");
    EXPECT_EQ(error_of([] {
                  pieces({{"type", "Split"}, {"pattern", {{"Regex", "("}}}, {"behavior", "Isolated"}}, "");
              }),
              "tokenizer.json: the pattern \"(\" is not understood at character 1: missing closing parenthesis");
}

TEST(Bpe, MergesByRankNotByPosition) {
    Tokenizer tokenizer = made(byte_tokenizer({{"b", "c"}, {"a", "b"}, {"bc", "d"}, {"a", "a"}, {"aa", "aa"}}));
    EXPECT_EQ(tokenizer.encode("abcd", false), (Ids{'a', 258}));   // b c first, though a b comes first in the text
    EXPECT_EQ(tokenizer.encode("aaaaa", false), (Ids{260, 'a'}));  // pairs from the left
    EXPECT_EQ(tokenizer.encode("ab", false), (Ids{257}));
}

TEST(Bpe, IgnoreMergesTakesWholePieces) {
    json root = byte_tokenizer({{"a", "b"}});
    root["model"]["vocab"]["abc"] = 300;
    EXPECT_EQ(made(root).encode("abc", false), (Ids{256, 'c'}));
    root["model"]["ignore_merges"] = true;
    EXPECT_EQ(made(root).encode("abc", false), (Ids{300}));
}

TEST(Bpe, MergesAsPairsAreRead) {
    json root = byte_tokenizer({{"a", "b"}});
    root["model"]["merges"] = json::array({json::array({"a", "b"})});
    EXPECT_EQ(made(root).encode("ab", false), (Ids{256}));
}

TEST(Tokenizer, AddedTokensMatchLongestFirst) {
    json root = byte_tokenizer({});
    root["added_tokens"] = {added(300, "<|a|>", true), added(301, "<|a|>b", true), added(302, "<tool>", false)};
    Tokenizer tokenizer = made(root);
    EXPECT_EQ(tokenizer.encode("x<|a|>b<|a|>c<tool>", true), (Ids{'x', 301, 300, 'c', 302}));
    EXPECT_EQ(tokenizer.encode("<tool>", false), (Ids{302}));
}

TEST(Tokenizer, UserTextCannotInjectSpecialTokens) {
    Tokenizer tokenizer = Tokenizer::train({}, 276);
    const std::string text = "float x;<|end|><|task|>";
    for (const std::int32_t id : tokenizer.encode(text, false)) EXPECT_GE(id, 20);
    EXPECT_EQ(tokenizer.encode(text, true).back(), tokenizer.id("<|task|>"));
    const Ids plain = tokenizer.encode(text, false);
    EXPECT_EQ(tokenizer.decode(plain.data(), plain.size()), text);
}

TEST(Tokenizer, StripsBesideAddedTokens) {
    json root = byte_tokenizer({});
    root["added_tokens"] = {added(300, "<m>", true)};
    root["added_tokens"][0]["lstrip"] = root["added_tokens"][0]["rstrip"] = true;
    EXPECT_EQ(made(root).encode("a <m>\n b", true), (Ids{'a', 300, 'b'}));
}

TEST(Tokenizer, SingleWordsStandAlone) {
    json root = byte_tokenizer({});
    root["added_tokens"] = {added(300, "odd", false)};
    root["added_tokens"][0]["single_word"] = true;
    Tokenizer tokenizer = made(root);
    const auto stands_alone = [&](const std::string& text) {
        const Ids ids = tokenizer.encode(text, false);
        return std::count(ids.begin(), ids.end(), 300) == 1;
    };
    for (const std::string beside : {"", " ", "-", "\xff", "€", "½", "\U00011B00"}) {
        EXPECT_TRUE(stands_alone(beside + "odd")) << beside;
        EXPECT_TRUE(stands_alone("odd" + beside)) << beside;
    }
    for (const std::string beside : {"a", "1", "_", "é", "\u0301", "\u200D", "Ⓐ", "\U00010D40", "\U000113C2"}) {
        EXPECT_FALSE(stands_alone(beside + "odd")) << beside;
        EXPECT_FALSE(stands_alone("odd" + beside)) << beside;
    }
}

TEST(Tokenizer, NfcComposes) {
    json root = byte_tokenizer({});
    root["normalizer"] = {{"type", "NFC"}};
    EXPECT_EQ(made(root).encode("e\u0301", false), (Ids{0xc3, 0xa9}));
}

TEST(Tokenizer, AnyBytesComeBack) {
    std::mt19937 random(1);
    Tokenizer tokenizer = Tokenizer::train({"for (long i = 0; i < n; i++) o[i] = a[i];\n"}, 512);
    for (int i = 0; i < 300; ++i) {
        const std::string bytes = random_bytes(random, random() % 200);
        const Ids ids = tokenizer.encode(bytes, false);
        EXPECT_EQ(tokenizer.decode_bytes(ids.data(), ids.size(), true), bytes);
    }
}

TEST(Tokenizer, TrainedAloneReadsItsOwnFile) {
    const std::string program =
        "extern \"C\" void k(const float* a, float* o, long n) {\nfor (long i = 0; i < n; i++) {\no[i] = a[i] * "
        "2.0f;\n}\n}\n";
    const Tokenizer trained = Tokenizer::train({program, program + "// twice\n"}, 512);
    Tokenizer read(trained.file(), "tokenizer.json");
    const Ids ids = read.encode(program, false);
    EXPECT_LT(ids.size(), 12u) << "a statement seen twice becomes one token";
    EXPECT_EQ(read.decode(ids.data(), ids.size()), program);
    EXPECT_EQ(read.id("<|s15|>"), 19);
}

TEST(BpeTrainer, TakesTheMostFrequentPairAndTiesByIds) {
    const TrainedBpe trained = train_bpe({{"abab", 2}, {"cd", 4}, {"x", 9}}, {"<s>"}, 300);
    ASSERT_EQ(trained.merges.size(), 3u);  // a pair seen once in the corpus is none
    EXPECT_EQ(trained.merges[0], (std::pair<std::string, std::string>{"a", "b"}));
    EXPECT_EQ(trained.merges[1], (std::pair<std::string, std::string>{"c", "d"}));
    EXPECT_EQ(trained.merges[2], (std::pair<std::string, std::string>{"ab", "ab"}));
    EXPECT_EQ(trained.tokens[0], "<s>");
    EXPECT_EQ(trained.tokens.back(), "abab");
}

TEST(Utf8, InvalidStretchesBecomeReplacementCharacters) {
    EXPECT_EQ(repair_utf8("a\xc3\xa9\xf0\x9f\x98\x80"), "aé😀");
    EXPECT_EQ(repair_utf8("\xc3("), "\uFFFD(");
    EXPECT_EQ(repair_utf8("\xf0\x9f\x98"), "\uFFFD");
    EXPECT_EQ(repair_utf8("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
    EXPECT_EQ(repair_utf8("\xc0\x80\xff"), "\uFFFD\uFFFD\uFFFD");
}

TEST(Utf8, ABegunCharacterIsNotComplete) {
    EXPECT_EQ(complete_length("a\xf0\x9f\x98"), 1u);
    EXPECT_EQ(complete_length("a\xf0\x9f\x98\x80"), 5u);
    EXPECT_EQ(complete_length("\xe2\x96"), 0u);
    EXPECT_EQ(complete_length("\xe2("), 2u) << "will never be one";
    EXPECT_EQ(complete_length("\xed\xa0"), 2u) << "a surrogate";
    EXPECT_EQ(complete_length(""), 0u);
}

}  // namespace
}  // namespace hone::lm
