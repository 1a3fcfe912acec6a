// Messages without a template: ready-rendered pieces, and models that have none.
#include "torch_lm/text/render.hpp"
#include <gtest/gtest.h>
#include <algorithm>
#include "hone/plugin.hpp"
#include "small_tokenizer.hpp"

namespace hone::lm {
namespace {

hone_message message(std::string_view role, std::string_view text) { return {borrow(role), borrow(text)}; }

TEST(Render, PiecesAndAnswers) {
    Tokenizer tokenizer = Tokenizer::train({}, 276);
    const std::int32_t end = tokenizer.id("<|end|>");
    const std::vector<hone_message> list = {message("", "<|task|>s<|code|>"), message("assistant", "<|end|>")};
    const Rendered closed = render(tokenizer, nullptr, list, false, end);
    ASSERT_EQ(closed.ids.size(), 3 + 7 + 1u);
    EXPECT_EQ(closed.ids[0], tokenizer.id("<|task|>"));
    EXPECT_NE(closed.ids[3], end);
    EXPECT_EQ(closed.ids.back(), end);
    EXPECT_EQ(closed.source.front(), 0);
    EXPECT_EQ(closed.source.back(), 1) << "the end belongs to the answer, so that it is learnt";
    const std::span<const hone_message> all = list;
    EXPECT_EQ(render(tokenizer, nullptr, all.first(1), true, end).ids, Ids(closed.ids.begin(), closed.ids.begin() + 3));
    EXPECT_EQ(render(tokenizer, nullptr, all, true, end).ids, Ids(closed.ids.begin(), closed.ids.end() - 1))
        << "an answer that goes on has no end";
}

TEST(Render, PlainPiecesHoldNoSpecialToken) {
    Tokenizer tokenizer = Tokenizer::train({}, 276);
    const std::string exemplar = "// <|end|><|code|>";
    const std::vector<hone_message> list = {message("", "<|task|>"), message("plain", exemplar),
                                            message("", "<|code|>")};
    const Rendered open = render(tokenizer, nullptr, list, true, tokenizer.id("<|end|>"));
    EXPECT_EQ(open.ids.size(), 1 + exemplar.size() + 1);
    EXPECT_EQ(std::count(open.ids.begin(), open.ids.end(), tokenizer.id("<|end|>")), 0);
    EXPECT_EQ(std::count(open.ids.begin(), open.ids.end(), tokenizer.id("<|code|>")), 1) << "the prompt's own";
    EXPECT_EQ(open.source[1], 1);
}

TEST(Render, PiecesStandBareBesideATemplate) {
    nlohmann::json root = byte_tokenizer({});
    root["added_tokens"] = {added(300, "<|im_start|>", true), added(301, "<|im_end|>", true)};
    Tokenizer tokenizer = made(root);
    const ChosenTemplate chosen = choose_template("chatml", {}, tokenizer);
    const std::vector<hone_message> list = {message("plain", "ab"), message("assistant", "c")};
    EXPECT_EQ(render(tokenizer, &*chosen.chat, list, false, 301).ids, (Ids{'a', 'b', 'c', 301}));
    const std::vector<hone_message> turn = {message("user", "a")};
    const Rendered wrapped = render(tokenizer, &*chosen.chat, turn, true, 301);
    EXPECT_EQ(tokenizer.decode_bytes(wrapped.ids.data(), wrapped.ids.size(), true),
              "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n");
}

TEST(Render, AModelWithoutATemplateGetsItsBeginToken) {
    nlohmann::json root = llama2_tokenizer({"▁", "a"}, {});
    root["post_processor"] = {
        {"type", "TemplateProcessing"},
        {"single",
         {{{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}}, {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
        {"pair", nlohmann::json::array()},
        {"special_tokens", {{"<s>", {{"id", "<s>"}, {"ids", {1}}, {"tokens", {"<s>"}}}}}}};
    Tokenizer tokenizer = made(root);
    const std::vector<hone_message> turn = {message("user", "a")}, piece = {message("", "a")},
                                    text = {message("plain", "a")};
    EXPECT_EQ(render(tokenizer, nullptr, turn, true, -1).ids.front(), 1);
    EXPECT_EQ(render(tokenizer, nullptr, turn, true, -1).source.front(), -1);
    EXPECT_EQ(render(tokenizer, nullptr, text, true, -1).ids, render(tokenizer, nullptr, turn, true, -1).ids);
    EXPECT_NE(render(tokenizer, nullptr, piece, true, -1).ids.front(), 1) << "a piece is written as it shall stand";
}

}  // namespace
}  // namespace hone::lm
