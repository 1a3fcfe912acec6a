#include <gtest/gtest.h>
#include "domain/candidate.hpp"

namespace hone {
namespace {

const std::vector<std::string> cuda = {"cuda|cu", "lua"};

ParsedAnswer parse(const std::string& answer, const std::vector<std::string>& fences = {"cpp|c++"}) {
    return parse_answer("t", answer, fences, true);
}

TEST(ParseAnswer, SplitsAnalysisDesignAndCode) {
    const ParsedAnswer answer = parse(
        "## 1. Performance Analysis\nThe first is slow.\n\n**Algorithm design**\nVectorise.\n## Code\n```cpp\nint "
        "x;\n```\nDone.");
    ASSERT_TRUE(answer.ok) << answer.reason;
    EXPECT_EQ(answer.analysis, "The first is slow.");
    EXPECT_EQ(answer.design, "Vectorise.");
    EXPECT_EQ(answer.candidate.code, "int x;");
    EXPECT_EQ(answer.candidate.language, "cpp");
    EXPECT_EQ(answer.candidate.task, "t");
}

TEST(ParseAnswer, OtherLanguagesAreProseAndSpellingsAreForgiven) {
    EXPECT_EQ(parse("```python\nprint()\n```\n```C++ {.numberLines}\r\nint x;\r\n```\r\n").candidate.code, "int x;");
    EXPECT_EQ(parse("use ```inline``` code\n```cu\nk\n```", cuda).candidate.code, "k");
}

TEST(ParseAnswer, AByteOrderMarkIsNoPartOfTheProgram) {
    const std::string mark = "\xef\xbb\xbf", hash = parse("```cpp\nint x;\n```").candidate.hash;
    EXPECT_EQ(parse(mark + "```cpp\nint x;\n```").candidate.hash, hash);
    EXPECT_EQ(parse("```cpp\n" + mark + "int x;\n```").candidate.hash, hash);
    EXPECT_EQ(parse_answer("t", mark + "\n" + mark + "int x;\n", {"cpp"}, false).candidate.hash, hash);
    EXPECT_EQ(parse_answer("t", mark, {"cpp"}, false).reason, "the program is empty");
}

TEST(ParseAnswer, BlocksWithoutALanguageAreProse) {
    const std::string program = "```cpp\nint x;\n```\n", drawing = "```\nrow 0: a b\n```\n";
    for (const std::string& answer : {drawing + program, program + drawing, drawing + "and\n" + drawing + program}) {
        const ParsedAnswer parsed = parse_answer("t", answer, {"cpp"}, true);
        EXPECT_TRUE(parsed.ok) << parsed.reason << answer;
        EXPECT_EQ(parsed.candidate.code, "int x;") << answer;
    }
    EXPECT_EQ(parse_answer("t", program + "```\nrow", {"cpp"}, true).reason, "the ``` block is not closed");
}

TEST(ParseAnswer, BackticksWithinTheCodeStayThere) {
    const std::string commented = "// use ```x``` or\n// ```\n/* ``` */ int x;";
    EXPECT_EQ(parse("```cpp\n" + commented + "\n```").candidate.code, commented);
    const std::string block = "/*\n```\nexample\n```cpp\n*/\nint x;";
    EXPECT_EQ(parse("````cpp\n" + block + "\n````").candidate.code, block) << "a longer fence holds shorter ones";
    EXPECT_EQ(parse("```cpp\nint x;\n`````").candidate.code, "int x;") << "and is ended by one as long, or longer";
    EXPECT_EQ(parse("````cpp\nint x;\n```").reason, "the ```cpp block is not closed");
    EXPECT_TRUE(has_fence("I think\n  ```cu\nk\n", "cuda|cu"));
    EXPECT_FALSE(has_fence("I think\n```cpp\nk\n```", "cuda"));
    EXPECT_FALSE(has_fence("// ```cpp\nint x; // ```"));
}

TEST(ParseAnswer, TakesALaunchPlan) {
    const ParsedAnswer answer = parse("```cuda\nk\n```\n```lua\nreturn 1\n```", cuda);
    EXPECT_EQ(answer.candidate.plan, "return 1");
    EXPECT_NE(answer.candidate.hash, parse("```cuda\nk\n```", cuda).candidate.hash);
}

TEST(ParseAnswer, ReasonsForRefusal) {
    EXPECT_EQ(parse("").reason, "no ```cpp block");
    EXPECT_EQ(parse("```cpp\nint x;").reason, "the ```cpp block is not closed");
    EXPECT_EQ(parse("```cuda\nk\n```lua\n1\n```", cuda).reason, "the ```cuda block is not closed");
    EXPECT_EQ(parse("```cpp\n \n```").reason, "the program is empty");
    EXPECT_EQ(parse("```cpp\n" + std::string(max_candidate_bytes + 1, 'x') + "\n```").reason,
              "program longer than 64 KiB");
    EXPECT_EQ(parse(std::string(max_answer_bytes + 1, 'x')).reason, "answer longer than 1 MiB");
    EXPECT_EQ(parse(std::string("```cpp\na\0b\n```", 14)).reason, "answer holds a NUL byte");
    EXPECT_EQ(parse("\xc3(").reason, "answer is not UTF-8");
    EXPECT_EQ(parse("\xed\xa0\x80").reason, "answer is not UTF-8");  // a surrogate
}

TEST(ParseAnswer, OfSeveralProgramsTheLastCounts) {
    EXPECT_EQ(parse("A draft:\n```cpp\na\n```\nBetter:\n```c++\nb\n```\nIt runs so:\n```sh\n./b\n```").candidate.code,
              "b");
    EXPECT_EQ(parse("A draft:\n```cpp\na\n```\nBetter:\n```cpp\nb\n```").analysis, "A draft:");
    EXPECT_EQ(parse("```cpp\nint a;\n```cpp\nint b;\n```").candidate.code, "int b;") << "a draft that was not closed";
    EXPECT_EQ(parse("```cpp\na\n```\n```cpp\n\n```").reason, "the program is empty");
}

// A draft is not what an answer meant that was cut, and a program without its plan is another one.
TEST(ParseAnswer, AnAnswerThatEndsInABlockIsRefusedWhateverStandsBefore) {
    EXPECT_EQ(parse("```cpp\na\n```\n```cpp\nb").reason, "the ```cpp block is not closed");
    EXPECT_EQ(parse("```cuda\nk\n```\n```lua\nreturn {", cuda).reason, "the ```lua block is not closed");
}

TEST(ParseAnswer, APlanBelongsToTheProgramThatItFollows) {
    const auto parsed = [](const std::string& answer) {
        const Candidate candidate = parse(answer, cuda).candidate;
        return candidate.code + " with " + candidate.plan;
    };
    const std::string first = "```cuda\na\n```\n", second = "```cuda\nb\n```\n", plan = "```lua\n1\n```\n",
                      other = "```lua\n2\n```\n";
    EXPECT_EQ(parsed(first + plan + second + other), "b with 2");
    EXPECT_EQ(parsed(first + plan + other), "a with 2") << "of several the last";
    EXPECT_EQ(parsed(first + plan + second), "b with ") << "the draft's plan names the draft's kernels";
    EXPECT_EQ(parsed(plan + first), "a with 1");
    EXPECT_EQ(parsed(plan + first + other), "a with 2");
}

TEST(ParseAnswer, ThoughtsInFrontAreNoPartOfTheAnswer) {
    const std::string answer = "Vectorise.\n```cpp\nb\n```", hash = parse(answer).candidate.hash;
    const ParsedAnswer thought = parse("\n<think>\nFirst\n```cpp\na\n```\nno, ```cpp\n</think>\n\n" + answer);
    EXPECT_EQ(thought.candidate.hash, hash);
    EXPECT_EQ(thought.analysis, "Vectorise.");
    EXPECT_EQ(parse("<think></think>" + answer).candidate.hash, hash);
    EXPECT_EQ(parse("hm,\n```cpp\na\n```\nso.\n</think>\n" + answer).candidate.hash, hash)
        << "where the prompt opened the block";
    EXPECT_EQ(parse("hm,\n```cpp\na\n```\nso.\n</think>\n" + answer).analysis, "Vectorise.");
    for (const char* before :
         {"hm,\n```cpp\na\n```\nso.\n</think>", "hm</think> ", "<think>hm</think>", "<think>\n</think>"})
        EXPECT_EQ(parse(before + std::string("```cpp\nb\n```\n")).candidate.code, "b") << "one line: " << before;
    EXPECT_EQ(parse("<think>\n```cpp\na\n```\n").reason, "the <think> block has no end");
    EXPECT_EQ(parse("<think>\n```cpp\na\n```\n</think>\nDone.").reason, "no ```cpp block") << "a thought is no answer";
    EXPECT_EQ(parse("```cpp\n// </think>\n<think>\n```").candidate.code, "// </think>\n<think>")
        << "of a program it stays";
    EXPECT_EQ(parse_answer("t", "<think></think>x", {"cpp"}, false).candidate.code, "<think></think>x");
}

TEST(ParseAnswer, ThoughtsBehindAnAnswerTakeNothingFromIt) {
    const std::string answer = "Vectorise.\n```cpp\nb\n```\n", hash = parse(answer).candidate.hash;
    EXPECT_EQ(parse(answer + "<think> hm, or\n```cpp\na\n```\n</think>").candidate.hash, hash);
    EXPECT_EQ(parse("<think>x</think>" + answer + "<think>\n```cpp\na\n</think>\nDone.").candidate.hash, hash);
    EXPECT_EQ(parse(answer + "Note: I left out the `</think>` tag.").candidate.hash, hash);
    EXPECT_EQ(parse("<think>x</think>\n" + answer + "so ends\n</think>").candidate.hash, hash)
        << "thoughts began in the answer, so none began in the prompt";
    EXPECT_EQ(parse(answer + "<think> or").reason, "the <think> block has no end");
    EXPECT_EQ(parse("The tag <think> opens.\n" + answer).candidate.hash, hash)
        << "in the middle of a line it is a word";
}

TEST(ParseAnswer, UnfencedAnswersAreTheProgram) {
    const ParsedAnswer plain = parse_answer("t", "\n int x; \n", {"cpp"}, false);
    EXPECT_EQ(plain.candidate.code, "int x;");
    EXPECT_EQ(plain.candidate.hash, parse("```cpp\nint x;\n```").candidate.hash);
    EXPECT_EQ(parse_answer("t", "  ", {"cpp"}, false).reason, "the program is empty");
}

TEST(ParseAnswer, FencesThatNobodyAskedForAreNoPartOfTheProgram) {
    const auto code = [](const std::string& answer) {
        return parse_answer("t", answer, {"python|py"}, false).candidate.code;
    };
    EXPECT_EQ(code("```python\nx = 1\n```\n"), "x = 1");
    EXPECT_EQ(code("Here:\n```py\nx = 1\n```"), "x = 1");
    EXPECT_EQ(code("```python\nx = 1\n```\nSo it is."), "x = 1");
    const std::string example = "\"\"\"\n```python\nf()\n```\n\"\"\"\nx = 1";
    EXPECT_EQ(code(example), example) << "within a program";
}

TEST(ParseAnswer, AnUnfencedPlanFollowsTheLineThatNamesItsLanguage) {
    const ParsedAnswer answer = parse_answer("t", "k\n```lua\nreturn 1\n", cuda, false);
    EXPECT_EQ(answer.candidate.hash, parse("```cuda\nk\n```\n```lua\nreturn 1\n```", cuda).candidate.hash);
    EXPECT_EQ(parse_answer("t", "k\n```lua\n1", {"cuda"}, false).candidate.code, "k\n```lua\n1");
    EXPECT_EQ(parse_answer("t", "```lua\n1", cuda, false).reason, "the program is empty");
    EXPECT_EQ(parse_answer("t", "k\n```lua", cuda, false).candidate.plan, "");
}

TEST(Candidate, HashKeepsCodeAndPlanApart) {
    EXPECT_NE(make_candidate("t", "cpp", "ab", "c").hash, make_candidate("t", "cpp", "a", "bc").hash);
    EXPECT_EQ(make_candidate("t", "cpp", "a").hash, make_candidate("u", "cpp", "a").hash);
}

}  // namespace
}  // namespace hone
