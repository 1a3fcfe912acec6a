// A launch plan that fails at a hidden shape: one of a few fixed texts is told, whatever the sizes are. At the timed
// shape all is told.
#include "cuda_plan_fixture.hpp"
#include "verifier_cuda/plan/hidden.hpp"

namespace hone {
namespace {

std::string placed(std::string plan, const std::string& condition) {
    for (std::size_t at = plan.find("HERE"); at != std::string::npos; at = plan.find("HERE"))
        plan.replace(at, 4, condition);
    return plan;
}

// Two hidden shapes whose sizes a plan turns into different names, numbers and lines.
class CudaHidden : public CudaPlan {
protected:
    // HERE stands in a plan for "at the shapes where it fails".
    void expect_the_same(const std::string& plan, const std::string& wanted, const char* text = two_kernels) {
        Json facts;
        for (const int columns : {1000, 4097}) {
            hidden_ = Json::array({{{"R", 3}, {"C", columns}}});
            EXPECT_EQ(judge(placed(plan, "C ~= 4096"), "f32", text), wanted) << plan;
            if (facts.is_null()) facts = facts_;
            EXPECT_EQ(facts_, facts) << plan;
        }
    }
    void expect(const std::string& plan, const std::string& verdict, const char* hidden, const std::string& timed,
                const char* text = two_kernels) {
        expect_the_same(plan, verdict + ": " + hidden, text);
        EXPECT_EQ(judge(placed(plan, "C == 4096"), "f32", text), verdict + ": " + timed);
    }
    void expect_evaluation(const std::string& plan, const std::string& timed) {
        expect(plan, "PLAN_ERROR", cuda::hidden_evaluation, timed + " (at the timed shape)");
    }
    void expect_table(const std::string& parts, const std::string& timed) {
        expect("return { " + parts + " }", "PLAN_ERROR", cuda::hidden_table,
               "plan.lua: " + timed + " (at the timed shape)");
    }
    void expect_fit(const std::string& plan, const std::string& timed) {
        expect(plan, "PLAN_ERROR", cuda::hidden_fit, timed);
    }
};

const std::string good = "{ kernel = \"first\", grid = 1, block = 32, args = { \"a\", \"o\" } }";

TEST_F(CudaHidden, UnknownNamesAreNotQuoted) {
    expect_evaluation("local x = HERE and _ENV[\"n\" .. C] return { " + good + " }",
                      "plan.lua:1: no name \"n4096\" is known here; the task's sizes are: C, R");
    expect_evaluation("local x = HERE and n\nreturn { " + good + " }",
                      "plan.lua:1: no name \"n\" is known here; the task's sizes are: C, R");
}

TEST_F(CudaHidden, TheLineOfAnErrorIsNotTold) {
    expect_evaluation(
        "if HERE then\n  if C % 2 == 0 then return nil + 1 end\n  return {} .. 1\nend\nreturn { " + good + " }",
        "plan.lua:2: attempt to perform arithmetic on a nil value");
    expect_evaluation(
        "if HERE then\n  if C % 2 == 0 then return int(1 << 40) end\n  while true do end\nend\nreturn { " + good + " }",
        "plan.lua:2: int: the number has more than 32 bits; a plain number is passed as a long of 64");
    expect_evaluation("local t = { " + good + " } if HERE then for i = 2, 4 * C do t[i] = { i, i, i } end end return t",
                      "plan.lua: the plan needs more than 1024 KiB of memory");
}

TEST_F(CudaHidden, TheTimedShapeIsToldFirst) {
    EXPECT_EQ(judge("local x = C ~= 4096 and n\nreturn { 7 }"),
              "PLAN_ERROR: plan.lua: step 1: names no kernel, set, copy or torch (at the timed shape)");
}

TEST_F(CudaHidden, FieldsAreNotQuoted) {
    expect_table(good + ", [\"f\" .. C] = HERE or nil",
                 "there is no field \"f4096\"; there are: workspaces, defines, options, prepack");
    expect_table("workspaces = { [HERE and \"a\" or \"w\" .. C] = C }, " + good,
                 "workspaces: a: there is a tensor of that name");
}

TEST_F(CudaHidden, NumbersAreNotTold) {
    expect_table("{ kernel = \"first\", grid = HERE and -C or 1, block = 32 }",
                 "step 1: kernel \"first\": grid: must be a whole number from 1 to 2147483647, is -4096");
    expect_table("{ kernel = \"first\", grid = C, block = HERE and 2 * C or 1 }",
                 "step 1: kernel \"first\": block: must be a whole number from 1 to 1024, is 8192");
    expect_table(
        "{ kernel = \"first\", grid = 1, block = 1, [HERE and (C % 2 == 0 and \"shared\" or \"dependent\") or "
        "\"shared\"] = HERE and C << 20 or 0 }",
        "step 1: kernel \"first\": shared: must be a whole number from 0 to 232448, is 4294967296");
}

TEST_F(CudaHidden, ArgumentsAreNotQuoted) {
    expect_table("{ kernel = \"first\", grid = 1, block = 32, args = { HERE and \"t\" .. C or \"a\", \"o\" } }",
                 "step 1: kernel \"first\": args: 1: \"t4096\" is no input, output or workspace; there are: a, o");
    expect_table("{ kernel = \"first\", grid = 1, block = 32, args = { \"a\", { \"o\", HERE and C * C or 0 } } }",
                 "step 1: kernel \"first\": args: 2: 2: must be a whole number from 0 to 256, is 16777216");
}

TEST_F(CudaHidden, TheStepThatFailsIsNotTold) {
    const std::string list =
        "local t = {} for i = 1, 9 do t[i] = " + good + " end if HERE then t[C % 7 + 1] = {} end return t";
    expect(list, "PLAN_ERROR", cuda::hidden_table,
           "plan.lua: step 2: names no kernel, set, copy or torch (at the timed shape)");
    const std::string many = "local t = {} for i = 1, HERE and 513 + C % 7 or 1 do t[i] = " + good + " end return t";
    expect(many, "PLAN_ERROR", cuda::hidden_table, "plan.lua: more than 512 steps (at the timed shape)");
}

TEST_F(CudaHidden, KernelsAreNotQuoted) {
    if (!nvrtc_and_no_gpu()) GTEST_SKIP() << needs_nvrtc_and_no_gpu;
    const auto plan = [](const std::string& name, const std::string& args) {
        return "return { { kernel = " + name + ", grid = 1, block = 32, args = " + args + " } }";
    };
    expect_fit(plan("HERE and \"k\" .. C or \"first\"", "{ \"a\", \"o\" }"),
               "the code has no kernel k4096; it has: first, second");
    expect_fit(plan("HERE and C % 2 == 0 and \"second\" or \"first\"", "HERE and { \"a\" } or { \"a\", \"o\" }"),
               "kernel second takes 2 parameters, 1 are passed");
    const std::string part = "local p = {} for i = 1, C % 7 + 1 do p[i] = C end ";
    expect_fit(part + plan("\"first\"", "{ HERE and struct(p) or \"a\", \"o\" }"),
               "parameter 1 of first has 8 bytes, 16 are passed");
    expect_the_same(plan("\"first\"", "C == 4096 and { \"a\", \"o\" } or { \"a\", int(1) }"),
                    std::string("PLAN_ERROR: ") + cuda::hidden_fit);
}

TEST_F(CudaHidden, TheCompilerIsNotQuoted) {
    if (!nvrtc_and_no_gpu()) GTEST_SKIP() << needs_nvrtc_and_no_gpu;
    const std::string plan =
        "return { defines = { VALUE = HERE and \"size_\" .. C or \"0\" }, { kernel = \"k\", grid = 1, block = 1, args "
        "= { \"o\" } } }";
    const char* const text = "extern \"C\" __global__ void k(float* o) {\n    o[0] = VALUE;\n}\n";
    expect(plan, "COMPILE_ERROR", cuda::hidden_build, "k.cu(2): error: identifier \"size_4096\" is undefined", text);
    EXPECT_EQ(facts_.at("log"), "k.cu(2): error: identifier \"size_4096\" is undefined\n");
    const char* const wordless =
        "__shared__ char s[VALUE + 0];\nextern \"C\" __global__ void k(char* o) { s[o[0]] = 1; o[1] = s[o[2]]; }\n";
    expect_the_same(
        "return { defines = { VALUE = HERE and C << 10 or 1 }, { kernel = \"k\", grid = 1, block = 1, args = { \"o\" } "
        "} }",
        std::string("COMPILE_ERROR: ") + cuda::hidden_build, wordless);
}

// Nothing fails: what is told of the build and the plan is the timed shape's.
TEST_F(CudaHidden, ResourcesAreThoseOfTheTimedShape) {
    if (!nvrtc_and_no_gpu()) GTEST_SKIP() << needs_nvrtc_and_no_gpu;
    constant_ = true;
    const char* const text =
        "extern \"C\" __global__ void NAME(const float* a, float* o) {\n"
        "    __shared__ char s[SIZE];\n    int UNUSED;\n    s[threadIdx.x] = a[0];\n    __syncthreads();\n    o[0] = "
        "s[0];\n}\n";
    const std::string step = "{ kernel = \"k\" .. C, grid = C, block = 32, args = { \"a\", w } }";
    const std::string plan = "local w = \"w\" .. C\nlocal t, p = {}, {}\nfor i = 1, C % 5 + 1 do t[i] = " + step +
                             "; p[i] = " + step + " end\n" +
                             "t.workspaces = { [w] = C }\nt.prepack = p\nt.defines = { NAME = \"k\" .. C, SIZE = C, "
                             "UNUSED = \"unused_\" .. C }\nreturn t";
    expect_the_same(plan, "built", text);
    EXPECT_EQ(facts_.at("entry_points"), "k4096");
    EXPECT_NE(facts_.at("resources").get<std::string>().find("shared 4096 B"), std::string::npos) << facts_;
    EXPECT_NE(facts_.at("log").get<std::string>().find("unused_4096"), std::string::npos) << facts_;
    EXPECT_EQ(facts_.at("workspace_bytes"), 4096);
    EXPECT_EQ(facts_.at("steps"), 2);
    EXPECT_EQ(facts_.at("prepack_steps"), 2);
}

TEST_F(CudaHidden, EachShapeMayHaveDefinesOfItsOwn) {
    if (!nvrtc_and_no_gpu()) GTEST_SKIP() << needs_nvrtc_and_no_gpu;
    hidden_ = Json::array();
    for (int columns = 1; columns <= 9; ++columns) hidden_.push_back({{"R", 3}, {"C", columns}});
    EXPECT_EQ(judge("return { defines = { WIDTH = C }, " + good + " }"), "built");
}

}  // namespace
}  // namespace hone
