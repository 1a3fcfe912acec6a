// A tokenizer.json is a foreign file: what is wrong with it is said, and nothing that it says makes the reader crash.
#include <gtest/gtest.h>
#include "error_of.hpp"
#include "small_tokenizer.hpp"

namespace hone::lm {
namespace {

using nlohmann::json;

std::string refusal(const std::string& text) {
    return error_of([&] { Tokenizer(text, "m/tokenizer.json"); });
}
std::string refusal_of(const json& root) { return refusal(root.dump()); }

json with(const std::string& pointer, const json& value) {
    json root = byte_tokenizer({});
    root[json::json_pointer(pointer)] = value;
    return root;
}

TEST(TokenizerFile, WhatIsNoTokenizerJson) {
    EXPECT_EQ(refusal("{").substr(0, 43), "m/tokenizer.json: is not JSON: line 1, colu");
    EXPECT_EQ(refusal("{}").substr(0, 43), "m/tokenizer.json: is not a tokenizer.json: ");
    EXPECT_EQ(refusal("[]").substr(0, 43), "m/tokenizer.json: is not a tokenizer.json: ");
    const std::string bytes = refusal("{\"\xff\xfe\": 1}");
    EXPECT_EQ(bytes.substr(0, 43), "m/tokenizer.json: is not JSON: line 1, colu");
    EXPECT_NO_THROW((void)json(bytes).dump()) << "what is said of bytes that are no text is text";
    EXPECT_LT(refusal("\"" + std::string(1 << 20, 'x')).size(), 300u);
}

TEST(TokenizerFile, Vocabularies) {
    EXPECT_EQ(refusal_of(with("/model/vocab/far", 2000000000)),
              "m/tokenizer.json: token \"far\" has the id 2000000000, which is not between 0 and 1048575");
    EXPECT_EQ(refusal_of(with("/model/vocab/far", -1)),
              "m/tokenizer.json: token \"far\" has the id -1, which is not between 0 and 1048575");
    EXPECT_EQ(refusal_of(with("/model/vocab/far", 1e300)),
              "m/tokenizer.json: token \"far\" has the id 1e+300, which is not between 0 and 1048575");
    EXPECT_EQ(refusal_of(with("/model/vocab/far", 18446744073709551615u)),
              "m/tokenizer.json: token \"far\" has the id 18446744073709551615, which is not between 0 and 1048575");
    EXPECT_EQ(refusal_of(with("/model/vocab/zz", 97)), "m/tokenizer.json: two tokens have the id 97; one is \"zz\"");
    EXPECT_EQ(refusal_of(with("/model/vocab", json::array({1, 2}))),
              "m/tokenizer.json: the vocabulary is not an object of tokens and their ids");
    EXPECT_EQ(refusal_of(with("/model/unk_token", "<unk>")),
              "m/tokenizer.json: the vocabulary does not have the unk_token \"<unk>\"");
}

TEST(TokenizerFile, Merges) {
    EXPECT_EQ(refusal_of(with("/model/merges", {"q zz"})),
              "m/tokenizer.json: the merges need a token \"zz\" that the vocabulary does not have");
    EXPECT_EQ(refusal_of(with("/model/merges", {"q z"})),
              "m/tokenizer.json: the merges need a token \"qz\" that the vocabulary does not have");
    EXPECT_EQ(refusal_of(with("/model/merges", {"a b c"})),
              "m/tokenizer.json: the merge \"a b c\" is not of two tokens");
    EXPECT_EQ(refusal_of(with("/model/merges", json::array({json::array({"a"})}))),
              "m/tokenizer.json: the merge [\"a\"] is not of two tokens");
    EXPECT_EQ(refusal_of(with("/model/merges", {7})), "m/tokenizer.json: the merge 7 is not of two tokens");
}

TEST(TokenizerFile, MergesThatGoInCirclesEnd) {
    json root = byte_tokenizer({});
    root["model"]["vocab"][""] = 300;
    root["model"]["merges"] = json::array({{"a", ""}, {"", "a"}, {"", ""}});
    EXPECT_EQ(made(root).encode("aaa", false), (Ids{'a', 'a', 'a'}));
}

TEST(TokenizerFile, ModelsThatAreNotSupported) {
    EXPECT_EQ(refusal_of(with("/model/type", "Unigram")),
              "m/tokenizer.json: the model is Unigram; only BPE is supported");
    EXPECT_EQ(refusal_of(with("/model/end_of_word_suffix", "</w>")),
              "m/tokenizer.json: the BPE option end_of_word_suffix is not supported");
    EXPECT_EQ(refusal_of(with("/model/dropout", 0.1)), "m/tokenizer.json: the BPE option dropout is not supported");
}

TEST(TokenizerFile, StepsThatAreNotSupported) {
    EXPECT_EQ(refusal_of(with("/normalizer", {{"type", "Lowercase"}})),
              "m/tokenizer.json: the normalizer \"Lowercase\" is not supported (supported: none, NFC, Prepend, "
              "Replace, and a Sequence of these)");
    EXPECT_EQ(refusal_of(with("/normalizer", {{"type", "Replace"}, {"pattern", {{"Regex", "a+"}}}, {"content", "b"}})),
              "m/tokenizer.json: the normalizer Replace is supported for a non-empty String only, not for "
              "{\"Regex\":\"a+\"}");
    EXPECT_EQ(refusal_of(with("/normalizer", replace("a", std::string(65, 'b')))),
              "m/tokenizer.json: a normalizer or decoder inserts a text of 65 bytes; at most 64 are supported");
    EXPECT_EQ(refusal_of(with("/pre_tokenizer", {{"type", "Metaspace"}, {"prepend_scheme", "sometimes"}})),
              "m/tokenizer.json: the Metaspace pre-tokenizer has the replacement \"▁\" and the prepend_scheme "
              "\"sometimes\" (known: always, first, never)");
    const json digits = {{"type", "Digits"}}, bytes = {{"type", "ByteLevel"}};
    EXPECT_EQ(refusal_of(with("/pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {bytes, digits}}})),
              "m/tokenizer.json: the pre-tokenizer \"Digits\" stands behind ByteLevel, which must be the last");
}

TEST(TokenizerFile, DecodersThatAreNotSupported) {
    EXPECT_EQ(refusal_of(with("/decoder", {{"type", "WordPiece"}})),
              "m/tokenizer.json: the decoder \"WordPiece\" is not supported (supported: ByteLevel, Replace, "
              "ByteFallback, Fuse, Strip at the start, and a Sequence of these)");
    const json fuse = {{"type", "Fuse"}}, strip = {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}};
    EXPECT_EQ(refusal_of(with("/decoder", {{"type", "Sequence"}, {"decoders", {fuse, replace("a", "b")}}})),
              "m/tokenizer.json: the decoder has Replace out of turn (supported: ByteLevel, or Replace, ByteFallback, "
              "Fuse, Strip in this order)");
    EXPECT_EQ(refusal_of(with("/decoder", strip)),
              "m/tokenizer.json: the decoder has Strip out of turn (supported: ByteLevel, or Replace, ByteFallback, "
              "Fuse, Strip in this order)");
    json nothing = strip;
    nothing["content"] = "", nothing["start"] = 1000000000000;
    EXPECT_EQ(refusal_of(with("/decoder", {{"type", "Sequence"}, {"decoders", {fuse, nothing}}})),
              "m/tokenizer.json: the decoder Strip takes away nothing");
}

TEST(TokenizerFile, AddedTokens) {
    EXPECT_EQ(refusal_of(with("/added_tokens", json::array({added(300, "", true)}))),
              "m/tokenizer.json: added token 300 is empty");
    EXPECT_EQ(refusal_of(with("/added_tokens", json::array({added(300, "a", true)}))),
              "m/tokenizer.json: the token \"a\" has the id 300 in added_tokens and 97 in the vocabulary");
    EXPECT_EQ(refusal_of(with("/added_tokens", json::array({added(1 << 30, "<x>", true)}))),
              "m/tokenizer.json: token \"<x>\" has the id 1073741824, which is not between 0 and 1048575");
    const json template_of_x = {{"type", "TemplateProcessing"}, {"single", {{{"SpecialToken", {{"id", "<x>"}}}}}}};
    EXPECT_EQ(refusal_of(with("/post_processor", template_of_x)),
              "m/tokenizer.json: the post-processor names a token \"<x>\" that there is not");
}

TEST(TokenizerFile, DeepNestingIsRefused) {
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += "{\"type\":\"Sequence\",\"normalizers\":[";
    EXPECT_EQ(refusal("{\"normalizer\":" + deep), "m/tokenizer.json: nests more than 64 levels of JSON");
    EXPECT_EQ(refusal(std::string(100000, '[')), "m/tokenizer.json: nests more than 64 levels of JSON");
    json sequence = {{"type", "NFC"}};
    for (int i = 0; i < 20; ++i) sequence = {{"type", "Sequence"}, {"normalizers", {sequence}}};
    EXPECT_EQ(refusal_of(with("/normalizer", sequence)),
              "m/tokenizer.json: the normalizer \"Sequence\" is not supported (supported: none, NFC, Prepend, Replace, "
              "and a Sequence of these)");
}

json splitting(const std::string& regex) {
    return with("/pre_tokenizer", {{"type", "Split"}, {"pattern", {{"Regex", regex}}}, {"behavior", "Isolated"}});
}

TEST(TokenizerFile, PatternsThatExplodeGiveUp) {
    Tokenizer bomb = made(splitting("(a+)+$"));
    EXPECT_EQ(error_of([&] { bomb.encode(std::string(40, 'a') + "b", false); }),
              "tokenizer.json: the pattern \"(a+)+$\" gives up on a text of 41 bytes: match limit exceeded");
    Tokenizer deep = made(splitting("(?:(a)|b|(?R))*c"));
    EXPECT_NE(error_of([&] { deep.encode(std::string(1 << 20, 'a'), false); }), "no error");
    EXPECT_EQ(refusal_of(splitting(std::string(300, '(') + std::string(300, ')'))).substr(0, 30),
              "m/tokenizer.json: the pattern ");
    EXPECT_EQ(refusal_of(splitting("\\C")),
              "m/tokenizer.json: the pattern \"\\C\" is not understood at character 2: using \\C is disabled by the "
              "application");
    EXPECT_EQ(made(splitting("a\\Kb|x*")).encode("abab", false).size(), 4u);
}

TEST(TokenizerFile, NormalizersThatExplodeGiveUp) {
    json steps = json::array();
    for (int i = 0; i < 40; ++i) steps.push_back(replace("a", "aa"));
    Tokenizer bomb = made(with("/normalizer", {{"type", "Sequence"}, {"normalizers", steps}}));
    EXPECT_EQ(error_of([&] { bomb.encode("aaaa", false); }),
              "tokenizer.json: the normalizer makes 512 bytes of a text of 4");
}

TEST(TokenizerFile, PrefixIsWhatThePostProcessorPutsFirst) {
    json root = byte_tokenizer({});
    root["added_tokens"] = {added(300, "<s>", true)};
    const json begin = {{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}};
    const json text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
    const json llama = {{"type", "TemplateProcessing"}, {"single", {begin, text, begin}}};
    root["post_processor"] = {{"type", "Sequence"}, {"processors", {{{"type", "ByteLevel"}}, llama}}};
    EXPECT_EQ(made(root).prefix(), (Ids{300}));
    EXPECT_EQ(made(byte_tokenizer({})).prefix(), Ids());
}

}  // namespace
}  // namespace hone::lm
