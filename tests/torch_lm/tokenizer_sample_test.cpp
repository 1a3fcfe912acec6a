// What the tokenizers library makes of a few hundred texts, in every family (written by tests/full/tokenizer_sample.py;
// tests/full/tokenizer_exact.py compares a hundred thousand).
#include <gtest/gtest.h>
#include <fstream>
#include "small_tokenizer.hpp"
#include "test_folders.hpp"

namespace hone::lm {
namespace {

using nlohmann::json;

std::uint32_t digest(const Ids& ids) {  // FNV-1a
    std::uint32_t value = 0x811c9dc5;
    for (const std::int32_t id : ids) value = (value ^ static_cast<std::uint32_t>(id)) * 0x01000193;
    return value;
}

json sample_file() {
    std::ifstream file(HONE_TEST_SOURCE_DIR "/tests/torch_lm/tokenizer_sample.json");
    return json::parse(file);
}

void expect_ids(Tokenizer& tokenizer, const std::vector<std::string>& texts, const json& digests, bool specials) {
    ASSERT_EQ(texts.size(), digests.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const Ids ids = tokenizer.encode(texts[i], specials);
        EXPECT_EQ(digest(ids), digests[i].get<std::uint32_t>()) << texts[i] << ": " << json(ids).dump();
    }
}

TEST(TokenizerSample, AllFamiliesAgreeWithTheLibrary) {
    const json all = sample_file();
    const auto texts = all["texts"].get<std::vector<std::string>>();
    ASSERT_GE(texts.size(), 200u);
    ASSERT_EQ(all["families"].size(), 10u);
    for (const auto& [family, content] : all["families"].items()) {
        SCOPED_TRACE(family);
        Tokenizer tokenizer = made(content["tokenizer"]);
        expect_ids(tokenizer, texts, content["ids"], true);
        expect_ids(tokenizer, texts, content["ids of plain text"], false);
        for (const json& row : content["decoded"])
            EXPECT_EQ(decoded(tokenizer, row[0].get<Ids>()), row[1].get<std::string>()) << row[0].dump();
        EXPECT_EQ(json(tokenizer.prefix()), content["prefix"]);
    }
}

}  // namespace
}  // namespace hone::lm
