// The tokenizer.json that is made of a GGUF file's vocabulary, by what the Tokenizer makes of it.
#include <gtest/gtest.h>
#include "error_of.hpp"
#include "format/small_gguf.hpp"
#include "torch_lm/format/gguf/model.hpp"
#include "torch_lm/format/gguf/tokenizer.hpp"
#include "torch_lm/format/gguf/tokens.hpp"

namespace hone::lm::gguf {
namespace {

using test::GgufWriter, test::small_gguf;

nlohmann::json synthesised(const GgufWriter& writer) {
    return nlohmann::json::parse(read_model(writer.bytes(), "f", nullptr).tokenizer_json);
}

std::string refused_vocabulary(const GgufWriter& writer) {
    return error_of([&] { synthesised(writer); });
}

Tokenizer tokenizer_of(const GgufWriter& writer) { return Tokenizer(synthesised(writer).dump(), "tokenizer.json"); }

TEST(GgufTokenizer, ByteLevel) {
    Tokenizer tokenizer = tokenizer_of(small_gguf("llama"));
    EXPECT_EQ(tokenizer.encode("hello", false), (Ids{256, 258}));
    EXPECT_EQ(tokenizer.encode("h<|im_end|>", true), (Ids{'h', 259}));
    EXPECT_EQ(tokenizer.encode("<|im_end|>", false).size(), 10u) << "a control token is special";
    EXPECT_EQ(tokenizer.encode("<tool>", false), Ids{260}) << "one of the user's is not";
    EXPECT_EQ(tokenizer.size(), 261u) << "the last place of the list is not used";
    EXPECT_TRUE(tokenizer.prefix().empty());
}

TEST(GgufTokenizer, PreTokenizersAreByName) {
    const auto digits = [](const std::string& pre) {
        GgufWriter writer = small_gguf("llama");
        test::put_byte_level(writer, pre);
        writer.texts("tokenizer.ggml.merges", {"h e", "1 2"});
        return refused_vocabulary(writer);
    };
    for (const char* name :
         {"gpt-2", "smollm", "llama-bpe", "llama3", "llama-v3", "qwen2", "deepseek-r1-qwen", "tekken"}) {
        GgufWriter writer = small_gguf("llama");
        test::put_byte_level(writer, name);
        EXPECT_EQ(tokenizer_of(writer).encode("he", false), Ids{256}) << name;
    }
    const std::string unknown =
        "which is not supported (supported: gpt-2, smollm, llama-bpe, qwen2, deepseek-r1-qwen, tekken)";
    EXPECT_EQ(digits("bloom"), "f: the pre-tokenizer (metadata \"tokenizer.ggml.pre\") is \"bloom\", " + unknown);
    EXPECT_EQ(digits(""), "f: the pre-tokenizer (metadata \"tokenizer.ggml.pre\") is \"\", " + unknown);
}

TEST(GgufTokenizer, NormalizesAndBeginsAsItsFamily) {
    GgufWriter qwen = small_gguf("qwen2"), llama = small_gguf("llama");
    test::put_byte_level(qwen, "qwen2");
    EXPECT_EQ(synthesised(qwen)["normalizer"]["type"], "NFC");
    test::put_byte_level(llama, "llama-bpe");
    llama.whole("tokenizer.ggml.bos_token_id", 259);
    EXPECT_EQ(tokenizer_of(llama).prefix(), Ids{259}) << "Llama 3's, where the file does not say";
    EXPECT_TRUE(synthesised(llama)["model"]["ignore_merges"].get<bool>());
    llama.flag("tokenizer.ggml.add_bos_token", false);
    EXPECT_TRUE(tokenizer_of(llama).prefix().empty());
}

// <unk> 0, <s> 1, </s> 2, the bytes from 3, then characters and the tokens that they make, each with its score.
GgufWriter sentence_piece() {
    GgufWriter writer = small_gguf("llama");
    std::vector<std::string> tokens = {"<unk>", "<s>", "</s>"};
    std::vector<std::int32_t> types = {2, 3, 3};
    for (int byte = 0; byte < 256; ++byte) {
        char name[8];
        std::snprintf(name, sizeof name, "<0x%02X>", byte);
        tokens.push_back(name);
        types.push_back(6);
    }
    std::vector<float> scores(259, 0);
    const std::pair<const char*, float> more[] = {{"\u2581", -9}, {"a", -9},       {"b", -9},  {"ab", -1},
                                                  {"ba", -2},     {"\u2581a", -3}, {"bab", -4}};
    for (const auto& [token, score] : more) {
        tokens.push_back(token);
        types.push_back(1);
        scores.push_back(score);
    }
    writer.keys.erase("tokenizer.ggml.pre");
    writer.keys.erase("tokenizer.ggml.merges");
    writer.keys.erase("tokenizer.ggml.eos_token_id");
    writer.text("tokenizer.ggml.model", "llama");
    writer.texts("tokenizer.ggml.tokens", tokens);
    writer.wholes("tokenizer.ggml.token_type", types);
    writer.numbers("tokenizer.ggml.scores", scores);
    writer.tensors[0] = {"token_embd.weight", {8, 266}, test::f32_type, std::string(8 * 266 * 4, '\0')};
    return writer;
}

TEST(GgufTokenizer, SentencePiece) {
    const GgufWriter writer = sentence_piece();
    Tokenizer tokenizer = tokenizer_of(writer);
    constexpr int space = 259, a = 260, b = 261, ab = 262, ba = 263, space_a = 264;
    EXPECT_EQ(tokenizer.encode("abab", false), (Ids{space, ab, ab})) << "the best score first";
    EXPECT_EQ(tokenizer.encode("a", false), Ids{space_a});
    EXPECT_EQ(tokenizer.encode("baa", false), (Ids{space, ba, a}));
    EXPECT_EQ(tokenizer.encode("b\n", false), (Ids{space, b, 3 + 10})) << "bytes where there is no token";
    EXPECT_EQ(tokenizer.prefix(), Ids{1});
    const Ids ids = {space_a, b, space, a};
    EXPECT_EQ(tokenizer.decode(ids.data(), ids.size()), "ab a");
    const std::string bytes = writer.bytes();
    const Config config = read_model(bytes, "f", nullptr).config;
    EXPECT_EQ(config.bos, 1) << "llama.cpp's preset";
    EXPECT_EQ(config.eos, std::vector<std::int64_t>{2});
}

TEST(GgufTokenizer, SentencePieceWithoutTheSpaceBefore) {
    GgufWriter writer = sentence_piece();
    writer.flag("tokenizer.ggml.add_space_prefix", false);
    EXPECT_EQ(tokenizer_of(writer).encode("a a", false), (Ids{260, 264}));
}

// Ways to put tokens together: of the best score; then of the longest left, the longest right.
TEST(GgufTokenizer, MergesFollowTheScores) {
    std::vector<Token> tokens;
    for (const auto& [text, score] : {std::pair{"a", 0.0},
                                      {"b", 0.0},
                                      {"ab", -2.0},
                                      {"aba", -1.0},
                                      {"ba", -2.0},
                                      {"\u00e9", 0.0},
                                      {"a\u00e9", -5.0}})
        tokens.push_back({text, TokenType::normal, score});
    using Merges = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(merges_of_scores(tokens, "f"),
              (Merges{{"ab", "a"}, {"a", "ba"}, {"a", "b"}, {"b", "a"}, {"a", "\u00e9"}}));
    tokens[2].text = std::string(1025, 'x');
    EXPECT_EQ(error_of([&] { merges_of_scores(tokens, "f"); }), "f: token 2 has 1025 bytes; at most 1024 are taken");
}

TEST(GgufTokenizer, ImpossibleVocabulariesAreRefused) {
    const auto with = [](auto change) {
        GgufWriter writer = sentence_piece();
        change(writer);
        return refused_vocabulary(writer);
    };
    EXPECT_EQ(with([](auto& w) { w.text("tokenizer.ggml.model", "bert"); }),
              "f: the tokenizer (metadata \"tokenizer.ggml.model\") is \"bert\", which is not supported (supported: "
              "gpt2, llama)");
    EXPECT_EQ(with([](auto& w) { w.keys.erase("tokenizer.ggml.tokens"); }),
              "f: has no metadata \"tokenizer.ggml.tokens\"");
    EXPECT_EQ(with([](auto& w) {
                  w.numbers("tokenizer.ggml.scores", {1, 2});
              }),
              "f: metadata \"tokenizer.ggml.scores\" has 2 entries for 266 tokens");
    EXPECT_EQ(with([](auto& w) { w.numbers("tokenizer.ggml.scores", std::vector<float>(266, NAN)); }),
              "f: the score of token 0 is no number");
    EXPECT_EQ(with([](auto& w) { w.wholes("tokenizer.ggml.token_type", std::vector<std::int32_t>(266, 7)); }),
              "f: token 0 has the unknown type 7");
    EXPECT_EQ(with([](auto& w) { w.texts("tokenizer.ggml.tokens", std::vector<std::string>(266, "x")); }),
              "f: the tokens 0 and 1 are both \"x\"");
    EXPECT_EQ(with([](auto& w) { w.texts("tokenizer.ggml.tokens", std::vector<std::string>(266, "\xff")); }),
              "f: metadata \"tokenizer.ggml.tokens\": text 0 is not UTF-8");
    EXPECT_EQ(with([](auto& w) { w.whole("tokenizer.ggml.unknown_token_id", 266); }),
              "f: metadata \"tokenizer.ggml.unknown_token_id\" is 266, not from 0 to 265");
    EXPECT_EQ(with([](auto& w) {
                  w.text("tokenizer.ggml.model", "gpt2");
                  w.text("tokenizer.ggml.pre", "qwen2");
              }),
              "f: has no metadata \"tokenizer.ggml.merges\"");
}

}  // namespace
}  // namespace hone::lm::gguf
