#include <gtest/gtest.h>
#include <algorithm>
#include "base/paths.hpp"
#include "commands/command.hpp"
#include "parts/library.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

const fs::path folder = fs::path(HONE_TEST_SOURCE_DIR) / "tests/lint";

struct Linted {
    int code;
    Json doc;
};

Linted run_lint(std::vector<std::string> words) {
    words.insert(words.begin(), {"lint", "--json", "--quiet"});
    testing::internal::CaptureStdout();
    const int code = run_program(words);
    return {code, Json::parse(testing::internal::GetCapturedStdout(), nullptr, false)};
}

bool have_torch() {
    const std::vector<PartFile> files = list_parts(plugin_folders());
    return std::any_of(files.begin(), files.end(),
                       [](const PartFile& f) { return f.interface_name == "reference" && f.id == "torch"; });
}

// Task files whose definitions can run in this build.
std::vector<fs::path> files_of(const fs::path& of) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(of))
        if (have_torch() || read_file(entry.path()).find("torch.") == std::string::npos) files.push_back(entry.path());
    return files;
}

// "-- refused: zeros. Why it is degenerate."
std::string expected_word(const fs::path& file) {
    const std::string text = read_file(file), head = "-- refused: ";
    return text.starts_with(head) ? text.substr(head.size(), text.find('.') - head.size()) : "";
}

TEST(Lint, PlantedDegenerateTasksAreRefusedForTheirReason) {
    const std::vector<fs::path> files = files_of(folder / "degenerate");
    ASSERT_GE(files.size(), have_torch() ? 20u : 5u);
    for (const fs::path& file : files) {
        const Linted linted = run_lint({file.string()});
        EXPECT_EQ(linted.code, 1) << file;
        const Json& row = linted.doc.at("tasks").at(0);
        EXPECT_EQ(row.at("accepted"), false) << file;
        const std::string reason = row.at("reasons").at(0);
        EXPECT_EQ(reason.substr(0, reason.find(':')), expected_word(file)) << file << ": " << reason;
    }
}

TEST(Lint, SoundTasksAreAccepted) {
    std::vector<std::string> words;
    for (const fs::path& file : files_of(folder / "sound")) words.push_back(file.string());
    ASSERT_FALSE(words.empty());
    const Linted linted = run_lint(words);
    EXPECT_EQ(linted.code, 0) << linted.doc.dump(2);
    EXPECT_EQ(linted.doc.at("schema"), "hone.lint/1");
    EXPECT_EQ(linted.doc.at("tasks").size(), words.size());
}

TEST(Lint, ACollapseIsNotedAndNotRefused) {
    if (!have_torch()) GTEST_SKIP() << "the task needs reference.torch";
    const Json row = run_lint({(folder / "sound/row_of_columns.lua").string()}).doc.at("tasks").at(0);
    const std::string notes = row.at("notes").dump();
    EXPECT_NE(notes.find("collapse: the output is linear in input \\\"a\\\""), std::string::npos) << notes;
    const Json honest = run_lint({(folder / "sound/symmetric_product.lua").string()}).doc.at("tasks").at(0);
    EXPECT_EQ(honest.at("notes").dump().find("collapse"), std::string::npos) << honest;
}

// What is linear in a bias or in a scale still needs the product.
TEST(Lint, ABiasOrAScaleIsNoCollapse) {
    if (!have_torch()) GTEST_SKIP() << "the tasks need reference.torch";
    for (const char* file : {"sound/product_and_bias.lua", "sound/product_scaled.lua"}) {
        const Json row = run_lint({(folder / file).string()}).doc.at("tasks").at(0);
        EXPECT_EQ(row.at("notes").dump().find("collapse"), std::string::npos) << row;
    }
    const Json cheap = run_lint({(folder / "sound/row_of_columns_and_bias.lua").string()}).doc.at("tasks").at(0);
    EXPECT_NE(cheap.at("notes").dump().find("collapse: the output is linear in input \\\"a\\\""), std::string::npos)
        << cheap;
}

TEST(Lint, AnOperatorWithoutEffectIsNotedAndNotRefused) {
    if (!have_torch()) GTEST_SKIP() << "the task needs reference.torch";
    const Json row = run_lint({(folder / "sound/clamp_after_tanh.lua").string()}).doc.at("tasks").at(0);
    std::vector<std::string> dead;
    for (const std::string note : row.at("notes"))
        if (note.starts_with("dead:")) dead.push_back(note);
    EXPECT_EQ(dead, std::vector<std::string>{"dead: the reference's operator 3, clamp, may be left out"}) << row;
}

// Nobody refuses a task for it, and nobody misses the line before somebody else shows theirs.
TEST(Lint, AMissingRooflineIsNoted) {
    const fs::path file = testing::TempDir() + "hone-no-roofline.lua";
    std::string text = read_file(folder / "degenerate/one_shape_alone.lua");
    const std::string ranges = "  ranges = { N = { 4096, 4096 } },\n";
    text.erase(text.find(ranges), ranges.size());
    const auto noted = [&](const std::string& with, const std::string& note) {
        write_file(file, std::string(text).insert(text.find("  terms"), with));
        const Json row = run_lint({file.string()}).doc.at("tasks").at(0);
        EXPECT_EQ(row.at("accepted"), true) << row;
        return row.at("notes").dump().find(note) != std::string::npos;
    };
    const std::string absent = "\"roofline: the task states neither flops nor bytes, so no judgement",
                      impossible = "\"impossible: the task states 1e+22 flops";
    EXPECT_TRUE(noted("", absent));
    EXPECT_TRUE(noted("", "write flops, or bytes = \\\"8*N\\\" if a program needs all of its inputs\""));
    EXPECT_FALSE(noted("  bytes = \"8*N\",\n", absent));
    EXPECT_FALSE(noted("  flops = \"N\",\n", impossible));
    EXPECT_TRUE(noted("  flops = \"1e22\",\n", impossible));
    EXPECT_FALSE(noted("  bytes = \"8*N\",\n", "\"bytes: "));
    EXPECT_TRUE(
        noted("  bytes = \"80*N\",\n",
              "\"bytes: the task states 3.3e+05 bytes, and its inputs and outputs hold 3.3e+04 bytes: the least "
              "that a program moves is no more than that, and who moves less is refused as too fast; mend "
              "bytes\""));
    EXPECT_TRUE(
        noted("  bytes = \"N\",\n",
              "\"bytes: the task states 4.1e+03 bytes, and its inputs and outputs hold 3.3e+04 bytes: mend bytes, "
              "unless a program need not read all of them\""));
}

// Which size a sum runs over is not for a linter to guess.
TEST(Lint, MissingTermsAreNotedWithAllSizes) {
    const fs::path file = testing::TempDir() + "hone-no-terms.lua";
    std::string text = read_file(folder / "degenerate/one_shape_alone.lua");
    text.erase(text.find("  ranges"), text.find("  reference") - text.find("  ranges"));
    write_file(file, text);
    const std::string notes = run_lint({file.string()}).doc.at("tasks").at(0).at("notes").dump();
    EXPECT_NE(
        notes.find(
            "write terms = 1 where there is no sum, else what the sum runs over: a number, a size (N) or "
            "a list of factors; until then no inputs far from zero are asked for, where a variance as E[x^2] - m^2 is "
            "wrong\""),
        std::string::npos)
        << notes;
}

TEST(Lint, ADefinitionWithoutEndIsToldAndTheOtherTasksAreLooked) {
    const fs::path file = testing::TempDir() + "hone-endless.lua";
    std::string text = read_file(folder / "degenerate/one_shape_alone.lua");
    const std::size_t at = text.find("  reference = function(");
    ASSERT_NE(at, std::string::npos);
    text.insert(text.find(')', at) + 1, " while true do pcall(function() while true do end end) end");
    write_file(file, text);
    const Linted linted = run_lint({file.string(), (folder / "degenerate/one_shape_alone.lua").string()});
    EXPECT_EQ(linted.code, 1);
    const std::string reason = linted.doc.at("tasks").at(0).at("reasons").at(0);
    EXPECT_TRUE(reason.ends_with("one_shape_alone:11: has run 500 million instructions: does a loop never end?"))
        << reason;
    EXPECT_EQ(linted.doc.at("tasks").size(), 2u);
}

TEST(Lint, ADefinitionThatTakesMemoryWithoutEndIsTold) {
    const fs::path file = testing::TempDir() + "hone-hoarding.lua";
    std::string text = read_file(folder / "degenerate/one_shape_alone.lua");
    text.insert(text.find(')', text.find("  reference = function(")) + 1,
                " local t = {} while true do t[#t + 1] = (\"x\"):rep(1000000) end");
    write_file(file, text);
    for (const char* reference : {"lua", "torch"}) {
        if (std::string(reference) == "torch" && !have_torch()) continue;
        const std::string reason =
            run_lint({file.string(), "--reference", reference}).doc.at("tasks").at(0).at("reasons").at(0);
        EXPECT_TRUE(
            reason.ends_with("one_shape_alone:11: needs more than 1 GiB of memory for its Lua: does a loop never end?"))
            << reason;
    }
}

// The linter tries programs on inputs of zeros, for which such a definition has no answer.
TEST(Lint, ADefinitionThatDividesIsNoFaultOfTheTask) {
    const fs::path file = testing::TempDir() + "hone-divides.lua";
    write_file(file, R"lua(
return { name = "quotient", statement = "o = a // b", spec = "quotient {N}", verifier = "fake", bytes = "12*N",
  inputs = { { name = "a", shape = { "N" }, dtype = "i32", law = "index(1000,-500)" },
             { name = "b", shape = { "N" }, dtype = "i32", law = "index(50,1)", strict = true } },
  outputs = { { name = "o", shape = { "N" }, dtype = "i32" } }, shapes = { { N = 4096 } }, hidden = { { N = 96 } },
  reference = function(a, b)
    return array.map(function(x, y) if y == 0 then error("division by zero") end return x // y end, a, b)
  end }
)lua");
    const Json task = run_lint({file.string(), "--reference", "lua"}).doc.at("tasks").at(0);
    for (const auto& reason : task.at("reasons"))
        EXPECT_FALSE(reason.get<std::string>().starts_with("reference:")) << reason;
}

TEST(Lint, TheSameTaskIsAlwaysJudgedAlike) {
    const std::string file = (folder / "degenerate/product_vanishes.lua").string();
    EXPECT_EQ(run_lint({file}).doc, run_lint({file}).doc);
}

TEST(Lint, AMissingSuiteIsTheScriptsFault) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(run_lint({"no-such-suite"}).code, 3);
    EXPECT_EQ(run_lint({}).code, 2);
    testing::internal::GetCapturedStderr();
}

}  // namespace
}  // namespace hone
