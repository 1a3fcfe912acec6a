// Texts of several writers: whose a token is, and who may write special ones.
#include <gtest/gtest.h>
#include <random>
#include "small_tokenizer.hpp"

namespace hone::lm {
namespace {

using nlohmann::json;
using Sources = std::vector<std::int32_t>;

struct Encoded {
    Ids ids;
    Sources source;
};

Encoded encoded(Tokenizer& tokenizer, const std::vector<Piece>& pieces) {
    Encoded result;
    result.ids = tokenizer.encode(pieces, result.source);
    return result;
}

json with_chat_tokens() {
    json root = byte_tokenizer({{"a", "b"}});
    root["added_tokens"] = {added(300, "<|im_start|>", true), added(301, "<|im_end|>", true),
                            added(302, "<tool>", false)};
    return root;
}

TEST(Pieces, MergesCrossThem) {
    Tokenizer tokenizer = made(with_chat_tokens());
    const Encoded across = encoded(tokenizer, {{"xa", 0, false}, {"b", 1, false}, {"", 2, false}, {"y", 3, true}});
    EXPECT_EQ(across.ids, (Ids{'x', 256, 'y'}));
    EXPECT_EQ(across.source, (Sources{0, 1, 3})) << "a token is of the piece that its last byte comes from";
    EXPECT_EQ(encoded(tokenizer, {}).ids, Ids());
    EXPECT_EQ(encoded(tokenizer, {{"", 0, true}}).ids, Ids());
}

TEST(Pieces, SpecialTokensOnlyWhereAllowed) {
    Tokenizer tokenizer = made(with_chat_tokens());
    const Encoded chat =
        encoded(tokenizer, {{"<|im_start|>", -1, true}, {"<|im_end|>", 0, false}, {"<|im_end|>", -1, true}});
    EXPECT_EQ(chat.ids.front(), 300);
    EXPECT_EQ(chat.ids.back(), 301);
    EXPECT_EQ(std::count(chat.ids.begin(), chat.ids.end(), 301), 1);
    EXPECT_EQ(chat.ids.size(), 1 + 10 + 1u);
    EXPECT_EQ(chat.source.front(), -1);
    EXPECT_EQ(chat.source[5], 0);
    EXPECT_EQ(chat.source.back(), -1);
}

TEST(Pieces, SpecialTokensAreNotPutTogetherFromTwoWriters) {
    Tokenizer tokenizer = made(with_chat_tokens());
    for (std::size_t cut = 1; cut < 10; ++cut) {
        const std::string token = "<|im_end|>";
        const std::string left = token.substr(0, cut), right = token.substr(cut);
        for (const bool allowed_left : {false, true}) {
            const Encoded mixed = encoded(tokenizer, {{left, 0, allowed_left}, {right, 1, !allowed_left}});
            EXPECT_EQ(std::count(mixed.ids.begin(), mixed.ids.end(), 301), 0) << cut;
        }
        EXPECT_EQ(encoded(tokenizer, {{left, 0, true}, {right, 1, true}}).ids, (Ids{301})) << cut;
    }
}

TEST(Pieces, UserTextDoesNotHideTheTemplatesTokens) {
    json root = with_chat_tokens();
    root["added_tokens"].push_back(added(303, "<|im_start|><|im_end|>", true));
    root["added_tokens"].push_back(added(304, "!<|im_end|>", true));
    Tokenizer tokenizer = made(root);
    EXPECT_EQ(encoded(tokenizer, {{"!", 0, false}, {"<|im_end|>", -1, true}}).ids, (Ids{'!', 301}));
    EXPECT_EQ(encoded(tokenizer, {{"<|im_start|>", 0, false}, {"<|im_end|>", -1, true}}).ids.back(), 301);
    EXPECT_EQ(encoded(tokenizer, {{"!<|im_end|>", -1, true}}).ids, (Ids{304}));
}

TEST(Pieces, OtherAddedTokensAreText) {
    Tokenizer tokenizer = made(with_chat_tokens());
    const Encoded tool = encoded(tokenizer, {{"<to", 0, false}, {"ol>", 1, false}});
    EXPECT_EQ(tool.ids, (Ids{302}));
    EXPECT_EQ(tool.source, (Sources{1}));
}

// Without merges and normalizer every byte is a token, so that its source is known.
TEST(Pieces, EveryByteKeepsItsSource) {
    std::mt19937 random(3);
    Tokenizer tokenizer = made(byte_tokenizer({}));
    for (int round = 0; round < 200; ++round) {
        std::vector<std::string> texts(1 + random() % 6);
        std::vector<Piece> pieces;
        Sources expected;
        for (std::string& text : texts) {
            for (std::size_t n = random() % 9; n > 0; --n) text += static_cast<char>(random());
            const auto source = static_cast<std::int32_t>(random() % 4);
            pieces.push_back({text, source, random() % 2 == 0});
            expected.insert(expected.end(), text.size(), source);
        }
        EXPECT_EQ(encoded(tokenizer, pieces).source, expected);
    }
}

TEST(Pieces, AnAccentJoinsItsLetterForItsWriter) {
    json root = byte_tokenizer({});
    root["normalizer"] = {{"type", "NFC"}};
    Tokenizer tokenizer = made(root);
    const Encoded joined = encoded(tokenizer, {{"xe", 0, false}, {"\u0301y", 1, false}, {"z", 2, false}});
    EXPECT_EQ(joined.ids, (Ids{'x', 0xc3, 0xa9, 'y', 'z'}));
    EXPECT_EQ(joined.source, (Sources{0, 1, 1, 1, 2}));
}

TEST(Pieces, APrependedSpaceIsOfTheFirstWriter) {
    Tokenizer tokenizer = made(llama2_tokenizer({"▁", "a", "b"}, {}));
    const Encoded spaced = encoded(tokenizer, {{"a ", 7, false}, {"b", 8, false}});
    EXPECT_EQ(spaced.ids, (Ids{259, 260, 259, 261}));
    EXPECT_EQ(spaced.source, (Sources{7, 7, 7, 8}));
    json prefixed = byte_tokenizer({});
    prefixed["pre_tokenizer"]["add_prefix_space"] = true;
    Tokenizer bytes = made(prefixed);
    EXPECT_EQ(encoded(bytes, {{"a", 7, false}, {"b", 8, false}}).source, (Sources{7, 7, 8}));
}

}  // namespace
}  // namespace hone::lm
