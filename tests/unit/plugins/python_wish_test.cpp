// What a Python program may ask the bench to compile, and with which flags.
#include <gtest/gtest.h>
#include <stdexcept>
#include "verifier_python/wish.hpp"

namespace hone::python {
namespace {

const std::string key(64, 'a');

std::string refusal(const std::string& wish) {
    try {
        read_wish(wish);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

TEST(PythonWish, IsReadWhole) {
    const Wish wish = read_wish("key " + key + "\ncpp 6\ncuda 4\nflag -O3\ncuda-flag -Xptxas -O3\n\nint a;k<<<");
    EXPECT_EQ(wish.key, key);
    EXPECT_EQ(wish.cpp, "int a;");
    EXPECT_EQ(wish.cuda, "k<<<");
    EXPECT_EQ(wish.flags, std::vector<std::string>{"-O3"});
    EXPECT_EQ(words_of(wish.cuda_flags), std::vector<std::string>{"-Xptxas=-O3"});
}

TEST(PythonWish, IsRefusedWhereItIsNone) {
    EXPECT_EQ(refusal("key " + key + "\ncpp 6"), "a wish without an end");
    EXPECT_EQ(refusal("key " + key + "\nargv rm\n\n"), "a line that is not known");
    EXPECT_EQ(refusal("key ../../x\n\n"), "a key that is none");
    EXPECT_EQ(refusal("key " + key + "\ncpp 9999999999\n\n"), "a length that is no number");
    const std::string endless = "key " + key + "\nflag -x" + std::string(300, 'a') + "\n\n",
                      odd = "key " + key + "\ncuda-flag -O\xff\n\n";
    for (const std::string& wish : {endless, odd})
        EXPECT_EQ(refusal(wish), "a flag of more than 200 characters, or of others than ASCII's");
    EXPECT_EQ(refusal("key " + key + "\ncpp 7\n\nint a;"), "texts of other lengths");
}

TEST(PythonWish, FlagsThatDecideHowCodeIsMadeArePassedOn) {
    for (const char* flag : {"-O3", "-ffast-math", "-fopenmp", "-march=native", "-DWIDTH=4", "-UNDEBUG"})
        EXPECT_EQ(passed_on(flag, false), flag);
    for (const char* flag : {"-O3", "--use_fast_math", "-use_fast_math", "-maxrregcount=64", "--expt-relaxed-constexpr",
                             "-Xptxas=-O3", "--ptxas-options=-v", "-U__CUDA_NO_HALF_OPERATORS__"})
        EXPECT_EQ(passed_on(flag, true), flag);
}

TEST(PythonWish, FlagsForPeopleAndThoseOfTheBenchAreLeftOut) {
    for (const char* flag :
         {"-lineinfo", "-Wall", "-std=c++20", "-gencode=arch=compute_80,code=sm_80", "-arch=sm_70", "-lcublas"})
        EXPECT_EQ(passed_on(flag, true), "");
}

TEST(PythonWish, FlagsThatNameFilesOrLoadCodeAreRefused) {
    for (const char* flag : {"-include", "-I/etc", "@file", "-fplugin=x.so", "-o", "/etc/passwd", "-Xlinker",
                             "-ccbin=/tmp/x", "--run", "-keep-dir", "-dlink", "-L/tmp", "-DX=/etc/passwd", "x.cpp",
                             "-mtune=native,-flto", "-march=native,-wrapper,python3", "-lm"})
        for (const bool cuda : {false, true}) EXPECT_EQ(passed_on(flag, cuda), std::nullopt) << flag;
    EXPECT_EQ(passed_on("-D" + std::string(100000, 'a'), false), std::nullopt);
}

}  // namespace
}  // namespace hone::python
