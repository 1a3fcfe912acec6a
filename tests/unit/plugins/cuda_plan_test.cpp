// Launch plans of verifier.cuda: what is taken, and what is refused in which words. No GPU is needed.
#include "cuda_plan_fixture.hpp"

namespace hone {
namespace {

// what AllOfTheLanguageIsTaken launches
constexpr const char* several =
    "struct Map { char bytes[128]; };\n"
    "extern \"C\" __global__ void first(const float*, float*, long, long, int, float, float, double) {}\n"
    "extern \"C\" __global__ void second(const __grid_constant__ Map) {}\n"
    "extern \"C\" __global__ void third(const float*, float*, long, long) {}\n"
    "struct Both { const float* a; int n; float* o; float x; };\n"
    "extern \"C\" __global__ void fourth(Both, int) {}\n";

TEST_F(CudaPlan, AllOfTheLanguageIsTaken) {
    if (!nvrtc_and_no_gpu()) GTEST_SKIP() << needs_nvrtc_and_no_gpu;
    EXPECT_EQ(judge(R"lua(
local wide = C >= 4096
return {
  workspaces = { partial = 4*R*min(8, device.multiprocessors), flags = { bytes = 64, zero = true } },
  defines = { TILE = wide and 32 or 16, WIDE = wide, TYPE = "float" }, options = { "--use_fast_math", "--maxrregcount=128" },
  { kernel = "first", grid = { ceil_div(R, 2) * 2, 1, 1 }, block = round_up(max(C/64, 32), 32), cluster = 2, shared = device.shared_bytes,
    cooperative = true, args = { "a", { "partial", 16 }, R, C/2, int(-1), float(2.5), float(-1/0), double(0.1) } },
  { kernel = "second", grid = R, block = { 32, 4 }, dependent = true,
    args = { tensor_map { tensor = "a", shape = { C, R }, box = { 32, 2 }, swizzle = 128, l2 = 256, fill = "nan" } } },
  { set = "flags", word = 0xffffffff, offset = 4, bytes = 8 },
  { copy = "o", from = "partial", bytes = 4 },
  { kernel = "third", grid = 1, block = 1 },
  { kernel = "fourth", grid = 1, block = 1, args = { struct { "a", int(R), { "o", 4 }, float(1) }, int(1) } },
})lua",
                    "f32", several),
              "built");
    EXPECT_EQ(facts_.at("plan"), "lua");
    EXPECT_EQ(facts_.at("steps"), 7);  // the clearing of flags is one
    EXPECT_EQ(facts_.at("workspace_bytes"), 4 * 64 * 8 + 256);
    EXPECT_EQ(facts_.at("launch"), "stream");
}

TEST_F(CudaPlan, ErrorsOfLuaNameTheLine) {
    EXPECT_EQ(judge("return {\n  { kernel = "),
              "PLAN_ERROR: plan.lua:2: unexpected symbol near <eof> (at the timed shape)");
    EXPECT_EQ(judge("local n =\n M * 2\nreturn {}"),
              "PLAN_ERROR: plan.lua:2: no name \"M\" is known here; the task's sizes are: C, R (at the timed shape)");
    EXPECT_EQ(judge("return ceil_div(R, 0)"),
              "PLAN_ERROR: plan.lua:1: bad argument #2 to 'ceil_div' (must be above 0) (at the timed shape)");
    EXPECT_EQ(judge("return ceil_div(-R, 2)"),
              "PLAN_ERROR: plan.lua:1: bad argument #1 to 'ceil_div' (must not be negative) (at the timed shape)");
    EXPECT_EQ(judge("return round_up((1 << 62) + 1, 1 << 62)"),
              "PLAN_ERROR: plan.lua:1: round_up: the result is too large (at the timed shape)");
    EXPECT_EQ(judge("return min(1, \"2\")"),
              "PLAN_ERROR: plan.lua:1: bad argument #2 to 'min' (number expected, got string) (at the timed shape)");
    EXPECT_EQ(judge("return { int(1 << 32) }"),
              "PLAN_ERROR: plan.lua:1: int: the number has more than 32 bits; a plain number is passed as a long of 64 "
              "(at the timed shape)");
    EXPECT_EQ(judge("return 5"),
              "PLAN_ERROR: plan.lua: the plan returns no table but a number value (at the timed shape)");
}

TEST_F(CudaPlan, GridsAndBlocksAreBounded) {
    const std::string first = "PLAN_ERROR: plan.lua: step 1: kernel \"first\": ", timed = " (at the timed shape)";
    EXPECT_EQ(step("block = 32"), first + "grid is missing" + timed);
    EXPECT_EQ(step("grid = -1, block = 32"),
              first + "grid: must be a whole number from 1 to 2147483647, is -1" + timed);
    EXPECT_EQ(step("grid = R * (1 << 40), block = 32"),
              first + "grid: must be a whole number from 1 to 2147483647, is 70368744177664" + timed);
    EXPECT_EQ(step("grid = { 1, 65536 }, block = 32"),
              first + "grid: 2: must be a whole number from 1 to 65535, is 65536" + timed);
    EXPECT_EQ(step("grid = { 65536, 65535, 65535 }, block = 32"), first + "grid: more than 2147483647 blocks" + timed);
    EXPECT_EQ(step("grid = { 1, 1, 1, 1 }, block = 32"),
              first + "grid: must be a number or a list of up to three" + timed);
    EXPECT_EQ(step("grid = 0.5, block = 32"), first + "grid: must be a whole number from 1 to 2147483647" + timed);
    EXPECT_EQ(step("grid = \"1\", block = 32"), first + "grid: must be a whole number from 1 to 2147483647" + timed);
    EXPECT_EQ(step("grid = { 1, [3] = 1 }, block = 32"),
              first + "grid: its list has a hole: there is no element 2" + timed);
    EXPECT_EQ(step("grid = 1, block = 1025"), first + "block: must be a whole number from 1 to 1024, is 1025" + timed);
    EXPECT_EQ(step("grid = 1, block = { 64, 32 }"), first + "block: more than 1024 threads" + timed);
    EXPECT_EQ(step("grid = 4, block = 32, cluster = 3"), first + "cluster: does not divide the grid" + timed);
    EXPECT_EQ(step("grid = { 16, 16 }, block = 32, cluster = { 8, 4 }"),
              first + "cluster: more than 16 blocks" + timed);
    EXPECT_EQ(kernel("shared = device.shared_bytes + 1"),
              first + "shared: must be a whole number from 0 to 232448, is 232449" + timed);
    EXPECT_EQ(kernel("cooperative = 1"), first + "cooperative: must be true or false" + timed);
    EXPECT_EQ(kernel("dependent = true"), first + "dependent: the step in front of it is no kernel" + timed);
    EXPECT_EQ(kernel("gird = 1"), first +
                                      "there is no field \"gird\"; there are: kernel, grid, block, cluster, shared, "
                                      "cooperative, dependent, args" +
                                      timed);
    EXPECT_EQ(
        judge("return { { kernel = \"a b\", grid = 1, block = 1 } }"),
        "PLAN_ERROR: plan.lua: step 1: kernel \"a b\": kernel: must be the name of an extern \"C\" kernel" + timed);
    EXPECT_EQ(judge("return { {} }"), "PLAN_ERROR: plan.lua: step 1: names no kernel, set, copy or torch" + timed);
    EXPECT_EQ(judge("return { 7 }"), "PLAN_ERROR: plan.lua: step 1: names no kernel, set, copy or torch" + timed);
    EXPECT_EQ(judge("return {}"), "PLAN_ERROR: plan.lua: it has no steps" + timed);
    EXPECT_EQ(
        judge("return { steps = 1 }"),
        "PLAN_ERROR: plan.lua: there is no field \"steps\"; there are: workspaces, defines, options, prepack" + timed);
}

TEST_F(CudaPlan, ArgumentsAreNamedOrTyped) {
    const std::string args = "PLAN_ERROR: plan.lua: step 1: kernel \"first\": args: ", timed = " (at the timed shape)";
    EXPECT_EQ(kernel("args = { \"x\" }"), args + "1: \"x\" is no input, output or workspace; there are: a, o" + timed);
    EXPECT_EQ(kernel("args = { \"a\", 2.5 }"), args + "2: is no whole number: write float(x) or double(x)" + timed);
    EXPECT_EQ(
        kernel("args = { true }"),
        args + "1: must be a tensor's name, a number, int(), float(), double(), struct{} or tensor_map{}" + timed);
    EXPECT_EQ(kernel("args = { { \"a\" } }"), args + "1: must be a name, or {name, offset in bytes}" + timed);
    EXPECT_EQ(kernel("args = { { \"o\", 257 } }"), args + "1: 2: must be a whole number from 0 to 256, is 257" + timed);
    EXPECT_EQ(kernel("args = { struct {} }"), args + "1: struct: has no parts" + timed);
    EXPECT_EQ(kernel("args = { struct { \"a\", struct { R } } }"),
              args + "1: struct: 2: must be a tensor's name, a number, int(), float() or double()" + timed);
    EXPECT_EQ(kernel("args = { struct { \"a\", n = R } }"),
              args + "1: struct: is a list of parts, which have no names" + timed);
    EXPECT_EQ(kernel("args = { x = \"a\" }"), args + "there is no field \"x\"" + timed);
}

TEST_F(CudaPlan, WorkspacesSetsAndCopiesStayWithinTheirMemory) {
    const std::string head = "PLAN_ERROR: plan.lua: ", timed = " (at the timed shape)";
    const auto with = [&](const std::string& parts) {
        return judge("return { " + parts + ", { kernel = \"first\", grid = 1, block = 1 } }");
    };
    EXPECT_EQ(with("workspaces = { w = 0 }"),
              head + "workspaces: w: must be a whole number from 1 to 1073741824, is 0" + timed);
    EXPECT_EQ(with("workspaces = { w = 1 << 30, v = 1 }"),
              head + "workspaces: w: all workspaces together take more than 1 GiB" + timed);
    EXPECT_EQ(with("workspaces = { a = 4 }"), head + "workspaces: a: there is a tensor of that name" + timed);
    EXPECT_EQ(with("workspaces = { 4 }"), head + "workspaces: must have names: workspaces = { partial = 4*N }" + timed);
    EXPECT_EQ(with("workspaces = { w = { bytes = 4, zeros = true } }"),
              head + "workspaces: w: there is no field \"zeros\"; there are: bytes, shape, type, zero" + timed);
    EXPECT_EQ(with("{ set = \"a\", bytes = 4 }"), head + "step 1: set: an input cannot be written" + timed);
    EXPECT_EQ(with("{ set = \"o\", bytes = 6 }"), head + "step 1: offset and bytes must be multiples of 4" + timed);
    EXPECT_EQ(with("{ set = \"o\", offset = 8, bytes = 4*R }"),
              head + "step 1: bytes: beyond the end of \"o\"" + timed);
    EXPECT_EQ(with("{ copy = \"o\", from = \"a\" }"),
              head + "step 1: bytes is missing: the two have different sizes" + timed);
    EXPECT_EQ(with("{ copy = \"o\", from = \"b\" }"),
              head + "step 1: from: \"b\" is no input, output or workspace; there are: a, o" + timed);
    EXPECT_EQ(with("{ copy = \"o\", from = \"a\", bytes = 1 << 62 }"),
              head + "step 1: bytes: beyond the end of \"o\"" + timed);
}

TEST_F(CudaPlan, ConstantsAloneMayBePrepacked) {
    const auto with = [&](const std::string& step, const std::string& workspace = "4*R*C") {
        return judge("return { workspaces = { packed = " + workspace + " }, prepack = { " + step +
                     " }, { kernel = \"second\", grid = 1, block = 32, " + "args = { \"packed\", \"o\" } } }");
    };
    const std::string pack = "{ kernel = \"first\", grid = 1, block = 32, args = { \"a\", \"packed\" } }";
    const std::string head = "PLAN_ERROR: plan.lua: prepack",
                      step = head + ", step 1: ", timed = " (at the timed shape)";
    EXPECT_EQ(with(pack), head + ": the task declares no constant inputs" + timed);
    constant_ = true;
    if (nvrtc_and_no_gpu()) {
        EXPECT_EQ(with(pack), "built");
        EXPECT_EQ(facts_["steps"], 1);
        EXPECT_EQ(facts_["prepack_steps"], 1);
        EXPECT_EQ(judge("return { { kernel = \"first\", grid = 1, block = 32, args = { \"a\", \"o\" } } }"), "built");
        EXPECT_FALSE(facts_.contains("prepack_steps"));
    }
    const std::string early =
        " cannot be prepacked: only constants and workspaces are there before a call, and none that is zeroed in it";
    EXPECT_EQ(with("{ kernel = \"first\", grid = 1, block = 32, args = { \"a\", \"o\" } }"),
              step + "kernel \"first\": args: 2: \"o\"" + early + timed);
    EXPECT_EQ(with(pack + ", { copy = \"packed\", from = \"a\" }"), head + ", step 2: only kernels prepack" + timed);
    EXPECT_EQ(with(pack, "{ bytes = 4*R*C, zero = true }"),
              step + "kernel \"first\": args: 2: \"packed\"" + early + timed);
    EXPECT_EQ(
        with("{ kernel = \"first\", grid = 1, block = 32 }"),
        step + "kernel \"first\": args: is missing; what is prepacked names its constants and workspaces" + timed);
}

TEST_F(CudaPlan, TensorMapsAreChecked) {
    const auto map = [&](const std::string& fields) {
        return kernel("args = { tensor_map { tensor = \"a\", " + fields + " } }");
    };
    const std::string head = "PLAN_ERROR: plan.lua: step 1: kernel \"first\": args: 1: tensor_map: ",
                      timed = " (at the timed shape)";
    EXPECT_EQ(map("shape = { C, R + 1 }, box = { 32, 1 }"),
              head + "shape and strides reach beyond the tensor's end" + timed);
    EXPECT_EQ(map("shape = { C, R }, box = { 32 }"), head + "box: must have 2 elements" + timed);
    EXPECT_EQ(map("shape = { C, R }, box = { 3, 1 }"),
              head + "box: its first dimension must be a multiple of 16 bytes" + timed);
    EXPECT_EQ(map("shape = { C, R }, box = { 64, 1 }, swizzle = 128"),
              head + "box: its first dimension is longer than the swizzle" + timed);
    EXPECT_EQ(map("shape = { C, R }, box = { 32, 1 }, swizzle = 16"),
              head + "swizzle: must be one of 0, 32, 64, 128" + timed);
    EXPECT_EQ(map("shape = { C, R }, strides = { 4*C + 4 }, box = { 32, 1 }"),
              head + "strides: must be multiples of 16 bytes" + timed);
    EXPECT_EQ(map("shape = { 1, 1, 1, 1, 1, 1 }, box = { 32, 1 }"),
              head + "shape: must have 1 to 5 dimensions, the innermost first" + timed);
    EXPECT_EQ(map("shape = { C }, box = { 32 }, type = \"f8\""),
              head + "type must be one of u8, i8, bool, u16, u32, i32, u64, i64, f16, f32, f64, bf16, tf32" + timed);
    EXPECT_EQ(map("shape = { 1 << 32, 1 << 32, 1 << 32 }, strides = { 1 << 39, 1 << 39 }, box = { 32, 1, 1 }"),
              head + "shape and strides reach beyond the tensor's end" + timed);
}

TEST_F(CudaPlan, CompilerOptionsAreOfAWhiteList) {
    const auto with = [&](const std::string& parts) {
        return judge("return { " + parts + ", { kernel = \"first\", grid = 1, block = 1 } }", "f64");
    };
    const std::string head = "PLAN_ERROR: plan.lua: ", timed = " (at the timed shape)";
    EXPECT_EQ(with("options = { \"--use_fast_math\" }"),
              head + "options: 1: --use_fast_math: this task's tolerance (f64) leaves no room for it" + timed);
    EXPECT_EQ(with("options = { \"-I/etc\" }"),
              head +
                  "options: 1: \"-I/etc\" is not allowed; allowed are: --maxrregcount=16 to 255, --use_fast_math, "
                  "--ftz=true, --prec-div=false, "
                  "--prec-sqrt=false, --fmad=false, --fmad=true, --ftz=false, --prec-div=true, --prec-sqrt=true, "
                  "--extra-device-vectorization, "
                  "--restrict" +
                  timed);
    EXPECT_EQ(with("options = { \"--maxrregcount=4 -I\" }").substr(0, 74),
              head + "options: 1: \"--maxrregcount=4 -I\" is not allowed; al");
    EXPECT_EQ(
        with("defines = { X = \"1\\\" --x\" }"),
        head + "defines: X: must be a number, true, false or a text of up to 64 letters, digits, blanks and _.+-:<>*" +
            timed);
    EXPECT_EQ(with("defines = { 1 }"), head + "defines: must have names: defines = { TILE = 32 }" + timed);
}

TEST_F(CudaPlan, KernelsTakeWhatIsPassed) {
    if (!nvrtc_and_no_gpu()) GTEST_SKIP() << needs_nvrtc_and_no_gpu;
    EXPECT_EQ(kernel("args = { \"a\", \"o\" }"), "built");
    EXPECT_EQ(kernel("args = { \"a\" }"), "PLAN_ERROR: kernel first takes 2 parameters, 1 are passed");
    EXPECT_EQ(step("grid = 1, block = 1"), "PLAN_ERROR: kernel first takes 2 parameters, 4 are passed");
    EXPECT_EQ(kernel("args = { \"a\", int(1) }"), "PLAN_ERROR: parameter 2 of first has 8 bytes, 4 are passed");
    EXPECT_EQ(kernel("args = { struct { \"a\", int(R) }, 1 }"),
              "PLAN_ERROR: parameter 1 of first has 8 bytes, 16 are passed");
}

// A scalar is an argument by its name, with its own size; it lies nowhere.
TEST_F(CudaPlan, ScalarsArePassedByValue) {
    scalar_ = true;
    const std::string step = "PLAN_ERROR: plan.lua: step 1: ", args = step + "kernel \"first\": args: ",
                      no_address =
                          "\"s\" is a scalar: it is an argument by its name alone, and has no address (at the "
                          "timed shape)";
    EXPECT_EQ(kernel("args = { { \"s\", 0 } }"), args + "1: 1: " + no_address);
    EXPECT_EQ(judge("return { { copy = \"o\", from = \"s\" } }"), step + "from: " + no_address);
    if (!nvrtc_and_no_gpu()) GTEST_SKIP() << needs_nvrtc_and_no_gpu;
    const char* text = "extern \"C\" __global__ void first(const float* a, float s, float* o) { o[0] = s * a[0]; }\n";
    EXPECT_EQ(
        judge("return { { kernel = \"first\", grid = 1, block = 1, args = { \"a\", \"s\", \"o\" } } }", "f32", text),
        "built");
    EXPECT_EQ(kernel("args = { \"a\", \"s\" }"), "PLAN_ERROR: parameter 2 of first has 8 bytes, 4 are passed");
}

TEST_F(CudaPlan, WithoutArgumentsAKernelGetsScalarsByValueAndNoStart) {
    if (!nvrtc_and_no_gpu()) GTEST_SKIP() << needs_nvrtc_and_no_gpu;
    scalar_ = in_place_ = true;
    const auto bare = [this](const char* parameters) {
        const std::string text =
            std::string("extern \"C\" __global__ void k(") + parameters + ") { o[0] += s * a[0]; }\n";
        return judge("", "f32", text.c_str());
    };
    EXPECT_EQ(bare("const float* a, float s, float* o, long R, long C"), "built");
    EXPECT_EQ(bare("const float* a, double s, float* o, long R, long C"),
              "COMPILE_ERROR: parameter 2 of k has 8 bytes, 4 are passed");
}

TEST_F(CudaPlan, HostileTextEndsInTime) {
    const std::string timed = " (at the timed shape)",
                      memory = "PLAN_ERROR: plan.lua: the plan needs more than 1024 KiB of memory" + timed;
    EXPECT_EQ(judge("while true do end"),
              "PLAN_ERROR: plan.lua:1: the plan takes more than 1000000 instructions: a loop without end?" + timed);
    EXPECT_EQ(judge("local t = {} for i = 1, 1e9 do t[i] = i end"), memory);
    EXPECT_EQ(judge("local s = \"x\" while true do s = s .. s end"), memory);
    EXPECT_EQ(judge("local function f() return f() + 1 end return f()"), memory);
    EXPECT_EQ(judge("local x = \"0123456789\" for i = 1, 15 do x = x .. x end while true do local y = x .. \"1\" end"),
              "PLAN_ERROR: plan.lua: its evaluation takes too long");
    EXPECT_EQ(judge("local t = {} t[1] = t return t"),
              "PLAN_ERROR: plan.lua: the plan's tables are nested more than 8 deep" + timed);
    EXPECT_EQ(judge("local t = {} for i = 1, 9000 do t[i] = 1 end return t"),
              "PLAN_ERROR: plan.lua: the plan is too long: more than 8192 values" + timed);
    EXPECT_EQ(judge("return { min }"), "PLAN_ERROR: plan.lua: the plan holds a function, which is no data" + timed);
    EXPECT_EQ(
        judge("return { [true] = 1 }"),
        "PLAN_ERROR: plan.lua: the plan holds a table whose keys are neither names nor the numbers of a list" + timed);
    EXPECT_EQ(
        judge("return { 1/0 }"),
        "PLAN_ERROR: plan.lua: the plan holds a number that is not finite; as an argument write float(x) or double(x)" +
            timed);
    EXPECT_EQ(judge("\x1bLua"), "PLAN_ERROR: plan.lua: attempt to load a binary chunk (mode is 't')" + timed);
    EXPECT_EQ(judge("return { \"\\xff\\0\" }"),
              "PLAN_ERROR: plan.lua: step 1: names no kernel, set, copy or torch" + timed);
    EXPECT_EQ(
        judge("local t = { { kernel = \"first\", grid = 1, block = 1 } } for i = 2, 600 do t[i] = t[1] end return t"),
        "PLAN_ERROR: plan.lua: more than 512 steps" + timed);
    for (const char* name :
         {"print", "load", "require", "pairs", "string", "os", "io", "debug", "setmetatable", "error", "_G"})
        EXPECT_EQ(judge(std::string("return ") + name + "()"),
                  std::string("PLAN_ERROR: plan.lua:1: no name \"") + name +
                      "\" is known here; the task's sizes are: C, R" + timed);
    EXPECT_EQ(judge("return (\"x\"):rep(9)"),
              "PLAN_ERROR: plan.lua:1: attempt to index a string value (constant 'x')" + timed);
}

}  // namespace
}  // namespace hone
