// `hone judge` from its command line to its exit code.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cstring>
#include <sstream>
#include "base/json.hpp"
#include "base/paths.hpp"
#include "commands/command_line.hpp"
#include "judge/call/settings.hpp"
#include "judge/service/judge.hpp"
#include "parts/verifiers.hpp"
#include "plugins/nvrtc.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

TEST(JudgeCommand, APassedProgramExitsWithZero) {
    const Ran ran = run({"judge", "fake/axpy", file_with("3 1 4")});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out.substr(0, 64), "PASSED\nfaster: 2x of the reference, 95 % interval 2 to 2\n  times");
    EXPECT_NE(ran.out.find("\n  roofline  0.307 % reached, 326x left: memory binds (at most 10 GB/s)\n"),
              std::string::npos)
        << ran.out;
}

TEST(JudgeCommand, ARejectedProgramExitsWithOne) {
    const Ran ran = run({"judge", "axpy", "--suite", "fake", file_with("3 1 4 outside")});
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_EQ(ran.out.substr(0, 107),
              "RUNTIME_ERROR: it writes outside output \"o\"\n  failed    writes outside; the same again: --set "
              "judge.seed=0x");
}

TEST(JudgeCommand, AnAnswerWithFencesIsTakenApart) {
    const Ran ran = run({"judge", "fake/axpy", file_with("I think.\n```fake\n3 1 4\n```\n"), "--json"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    const Json doc = Json::parse(ran.out, nullptr, false);
    EXPECT_EQ(doc.at("schema"), "hone.judgement/1");
    for (const char* key : {"id", "task", "hash", "verdict", "passed", "reason", "outcome", "speedup", "seconds",
                            "pairs", "noise", "roofline_share", "trust", "sandbox", "device", "wall"})
        EXPECT_TRUE(doc.contains(key)) << key;
}

TEST(JudgeCommand, ThatTheLastOfSeveralProgramsIsJudgedIsSaid) {
    const std::string answer = testing::TempDir() + "two.md";
    write_file(answer, "A draft.\n```fake\n3 1 4 outside\n```\nBetter:\n```fake\n3 1 4\n```\n");
    const Ran ran = run({"judge", "fake/axpy", answer});
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.err.substr(0, ran.err.find('\n')),
              "hone: " + answer + " holds 2 blocks of fake: the last one is judged");
}

TEST(JudgeCommand, AFileOfMarkdownIsAnAnswer) {
    const std::string bare = testing::TempDir() + "bare.md", answer = testing::TempDir() + "answer.md";
    write_file(bare, "3 1 4\n");
    write_file(answer, "I think.\n```fake\n3 1 4\n```\n");
    const Ran ran = run({"judge", "fake/axpy", bare});
    EXPECT_EQ(ran.code, 3);
    EXPECT_EQ(ran.err, "hone: " + bare + ": no ```fake block\n");
    EXPECT_EQ(run({"judge", "fake/axpy", answer}).code, 0);
}

// o = 2 a, in a file as editors of other systems leave it: what its comments hold makes no answer of it.
TEST(JudgeCommand, AFileOfCodeIsCode) {
    const std::string task = testing::TempDir() + "hone-doubled.lua", code = testing::TempDir() + "hone-doubled.cpp";
    write_file(
        task,
        R"lua(return { name = "doubled", statement = "o = 2 a", spec = "doubled", inputs = { { name = "a", shape = { "N" } } },
  outputs = { { name = "o", shape = { "N" } } }, shapes = { { N = 4096 } }, hidden = { { N = 64 }, { N = "N+16" } },
  reference = function(a) return array.map(function(x) return 2 * x end, a) end })lua");
    write_file(code,
               "\xef\xbb\xbf/*\r\n```cpp\r\nint x;\r\n```\r\n*/\r\nextern \"C\" void k(const float* a, float* o, long "
               "N) {  // ```\r\n"
               "    for (long i = 0; i < N; i++) o[i] = a[i] + a[i];\r\n}\r\n");
    const Ran ran =
        run({"judge", task, code, "--reference", "lua", "--set", "judge.seconds=0.1", "--set", "judge.pairs=16"});
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_EQ(ran.out.substr(0, 7), "PASSED\n");
    EXPECT_EQ(ran.err.find("`hone lint`"), std::string::npos) << ran.err;
}

TEST(JudgeCommand, ATaskOfOnesOwnThatATrivialProgramPassesIsToldOf) {
    const auto told = [](const std::string& size) {
        const std::string task = testing::TempDir() + "hone-nothing.lua",
                          code = testing::TempDir() + "hone-nothing.cpp";
        write_file(
            task,
            "return { name = \"nothing\", statement = \"o = 0\", spec = \"nothing\", inputs = { { name = "
            "\"a\", shape = { \"N\" } } }, outputs = { { name = \"o\", shape = { \"N\" } } }, shapes = { { N = " +
                size +
                " } }, hidden = { { N = 64 }, { N = \"N+16\" } }, reference = function(a) return array.map("
                "function(x) return 0 * x end, a) end }");
        write_file(code, "no program\n");
        return run({"judge", task, code, "--reference", "lua"}).err;
    };
    const std::string refused = told("4096"), too_large = told("4194304");
    EXPECT_TRUE(refused.starts_with("hone: `hone lint` refuses task \"nothing\": zeros: writing zeros ")) << refused;
    EXPECT_TRUE(
        too_large.starts_with("hone: `hone lint` tells within about a minute whether trivial programs pass "
                              "task \"nothing\"\n"))
        << too_large;
}

TEST(JudgeCommand, ADefinitionForAnotherReferenceIsToldSo) {
    const std::string task = testing::TempDir() + "hone-other-reference.lua", code = task + ".cpp";
    write_file(task,
               "return { name = \"other\", statement = \"o = relu a\", spec = \"other\", inputs = { { name = \"a\", "
               "shape = { \"N\" } } }, outputs = { { name = \"o\", shape = { \"N\" } } }, shapes = { { N = 4096 } }, "
               "hidden = { { N = 64 }, { N = 128 } }, reference = function(a) return torch.relu(a) end }");
    write_file(code, "extern \"C\" void k(const float* a, float* o, long N) {}\n");
    const Ran ran = run({"judge", task, code, "--reference", "lua"});
    EXPECT_NE(ran.err.find("(global 'torch'); this definition is written for reference.torch: --reference torch, or "
                           "run:reference(\"torch\")"),
              std::string::npos)
        << ran.err;
}

TEST(JudgeCommand, APathThatLeadsNowhereIsNamed) {
    const std::string circle = testing::TempDir() + "hone-circle-" + std::to_string(getpid()) + ".txt";
    ASSERT_EQ(symlink(circle.c_str(), circle.c_str()), 0);
    const Ran ran = run({"judge", "fake/axpy", circle});
    EXPECT_EQ(ran.code, 3);
    EXPECT_EQ(ran.err, "hone: " + circle + ": Too many levels of symbolic links\n");
    EXPECT_EQ(run({"judge", "fake/axpy", std::string(5000, 'x')}).err,
              "hone: " + std::string(100, 'x') + "... (5001 bytes) File name too long\n");
    unlink(circle.c_str());
}

// Each would be waited for, or read, for ever.
TEST(JudgeCommand, WhatIsNoFileIsNotRead) {
    const std::string pipe = testing::TempDir() + "hone-pipe-" + std::to_string(getpid()), script = pipe + ".lua",
                      record = pipe + ".json";
    for (const std::string& path : {pipe, script, record}) ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    const std::string program = file_with("3 1 4"),
                      device = ": is a device, not a regular file; write what it gives into a file, and name that\n";
    const std::string piped = ": is a pipe, not a regular file; write what it gives into a file, and name that\n";
    const std::pair<std::vector<std::string>, std::string> cases[] = {
        {{"judge", "fake/axpy", "/dev/zero"}, "/dev/zero" + device},
        {{"judge", "fake/axpy", pipe}, pipe + piped},
        {{"judge", "fake/axpy", program, "--against", "/dev/zero"}, "/dev/zero" + device},
        {{"judge", "fake/axpy", program, "--against", pipe}, pipe + piped},
        {{"judge", script, program}, script + piped},
        {{"judge", "gpu-basics/axpy", pipe, "--verifier", "fake"}, pipe + piped},
        {{"run", "/dev/zero"}, "/dev/zero" + device},
        {{"run", script}, script + piped},
        {{"lint", script}, script + piped},
        {{"tasks", script}, script + piped},
        {{"show", record}, record + piped},
        {{"replay", record}, record + piped},
    };
    for (const auto& [words, refusal] : cases) {
        const Ran ran = run(words);
        EXPECT_EQ(ran.code, 3) << words[0] << " " << words[1];
        EXPECT_EQ(ran.err, "hone: " + refusal);
    }
    for (const std::string& path : {pipe, script, record}) fs::remove(path);
}

TEST(JudgeCommand, AFileThatIsTooLongIsNotRead) {
    const std::string path = testing::TempDir() + "hone-long-" + std::to_string(getpid()) + ".txt";
    write_file(path, std::string((1 << 20) + 1, ' '));
    const Ran ran = run({"judge", "fake/axpy", path});
    EXPECT_EQ(ran.code, 3);
    EXPECT_EQ(ran.err,
              "hone: " + path +
                  ": is longer than 1 MiB, and no more is read of a file of its kind; name the file that was meant\n");
    fs::resize_file(path, std::uintmax_t{1} << 40);  // a hole
    EXPECT_EQ(run({"judge", "fake/axpy", path}).err, ran.err);
    fs::remove(path);
}

TEST(JudgeCommand, OnlyLanguagesWithPlansTakeOne) {
    const std::string plan = file_with("return {}");
    const Ran ran = run({"judge", "fake/axpy", file_with("3 1 4"), "--plan", plan});
    EXPECT_EQ(ran.code, 3);
    EXPECT_EQ(ran.err, "hone: " + plan + ": programs in fake take no launch plan\n");
}

// A program of two kernels, which only a plan can launch, in all three ways to hand it over. Without a GPU it is built
// and not run.
class JudgeOfKernels : public ::testing::Test {
protected:
    void SetUp() override {
        if (!nvrtc_and_no_gpu()) GTEST_SKIP() << needs_nvrtc_and_no_gpu;
        if (!fs::exists(HONE_TEST_PLUGIN_DIR "/reference.torch.so")) GTEST_SKIP() << "needs LibTorch";
        write_file(code_, code);
        write_file(plan_, plan);
    }
    const char* code =
        "extern \"C\" __global__ void one(const float* a, float* w, long N) { w[0] = a[0]; }\n"
        "extern \"C\" __global__ void two(const float* w, float* o) { o[0] = w[0]; }\n";
    const char* plan =
        "return { workspaces = { w = 4*N }, { kernel = \"one\", grid = 1, block = 1, args = { \"a\", \"w\", N } },\n"
        "  { kernel = \"two\", grid = 1, block = 1, args = { \"w\", \"o\" } } }\n";
    const std::string stem_ = testing::TempDir() + "two-" + std::to_string(getpid());  // tests run beside each other
    const std::string code_ = stem_ + ".cu", plan_ = stem_ + ".lua", answer_ = stem_ + ".md";
    const std::string built_ = "the candidate was built (two: registers ";
};

TEST_F(JudgeOfKernels, AreBuiltWithTheirPlanWithoutADevice) {
    const Ran ran = run({"judge", "gpu-basics/axpy", code_, "--plan", plan_});
    EXPECT_EQ(ran.code, 4);
    EXPECT_NE(ran.err.find(built_), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find(") and not run: verifier \"cuda\": device: there is no CUDA driver"), std::string::npos)
        << ran.err;
    write_file(answer_, std::string("Two steps.\n```cuda\n") + code + "```\n```lua\n" + plan + "```\n");
    const Ran answered = run({"judge", "gpu-basics/axpy", answer_});
    EXPECT_EQ(answered.code, 4);
    EXPECT_NE(answered.err.find(built_), std::string::npos) << answered.err;
    const Ran twice = run({"judge", "gpu-basics/axpy", answer_, "--plan", plan_});
    EXPECT_EQ(twice.code, 3);
    EXPECT_EQ(twice.err, "hone: " + plan_ + ": the program's file holds a plan already\n");
}

TEST_F(JudgeOfKernels, WhatIsSaidOfTheBuildIsTheCandidates) {
    write_file(code_,
               "extern \"C\" __global__ void k(const float* a, const float* b, float* o, long N) { o[0] = a[0] }\n");
    const std::string other = stem_ + "-other.cu";
    write_file(other,
               "extern \"C\" __global__ void k(const float* a, const float* b, float* o, long N) { o[0] = a[0]; }\n");
    EXPECT_EQ(run({"judge", "gpu-basics/axpy", other}).code, 4);
    EXPECT_EQ(run({"judge", "gpu-basics/axpy", code_, "--against", other}).code, 1) << "it does not compile";
    EXPECT_EQ(run({"judge", "gpu-basics/axpy", other, "--against", code_}).code, 3) << "the other one does not";
}

// NVRTC has no words for either: one is the user's fault, the other the program's.
TEST_F(JudgeOfKernels, ASilentCompilerIsExplained) {
    const Ran arch = run({"judge", "gpu-basics/axpy", code_, "--plan", plan_, "--set", "verifier.arch=sm_99"});
    EXPECT_EQ(arch.code, 3);
    EXPECT_NE(arch.err.find("option \"arch\": NVRTC "), std::string::npos) << arch.err;
    EXPECT_NE(arch.err.find(" compiles nothing for \"sm_99\"; leave it out, or name one such as sm_90a"),
              std::string::npos)
        << arch.err;
    write_file(code_,
               "extern \"C\" __global__ void k(const float* a, const float* b, float* o, long N) {\n"
               "    __shared__ float room[100000];\n    room[threadIdx.x] = a[0];\n    __syncthreads();\n    o[0] = "
               "room[99999 - threadIdx.x] + b[0];\n}\n");
    const Ran large = run({"judge", "gpu-basics/axpy", code_});
    EXPECT_EQ(large.code, 1);
    EXPECT_EQ(large.out.substr(0, large.out.find('\n')),
              "COMPILE_ERROR: the compiler refused it without a word; one cause is more static shared memory "
              "than a block can have (48 KiB)");
    EXPECT_EQ(large.out.find("again:"), std::string::npos) << "nothing can be replayed: " << large.out;
}

TEST_F(JudgeOfKernels, APlanThatIsNoFileIsNotRead) {
    const Ran ran = run({"judge", "gpu-basics/axpy", code_, "--plan", "/dev/zero"});
    EXPECT_EQ(ran.code, 3);
    EXPECT_EQ(ran.err,
              "hone: /dev/zero: is a device, not a regular file; write what it gives into a file, and name that\n");
}

TEST_F(JudgeOfKernels, AreRejectedWithoutADevice) {
    const Ran bare = run({"judge", "gpu-basics/axpy", code_});
    EXPECT_EQ(bare.code, 1);
    EXPECT_EQ(bare.out.substr(0, bare.out.find('\n')),
              "COMPILE_ERROR: the code has no kernel k: declare it extern \"C\" __global__ void k(...), or add a "
              "launch plan; it has: one, two");
    const Typed typed(code);
    const std::string out = run({"judge", "gpu-basics/axpy", "-"}).out, first = bare.out.substr(0, bare.out.find('\n'));
    EXPECT_EQ(out.substr(0, out.find('\n')), first) << "the suite tells the language";
    write_file(plan_, "return {\n  { kernel = \"tow\", grid = 1, block = 1 } }");
    const Ran misspelt = run({"judge", "gpu-basics/axpy", code_, "--plan", plan_});
    EXPECT_EQ(misspelt.code, 1);
    EXPECT_EQ(misspelt.out.substr(0, misspelt.out.find('\n')),
              "PLAN_ERROR: the code has no kernel tow; it has: one, two");
    write_file(plan_, "return {\n  { kernel = \"one\", grid = M } }");
    const Ran nil = run({"judge", "gpu-basics/axpy", code_, "--plan", plan_});
    EXPECT_EQ(nil.code, 1);
    EXPECT_EQ(nil.out.substr(0, nil.out.find('\n')),
              "PLAN_ERROR: plan.lua:2: no name \"M\" is known here; the task's sizes are: N (at the timed shape)");
    write_file(plan_, " \n");
    const Ran empty = run({"judge", "gpu-basics/axpy", code_, "--plan", plan_});
    EXPECT_EQ(empty.code, 3);
    EXPECT_EQ(empty.err, "hone: " + plan_ + ": the plan is empty\n");
}

TEST(JudgeCommand, TheOtherProgramIsTheBaseline) {
    const Ran ran = run({"judge", "fake/axpy", file_with("3 1 4"), "--against", file_with("3 3 4")});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.out.find("faster: 1.5x of the other program"), std::string::npos) << ran.out;
}

TEST(JudgeCommand, AnotherProgramThatFailsIsNoBaseline) {
    const std::string wrong = file_with("3 1 4 outside");
    const Ran ran = run({"judge", "fake/axpy", file_with("3 1 4"), "--against", wrong});
    EXPECT_EQ(ran.code, 3);
    EXPECT_EQ(ran.err, "hone: " + wrong +
                           ": RUNTIME_ERROR: it writes outside output \"o\"; --against needs a program that passes\n");
}

// The help and what is used come from the same place; what a judgement keeps says that it is used.
TEST(JudgeCommand, TheHelpTellsItsOwnPresets) {
    const Ran help = run({"judge", "--help"});
    EXPECT_NE(help.out.find("\nbenches=1 fresh=true pairs=512 precision=0.01 seconds=0.8 (verifier cuda: pairs=256 "
                            "precision=0.005 seconds=3.0) (verifier python: pairs=128 precision=0.01 seconds=3.0)\n"),
              std::string::npos)
        << help.out;
    EXPECT_NE(help.out.find("more sharply than `hone plugins judge` says"), std::string::npos) << help.out;
}

TEST(JudgeCommand, ABareNameNeedsASuite) {
    const Ran refused = run({"judge", "row_sum", "kernel.py"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("no suite is known for \"row_sum\": kernel.py suggests none; a task is SUITE/NAME or "
                               "FOLDER/NAME; `hone tasks` lists the suites; or name the suite: --suite NAME"),
              std::string::npos)
        << refused.err;
}

TEST(TasksCommand, ANameOfATaskGivesItsPage) {
    const std::string page = run({"tasks", "axpy"}).out;
    EXPECT_NE(page.find("prototype (verifier.fake)\n"), std::string::npos) << page;
    EXPECT_NE(page.find("what a writer is told of it\n  A program is 3 integers from 0 to 9, separated by spaces.\n  "
                        "Sizes may be any:"),
              std::string::npos)
        << page;
    EXPECT_NE(page.find("hidden shapes (verified, not timed)\n"), std::string::npos) << page;
    EXPECT_NE(page.find("reference\n  reference = function("), std::string::npos) << page;
    const Json tasks = Json::parse(run({"tasks", "fake/axpy", "--json"}).out).at("tasks");
    for (const char* key : {"prototype", "inputs", "outputs", "hidden", "multiples", "tolerance", "reference"})
        EXPECT_TRUE(tasks.at(0).contains(key)) << key;
    const Ran absent = run({"tasks", "axpi"});
    EXPECT_EQ(absent.code, 3);
    EXPECT_EQ(absent.err,
              "hone: \"axpi\": no suite and no task of that name; did you mean \"axpy\"?; a task is SUITE/NAME or "
              "FOLDER/NAME; `hone tasks` lists the suites\n");
}

TEST(TasksCommand, ThePageTellsTheCompilerAndTheThreads) {
    const std::string page = run({"tasks", "softmax"}).out;
    EXPECT_NE(page.find("compiled with g++ -std=c++20 -O3"), std::string::npos) << page;
    EXPECT_NE(page.find("runs on"), std::string::npos) << page;
}

TEST(TasksCommand, ABrokenFileHidesNoOther) {
    const fs::path folder = testing::TempDir() + "hone-broken-folder";
    fs::create_directories(folder);
    write_file(folder / "a_broken.lua", "return { name = \"a\" }\n");
    write_file(folder / "b_broken.lua", "return {\n");
    write_file(folder / "sound.lua", read_file(HONE_TEST_SOURCE_DIR "/scripts/suites/fake/axpy.lua"));
    const Ran list = run({"tasks", folder});
    EXPECT_EQ(list.code, 3);
    EXPECT_EQ(list.out.substr(0, 5), "axpy ") << list.out;
    for (const char* words : {"hone: left out: hone-broken-folder/a_broken.lua: task \"a\": ",
                              "hone: left out: hone-broken-folder/b_broken.lua:2: "})
        EXPECT_NE(list.err.find(words), std::string::npos) << list.err;
    const Json doc = Json::parse(run({"tasks", folder, "--json"}).out);
    EXPECT_EQ(doc.at("tasks").at(0).at("name"), "axpy");
    EXPECT_EQ(doc.at("broken").size(), 2u);
    const Ran linted = run({"lint", folder, "--json", "--quiet"});
    EXPECT_EQ(linted.code, 3);
    EXPECT_EQ(Json::parse(linted.out).at("broken").size(), 2u);
    for (const char* name : {"c", "d"})
        write_file(folder / (std::string(name) + "_alike.lua"), "return { name = \"" + std::string(name) + "\" }\n");
    const std::string alike = run({"tasks", folder}).err;
    EXPECT_NE(alike.find("; and 2 more for the same cause\n"), std::string::npos) << alike;
    EXPECT_EQ(std::count(alike.begin(), alike.end(), '\n'), 2) << alike;
    fs::remove(folder / "sound.lua");
    const Ran none = run({"tasks", folder});
    EXPECT_EQ(none.code, 3);
    EXPECT_NE(none.err.find(" (and 3 more files)"), std::string::npos) << none.err;
    fs::remove_all(folder);
}

TEST(TasksCommand, TheListFitsANarrowPage) {
    std::istringstream lines(run({"tasks", "cpu-basics"}).out);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 80u) << line;
    EXPECT_GT(count, 20u);
}

TEST(JudgeCommand, WhatCannotBeRunIsAnInputError) {
    const Ran task = run({"judge", "fake/axpi", file_with("3 1 4")});
    EXPECT_EQ(task.code, 3);
    EXPECT_NE(task.err.find("did you mean \"axpy\"?"), std::string::npos) << task.err;
    const Ran option = run({"judge", "fake/axpy", file_with("3 1 4"), "--set", "judge.precison=0.1"});
    EXPECT_EQ(option.code, 3);
    EXPECT_NE(option.err.find("did you mean \"precision\"?"), std::string::npos) << option.err;
    const Ran file = run({"judge", "fake/axpy", "/nowhere/at/all"});
    EXPECT_EQ(file.code, 3);
    EXPECT_EQ(file.err, "hone: /nowhere/at/all: there is no such file\n");
    const std::string bytes = testing::TempDir() + "hone-bytes.cpp";
    write_file(bytes, std::string("3 1\0 4", 6));
    EXPECT_EQ(run({"judge", "fake/axpy", bytes, "--verifier", "fake"}).err, "hone: " + bytes + ": holds a NUL byte\n");
    EXPECT_EQ(run({"judge", "fake/axpy", file_with("3 1 4"), "--against", "-"}).err,
              "hone: -: standard input serves for FILE alone; name a file here\n");
    const Ran folder = run({"judge", "fake/axpy", "/usr"});
    EXPECT_EQ(folder.code, 3);
    EXPECT_EQ(folder.err, "hone: /usr: is a folder; name the file in it that holds the program\n");
}

TEST(JudgeCommand, TheFormsOfTheReferenceAreTold) {
    const std::string path = testing::TempDir() + "hone-forms.lua";
    std::string text = read_file(file_of_two());
    text.replace(text.find("reference = 2e-4"), 16,
                 "reference = 2e-4, graph = 1.5e-4, compiled = 1e-6, wrong = \"compiled\"");
    write_file(path, text);
    const Ran ran = run({"judge", path + ":one", file_with("7 2 2")});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.out.find("faster: 1.5x of the reference"), std::string::npos) << ran.out;
    EXPECT_NE(
        ran.out.find(
            "\n  forms     compiled (wrong, left out), eager 200 us, graph 150 us: the fastest is the baseline\n"),
        std::string::npos)
        << ran.out;
}

// A verdict is not lost with the place for its evidence.
TEST(JudgeCommand, EvidenceThatCannotBeKeptCostsNoVerdict) {
    const char* const before = getenv("XDG_STATE_HOME");
    const std::string kept = before ? before : "", file = file_with("3 1 4");
    setenv("XDG_STATE_HOME", file.c_str(), 1);
    const Ran ran = run({"judge", "fake/axpy", file, "--json", "--quiet"});
    before ? setenv("XDG_STATE_HOME", kept.c_str(), 1) : unsetenv("XDG_STATE_HOME");
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(Json::parse(ran.out, nullptr, false).value("verdict", ""), "PASSED") << ran.out;
    EXPECT_NE(ran.err.find("the evidence is not kept: "), std::string::npos) << ran.err;
}

TEST(ZooCommand, AnUnknownSpecimenIsRefused) {
    const Ran ran = run({"zoo", HONE_TEST_SOURCE_DIR "/tests/exploits", "--only", "fork"});
    EXPECT_EQ(ran.code, 3);
    EXPECT_EQ(ran.err,
              "hone: zoo: no specimen \"fork\"; did you mean \"forks\"?; honest programs are called honest/NAME\n");
}

TEST(ZooCommand, WhatWasNotAskedForIsNotTold) {
    const std::string out = run({"zoo", HONE_TEST_SOURCE_DIR "/tests/exploits", "--only", "forks", "--quiet"}).out;
    EXPECT_EQ(out.substr(0, 8), "attacks\n") << out;
    EXPECT_NE(out.find("\nattack success rate: "), std::string::npos) << out;
    EXPECT_EQ(out.find("honest"), std::string::npos) << out;
    EXPECT_EQ(out.find("refusal"), std::string::npos) << out;
}

TEST(PluginsCommand, TheJudgesOptionsAreShownLikeAPartsOptions) {
    const Ran ran = run({"plugins", "judge"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out.substr(0, 18), "judge: what judges");
    for (const Option& option : judge_options())
        EXPECT_NE(ran.out.find("\n  " + option.name + " "), std::string::npos) << option.name;
    EXPECT_EQ(Json::parse(run({"plugins", "judge", "--json"}).out).at("plugins").at(0).at("options").size(),
              judge_options().size());
}

}  // namespace
}  // namespace hone