// What a user may change of the compiler's command for a program of one's own, and what a listing tells.
#include <gtest/gtest.h>
#include "cpp/flags.hpp"
#include "error_text.hpp"
#include "hone/plugin.hpp"
#include "verifier_cpp/listing.hpp"

namespace hone {
namespace {

TEST(CppFlags, ThoseThatDecideHowCodeIsMadeAreAllowed) {
    const std::vector<std::string> flags = {"-Ofast",
                                            "-O2",
                                            "-ffast-math",
                                            "-fno-signed-zeros",
                                            "-ffp-contract=off",
                                            "-funroll-loops",
                                            "-funroll-all-loops",
                                            "-ftree-vectorize",
                                            "-fno-tree-slp-vectorize",
                                            "-fvect-cost-model=unlimited",
                                            "-mprefer-vector-width=512",
                                            "-march=x86-64-v3",
                                            "-mtune=native",
                                            "-mno-avx512f",
                                            "-std=gnu++23"};
    std::string text;
    for (const std::string& flag : flags) text += " " + flag + " ";
    EXPECT_EQ(cpp::allowed_flags(text), flags);
    EXPECT_TRUE(cpp::allowed_flags("").empty());
}

TEST(CppFlags, ThoseThatNameFilesOrLoadCodeAreRefused) {
    for (const char* flag : {"-fplugin=x.so",
                             "-fplugin-arg-x-y",
                             "-include",
                             "x.h",
                             "@file",
                             "-specs=x",
                             "-B/tmp",
                             "-wrapper",
                             "-I/usr",
                             "-isystem",
                             "-Xclang",
                             "-Wl,-rpath,/x",
                             "-Wno-all",
                             "-mllvm",
                             "-mllvm=-load",
                             "-fprofile-use=x",
                             "-fprofile-generate",
                             "-fdump-tree-all",
                             "-save-temps",
                             "-o",
                             "-x",
                             "-D_X",
                             "-fauto-profile=x",
                             "-l:x.so",
                             "-fuse-ld=x",
                             "-fsanitize=address",
                             "-fstack-usage",
                             "-flto",
                             "-mx=/etc/passwd",
                             "-g"}) {
        std::string refusal;
        try {
            cpp::allowed_flags(std::string("-O2 ") + flag);
        } catch (const Refused& e) {
            refusal = e.what();
        }
        EXPECT_EQ(refusal, std::string("option \"flags\": \"") + flag +
                               "\" is not allowed: only -O, -std, -m and the flags of -f that decide how loops and "
                               "numbers are compiled are");
    }
}

TEST(CppListing, TheWidestVectorsAreCounted) {
    const std::string head = "\t.text\n\t.globl\tk\nk:\n.LFB1:\n\tmovq\t%rdi, %rax\n",
                      tail = "\tret\nhone_thunk:\n\tvaddps\t%zmm0, %zmm1, %zmm2\n\tjmp\tk\n";
    EXPECT_EQ(cpp::vectors_in(head + "\tvmulps\t(%rdi), %zmm0, %zmm0\n\tvaddps\t%ymm1, %ymm0, %ymm0\n" + tail),
              "512-bit vectors in 1 of 4 instructions");
    EXPECT_EQ(cpp::vectors_in(head + "\tvaddps\t%ymm1, %ymm0, %ymm0\n\tvaddps\t%ymm1, %ymm0, %ymm0\n" + tail),
              "256-bit vectors in 2 of 4 instructions");
    EXPECT_EQ(cpp::vectors_in(head + "\tpaddd\t%xmm1, %xmm0\n\tmovaps\t%xmm1, %xmm0\n" + tail),
              "128-bit vectors in 1 of 4 instructions");
    EXPECT_EQ(cpp::vectors_in(head + "\tmulss\t%xmm1, %xmm0\n\tpxor\t%xmm1, %xmm1\n" + tail),
              "no vectors in 4 instructions")
        << "single numbers lie in the same registers";
    EXPECT_EQ(cpp::vectors_in("k:\n\tfadd\tv0.4s, v0.4s, v1.4s\n\tret\n"), "") << "another processor";
}

}  // namespace
}  // namespace hone
