// Library steps of launch plans where there is no GPU: which steps are refused in which words, and what LibTorch makes
// of those that are taken, on the host's memory.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmath>
#include <functional>
#include <numeric>
#include "base/paths.hpp"
#include "cuda_plan_fixture.hpp"
#include "lua/task_file.hpp"
#include "test_folders.hpp"
#include "verifier_cuda/library/library.hpp"
#include "verifier_cuda/plan/hidden.hpp"
#include "verifier_cuda/plan/plan_operands.hpp"
#include "verifier_cuda/plan/plan_operators.hpp"
#include "verifier_cuda/runner/runner_lock.hpp"

namespace hone {
namespace {

const std::string library_path = HONE_TEST_PLUGIN_DIR "/../runners/hone-library-steps.so";
bool is_built() { return fs::exists(library_path); }

// Shapes of the tensors that a step names; the last one is to be written.
using Tensors = std::vector<std::pair<const char*, cuda::Shape>>;

cuda::TaskShapes task_of(const Tensors& tensors, const char* dtype = "f32", std::uint64_t bytes = 4) {
    cuda::TaskShapes task;
    task.sizes = {{}};
    for (std::size_t i = 0; i < tensors.size(); ++i)
        (i + 1 < tensors.size() ? task.inputs : task.outputs)
            .push_back({tensors[i].first, dtype, bytes, false, false, false, {tensors[i].second}});
    return task;
}

// text: the step as hone-plan gives it, whose lists have "1", "2", ... for keys.
cuda::LibraryStep step_of(const Json& step, const cuda::TaskShapes& task) {
    const Json none = Json::object();
    const cuda::PlanMemory memory(cuda::Field(none, ""), 0, task);
    return cuda::read_library_step(cuda::Field(step, "step 1"), memory, static_cast<std::uint32_t>(task.inputs.size()));
}

Json call(const char* name, Json args) { return {{"torch", name}, {"args", std::move(args)}, {"out", "o"}}; }

class LibrarySteps : public ::testing::Test {
protected:
    std::string refusal(const Json& step, const Tensors& tensors, const char* dtype = "f32") {
        try {
            step_of(step, task_of(tensors, dtype));
            return "taken";
        } catch (const cuda::PlanError& e) {
            return e.what();
        }
    }
};

TEST_F(LibrarySteps, OperatorsAreAList) {
    const Tensors tensors = {{"a", {4, 8}}, {"b", {8, 6}}, {"o", {4, 6}}};
    EXPECT_EQ(refusal(call("mm", {{"1", "a"}, {"2", "b"}}), tensors), "taken");
    EXPECT_EQ(refusal(call("from_file", {{"1", "a"}}), tensors),
              "step 1: is not offered; operators are: addmm, baddbmm, bmm, conv1d, conv2d, conv3d, "
              "conv_transpose1d, conv_transpose2d, conv_transpose3d, linear, matmul, mm, scaled_dot_product_attention");
    EXPECT_EQ(refusal({{"torch", "mm"}, {"out", "o"}}, tensors), "step 1: args is missing");
    EXPECT_EQ(refusal({{"torch", "mm"}, {"args", {{"1", "a"}, {"2", "b"}}}}, tensors), "step 1: out is missing");
    EXPECT_EQ(refusal(call("mm", {{"1", "a"}}), tensors), "step 1: args: mm takes 2 tensors, 1 are given");
    EXPECT_EQ(refusal(call("linear", {{"1", "a"}}), tensors), "step 1: args: linear takes 2 or 3 tensors, 1 are given");
    EXPECT_EQ(refusal(call("mm", {{"1", "a"}, {"2", "b"}, {"alpha", 2}}), tensors),
              "step 1: args: there is no field \"alpha\"");
    EXPECT_EQ(refusal(call("mm", {{"1", "a"}, {"2", "c"}}), tensors),
              "step 1: args: 2: \"c\" is no input, output or workspace; there are: a, b, o");
    EXPECT_EQ(refusal({{"torch", "mm"}, {"args", {{"1", "a"}, {"2", "b"}}}, {"out", "o"}, {"grid", 1}}, tensors),
              "step 1: there is no field \"grid\"; there are: torch, args, out");
}

TEST_F(LibrarySteps, ProductsFit) {
    const auto product = [&](const char* name, cuda::Shape a, cuda::Shape b, cuda::Shape o) {
        return refusal(call(name, {{"1", "a"}, {"2", "b"}}), {{"a", a}, {"b", b}, {"o", o}});
    };
    EXPECT_EQ(product("matmul", {4, 8}, {8, 6}, {4, 6}), "taken");
    EXPECT_EQ(product("matmul", {2, 3, 4, 8}, {8, 6}, {2, 3, 4, 6}), "taken");
    EXPECT_EQ(product("matmul", {2, 3, 4, 8}, {2, 3, 8, 6}, {2, 3, 4, 6}), "taken");
    EXPECT_EQ(product("bmm", {3, 4, 8}, {3, 8, 6}, {3, 4, 6}), "taken");
    EXPECT_EQ(product("matmul", {4, 8}, {6, 8}, {4, 6}), "step 1: args: no product of [4, 8] and [6, 8]");
    EXPECT_EQ(product("bmm", {3, 4, 8}, {1, 8, 6}, {3, 4, 6}), "step 1: args: no product of [3, 4, 8] and [1, 8, 6]");
    EXPECT_EQ(product("mm", {3, 4, 8}, {8, 6}, {3, 4, 6}), "step 1: args: 1: has 3 dimensions, must have 2");
    EXPECT_EQ(product("matmul", {8}, {8, 6}, {6}), "step 1: args: 1: has 1 dimension, must have 2 to 5");
    EXPECT_EQ(product("mm", {4, 8}, {8, 6}, {6, 4}), "step 1: out: has the shape [6, 4], mm makes [4, 6]");
    EXPECT_EQ(product("linear", {2, 4, 8}, {6, 8}, {2, 4, 6}), "taken");
    EXPECT_EQ(product("linear", {4, 8}, {8, 6}, {4, 6}), "step 1: args: no layer of [8, 6] for [4, 8]");
}

TEST_F(LibrarySteps, WhatIsAddedSpreads) {
    const auto sum = [&](const char* name, cuda::Shape c, cuda::Shape a, cuda::Shape b, cuda::Shape o) {
        return refusal(call(name, {{"1", "c"}, {"2", "a"}, {"3", "b"}}), {{"c", c}, {"a", a}, {"b", b}, {"o", o}});
    };
    EXPECT_EQ(sum("addmm", {6}, {4, 8}, {8, 6}, {4, 6}), "taken");
    EXPECT_EQ(sum("addmm", {4, 1}, {4, 8}, {8, 6}, {4, 6}), "taken");
    EXPECT_EQ(sum("baddbmm", {6}, {2, 4, 8}, {2, 8, 6}, {2, 4, 6}), "taken");
    EXPECT_EQ(sum("addmm", {4}, {4, 8}, {8, 6}, {4, 6}), "step 1: args: 1: [4] cannot be added to [4, 6]");
    EXPECT_EQ(sum("linear", {4, 8}, {6, 8}, {4}, {4, 6}), "step 1: args: 3: a bias must have the shape [6], not [4]");
}

TEST_F(LibrarySteps, WindowsFit) {
    const auto convolution = [&](const char* name, cuda::Shape x, cuda::Shape w, cuda::Shape o, Json more = {}) {
        Json args = {{"1", "x"}, {"2", "w"}};
        if (!more.is_null()) args.update(more);
        return refusal(call(name, args), {{"x", x}, {"w", w}, {"o", o}});
    };
    EXPECT_EQ(convolution("conv2d", {2, 3, 9, 9}, {5, 3, 3, 3}, {2, 5, 7, 7}), "taken");
    EXPECT_EQ(convolution("conv2d", {2, 3, 9, 9}, {5, 3, 3, 3}, {2, 5, 5, 5}, {{"stride", 2}, {"padding", 1}}),
              "taken");
    EXPECT_EQ(convolution("conv2d", {2, 4, 9, 9}, {6, 2, 3, 3}, {2, 6, 7, 7}, {{"groups", 2}}), "taken");
    EXPECT_EQ(convolution("conv1d", {2, 3, 9}, {5, 3, 3}, {2, 5, 7}), "taken");
    EXPECT_EQ(convolution("conv3d", {1, 3, 4, 5, 6}, {5, 3, 2, 2, 2}, {1, 5, 3, 4, 5}), "taken");
    EXPECT_EQ(
        convolution("conv_transpose2d", {2, 3, 4, 4}, {3, 5, 4, 4}, {2, 5, 8, 8}, {{"stride", 2}, {"padding", 1}}),
        "taken");
    EXPECT_EQ(convolution("conv2d", {2, 3, 9, 9}, {5, 3, 3, 3}, {2, 5, 9, 9}),
              "step 1: out: has the shape [2, 5, 9, 9], conv2d makes [2, 5, 7, 7]");
    EXPECT_EQ(convolution("conv2d", {2, 4, 9, 9}, {6, 4, 3, 3}, {2, 6, 7, 7}, {{"groups", 2}}),
              "step 1: args: weights [6, 4, 3, 3] do not fit channels of [2, 4, 9, 9] in 2 groups");
    EXPECT_EQ(convolution("conv2d", {2, 3, 9}, {5, 3, 3}, {2, 5, 7}), "step 1: args: 1: has 3 dimensions, must have 4");
    EXPECT_EQ(convolution("conv2d", {2, 3, 2, 9}, {5, 3, 3, 3}, {2, 5, 1, 7}),
              "step 1: args: the window is larger than what it moves over");
    EXPECT_EQ(convolution("conv2d", {2, 3, 9, 9}, {5, 3, 3, 3}, {2, 5, 7, 7}, {{"stride", 0}}),
              "step 1: args: stride: must be a whole number from 1 to 1048576, is 0");
    EXPECT_EQ(convolution("conv2d", {2, 3, 9, 9}, {5, 3, 3, 3}, {2, 5, 7, 7}, {{"stride", {{"1", 1}}}}),
              "step 1: args: stride: must be a number or a list of 2");
    EXPECT_EQ(convolution("conv_transpose1d", {2, 3, 4}, {3, 5, 4}, {2, 5, 8}, {{"output_padding", 1}}),
              "step 1: args: output_padding: must be below stride or dilation");
}

TEST_F(LibrarySteps, TensorsStayWithinTheirMemory) {
    const Tensors tensors = {{"a", {4, 8}}, {"b", {8, 6}}, {"o", {4, 6}}};
    const auto view = [&](Json a) { return refusal(call("mm", {{"1", std::move(a)}, {"2", "b"}}), tensors); };
    const auto shape = [](int m, int n) { return Json{{"1", m}, {"2", n}}; };
    EXPECT_EQ(view({{"1", "a"}, {"shape", shape(4, 8)}, {"strides", shape(8, 1)}}), "taken");
    EXPECT_EQ(view({{"1", "a"}, {"shape", shape(4, 8)}, {"strides", shape(1, 4)}}), "taken");
    EXPECT_EQ(view({{"1", "a"}, {"shape", shape(5, 8)}}), "step 1: args: 1: reaches beyond the end of \"a\"");
    // its strides, as products, would pass 2^63
    const Json huge = {{"1", 2}, {"2", std::int64_t{1} << 23}, {"3", std::int64_t{1} << 40}};
    EXPECT_EQ(view({{"1", "a"}, {"shape", huge}}), "step 1: args: 1: reaches beyond the end of \"a\"");
    EXPECT_EQ(view({{"1", "a"}, {"offset", 4}}), "step 1: args: 1: reaches beyond the end of \"a\"");
    EXPECT_EQ(view({{"1", "a"}, {"offset", 2}}), "step 1: args: 1: offset: must be a multiple of 4 bytes");
    EXPECT_EQ(view({{"1", "a"}, {"shape", shape(4, 8)}, {"strides", {{"1", std::int64_t{1} << 40}, {"2", 1}}}}),
              "step 1: args: 1: reaches beyond the end of \"a\"");
    EXPECT_EQ(view({{"1", "a"}, {"shape", shape(4, 8)}, {"strides", {{"1", 8}}}}),
              "step 1: args: 1: strides: must have 2 elements");
    EXPECT_EQ(view({{"1", "a"}, {"2", 64}}), "step 1: args: 1: must be a name, or { name, shape = { ... } }");
    EXPECT_EQ(view({{"1", "a"}, {"shape", Json::object()}}), "step 1: args: 1: shape: must have 1 to 5 dimensions");
}

TEST_F(LibrarySteps, ResultsAreDenseAndApart) {
    const Tensors tensors = {{"a", {4, 4}}, {"o", {2, 4, 4}}};
    const auto step = [&](Json b, Json out) {
        return refusal({{"torch", "mm"}, {"args", {{"1", "a"}, {"2", std::move(b)}}}, {"out", std::move(out)}},
                       tensors);
    };
    const Json square = {{"1", 4}, {"2", 4}}, first = {{"1", "o"}, {"shape", square}},
               second = {{"1", "o"}, {"shape", square}, {"offset", 64}},
               other = {{"1", "o"}, {"shape", square}, {"offset", 60}};
    EXPECT_EQ(step(first, second), "taken");
    EXPECT_EQ(step(first, first), "step 1: out: shares memory with an argument");
    EXPECT_EQ(step(first, other), "step 1: out: shares memory with an argument");
    EXPECT_EQ(step("a", {{"1", "o"}, {"shape", square}, {"strides", {{"1", 1}, {"2", 4}}}}),
              "step 1: out: strides: must be those of a dense tensor");
}

TEST_F(LibrarySteps, ElementsAreFloats) {
    const Tensors tensors = {{"a", {4, 4}}, {"b", {4, 4}}, {"o", {4, 4}}};
    const Json product = call("mm", {{"1", "a"}, {"2", "b"}});
    EXPECT_EQ(refusal(product, tensors, "bf16"), "taken");
    EXPECT_EQ(refusal(product, tensors, "i32"),
              "step 1: args: 1: \"a\" has elements of type i32; operators take f64, f32, f16 and bf16");
    cuda::TaskShapes mixed = task_of(tensors);
    mixed.inputs[1].dtype = "f64";
    mixed.inputs[1].element_bytes = 8;
    EXPECT_THROW(step_of(product, mixed), cuda::PlanError);
}

// ---- plans, by hone-plan and the verifier

class LibraryPlans : public CudaPlan {
protected:
    void SetUp() override {
        if (!is_built()) GTEST_SKIP() << "configured with HONE_TORCH=OFF";
    }
    const std::string head_ = "PLAN_ERROR: plan.lua: step 1: torch \"matmul\": ", timed_ = " (at the timed shape)";
    const std::string product_ =
        "{ torch = \"matmul\", args = { \"a\", { \"v\", shape = { C, 1 } } }, out = { \"o\", shape = { R, 1 } } }";
    std::string plan(const std::string& step, const std::string& workspaces = "v = { shape = { C }, zero = true }") {
        return judge("return { workspaces = { " + workspaces + " }, " + step + " }");
    }
};

TEST_F(LibraryPlans, AreBuilt) {
    if (!nvrtc_and_no_gpu()) GTEST_SKIP() << needs_nvrtc_and_no_gpu;
    EXPECT_EQ(plan(product_ + ", { kernel = \"first\", grid = 1, block = 32, args = { \"a\", \"o\" } }"), "built");
    EXPECT_EQ(facts_.at("operators"), "matmul");
    EXPECT_EQ(facts_.at("steps"), 3);
    EXPECT_EQ(facts_.at("workspace_bytes"), 4 * 4096);
}

// scripts/kernels/gpu-library/TASK.NAME.cu, of tasks of gpu-basics.
TEST_F(LibraryPlans, HandWrittenOnesAreBuilt) {
    if (!nvrtc_and_no_gpu()) GTEST_SKIP() << needs_nvrtc_and_no_gpu;
    int programs = 0;
    for (const auto& entry : fs::directory_iterator(fs::path(HONE_TEST_SOURCE_DIR) / "scripts/kernels/gpu-library")) {
        if (entry.path().extension() != ".cu") continue;
        const std::string name = entry.path().stem().string(), task = name.substr(0, name.find('.'));
        const std::string plan = read_file(fs::path(entry.path()).replace_extension(".lua"));
        for (const Task& one : load_suite("gpu-basics")) {
            if (one.name() != task) continue;
            EXPECT_EQ(judge_task(to_json(one), plan, read_file(entry.path())), "built") << name;
        }
        ++programs;
    }
    EXPECT_GE(programs, 4);
}

TEST_F(LibraryPlans, WorkspacesHaveShapes) {
    EXPECT_EQ(plan(product_, "v = 4*C"),
              head_ + "args: 2: \"v\" has elements of type u8; operators take f64, f32, f16 and bf16" + timed_);
    const std::string w = "PLAN_ERROR: plan.lua: workspaces: v: ";
    EXPECT_EQ(plan(product_, "v = { shape = { C }, bytes = 4 }"), w + "bytes: follow from shape and type" + timed_);
    EXPECT_EQ(plan(product_, "v = { bytes = 4, type = \"f32\" }"),
              w + "type: is that of a shape, which is missing" + timed_);
    EXPECT_EQ(plan(product_, "v = { shape = { C, 1 << 20 } }"), w + "shape: takes more than 1 GiB" + timed_);
    EXPECT_EQ(plan(product_, "v = { shape = {} }"), w + "shape: must have 1 to 5 dimensions" + timed_);
    EXPECT_EQ(plan(product_, "v = { shape = { C }, type = \"f8\" }"),
              w + "type must be one of u8, i8, bool, u16, u32, i32, u64, i64, f16, f32, f64, bf16, tf32" + timed_);
}

TEST_F(LibraryPlans, NeverWriteInputs) {
    EXPECT_EQ(plan("{ torch = \"matmul\", args = { \"a\", \"a\" }, out = \"a\" }"),
              head_ + "out: an input cannot be written" + timed_);
    EXPECT_EQ(plan("{ torch = \"matmul\", args = { \"a\", \"a\" }, out = { \"a\", shape = { 1, 1 } } }"),
              head_ + "out: 1: an input cannot be written" + timed_);
}

TEST_F(LibraryPlans, AreNoKernels) {
    EXPECT_EQ(
        plan(product_ + ", { kernel = \"first\", grid = 1, block = 32, dependent = true }"),
        "PLAN_ERROR: plan.lua: step 2: kernel \"first\": dependent: the step in front of it is no kernel" + timed_);
    constant_ = true;
    EXPECT_EQ(judge("return { { kernel = \"first\", grid = 1, block = 32 }, prepack = { " + product_ + " } }"),
              "PLAN_ERROR: plan.lua: prepack, step 1: only kernels prepack" + timed_);
    EXPECT_EQ(judge("local t = { workspaces = { v = { shape = { C } } } } for i = 1, 33 do t[i] = " + product_ +
                    " end return t"),
              "PLAN_ERROR: plan.lua: more than 32 library steps" + timed_);
}

// Whatever the sizes make of a step, one text is told.
TEST_F(LibraryPlans, AreNotQuotedAtHiddenShapes) {
    const char* const faults[] = {"{ torch = \"conv\" .. C, args = { \"a\" }, out = \"o\" }",
                                  "{ torch = \"matmul\", args = { \"a\", { \"a\", offset = 4 * C } }, out = \"o\" }",
                                  "{ torch = \"matmul\", args = { \"a\", \"t\" .. C }, out = \"o\" }"};
    for (const std::string fault : faults)
        for (const int columns : {1000, 4097}) {
            hidden_ = Json::array({{{"R", 3}, {"C", columns}}});
            EXPECT_EQ(plan("C == 4096 and " + product_ + " or " + fault),
                      std::string("PLAN_ERROR: ") + cuda::hidden_table);
        }
}

TEST_F(CudaPlan, LibrarySteps) {
    if (is_built()) GTEST_SKIP() << "configured with LibTorch";
    EXPECT_EQ(
        judge("return { { torch = \"matmul\", args = { \"a\", \"a\" }, out = \"o\" } }"),
        "PLAN_ERROR: plan.lua: step 1: torch \"matmul\": library steps are not offered here: this hone was built "
        "without LibTorch; build it with ./dev build, or write a kernel in place of the step (at the timed shape)");
}

// ---- LibTorch, on the host's memory

std::int64_t count(const cuda::Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

class LibraryOnHost : public ::testing::Test {
protected:
    void SetUp() override {
        if (!is_built()) GTEST_SKIP() << "configured with HONE_TORCH=OFF";
        void* opened = dlopen(library_path.c_str(), RTLD_NOW | RTLD_LOCAL);
        ASSERT_TRUE(opened) << dlerror();
        std::string why;
        library_.reset(reinterpret_cast<cuda::OpenLibrary>(dlsym(opened, cuda::open_library_symbol))(-1, nullptr, why));
        ASSERT_TRUE(library_) << why;
    }
    // What the step leaves in its last tensor; the others hold small numbers that differ.
    std::vector<float> run(const Json& json, const Tensors& tensors) {
        values_.clear();
        for (const auto& [name, shape] : tensors) {
            std::vector<float>& list = values_.emplace_back(static_cast<std::size_t>(count(shape)));
            for (std::size_t i = 0; i < list.size(); ++i)
                list[i] = static_cast<float>((i * 7 + values_.size() * 3) % 11) / 4 - 1;
        }
        std::fill(values_.back().begin(), values_.back().end(), std::nanf(""));
        std::vector<std::uint64_t> addresses;
        for (std::vector<float>& list : values_) addresses.push_back(reinterpret_cast<std::uint64_t>(list.data()));
        std::string why;
        EXPECT_EQ(library_->run(step_of(json, task_of(tensors)), addresses.data(), why), cuda::Library::Outcome::done)
            << why;
        return values_.back();
    }
    void expect(const std::vector<float>& got, const std::function<double(std::size_t)>& wanted) {
        for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], wanted(i), 1e-4) << i;
    }
    // row by column of matrices that begin at an element
    double dot(std::size_t a, std::size_t at_a, std::size_t b, std::size_t at_b, std::size_t step_b,
               std::size_t n) const {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += values_[a][at_a + i] * values_[b][at_b + i * step_b];
        return sum;
    }
    std::unique_ptr<cuda::Library> library_;
    std::vector<std::vector<float>> values_;
};

TEST_F(LibraryOnHost, MultipliesMatrices) {
    for (const char* name : {"matmul", "mm"})
        expect(run(call(name, {{"1", "a"}, {"2", "b"}}), {{"a", {4, 8}}, {"b", {8, 6}}, {"o", {4, 6}}}),
               [&](std::size_t i) { return dot(0, i / 6 * 8, 1, i % 6, 6, 8); });
    expect(run(call("matmul", {{"1", "a"}, {"2", "b"}}), {{"a", {2, 4, 8}}, {"b", {8, 6}}, {"o", {2, 4, 6}}}),
           [&](std::size_t i) { return dot(0, i / 6 * 8, 1, i % 6, 6, 8); });
    expect(run(call("bmm", {{"1", "a"}, {"2", "b"}}), {{"a", {3, 4, 8}}, {"b", {3, 8, 6}}, {"o", {3, 4, 6}}}),
           [&](std::size_t i) { return dot(0, i / 6 * 8, 1, i / 24 * 48 + i % 6, 6, 8); });
}

TEST_F(LibraryOnHost, AddsToProducts) {
    expect(run(call("addmm", {{"1", "c"}, {"2", "a"}, {"3", "b"}, {"beta", 2}, {"alpha", 0.5}}),
               {{"c", {6}}, {"a", {4, 8}}, {"b", {8, 6}}, {"o", {4, 6}}}),
           [&](std::size_t i) { return 2 * values_[0][i % 6] + 0.5 * dot(1, i / 6 * 8, 2, i % 6, 6, 8); });
    expect(run(call("linear", {{"1", "x"}, {"2", "w"}, {"3", "c"}}),
               {{"x", {2, 3, 8}}, {"w", {6, 8}}, {"c", {6}}, {"o", {2, 3, 6}}}),
           [&](std::size_t i) { return values_[2][i % 6] + dot(0, i / 6 * 8, 1, i % 6 * 8, 1, 8); });
}

TEST_F(LibraryOnHost, TakesViews) {
    const Json columns = {{"1", "b"}, {"shape", {{"1", 8}, {"2", 6}}}, {"strides", {{"1", 1}, {"2", 8}}}};
    expect(run(call("mm", {{"1", "a"}, {"2", columns}}), {{"a", {4, 8}}, {"b", {6, 8}}, {"o", {4, 6}}}),
           [&](std::size_t i) { return dot(0, i / 6 * 8, 1, i % 6 * 8, 1, 8); });
}

// x [2, 4, 5, 6], w [6, 2, 3, 3] in two groups, stride 2, padding 1: o [2, 6, 3, 3]
TEST_F(LibraryOnHost, Convolves) {
    const auto wanted = [&](std::size_t i) {
        const int j = static_cast<int>(i % 3), row = static_cast<int>(i / 3 % 3), m = static_cast<int>(i / 9 % 6),
                  image = static_cast<int>(i / 54);
        double sum = values_[2][static_cast<std::size_t>(m)];
        for (int c = 0; c < 2; ++c)
            for (int u = 0; u < 3; ++u)
                for (int v = 0; v < 3; ++v) {
                    const int y = 2 * row + u - 1, x = 2 * j + v - 1, channel = m / 3 * 2 + c;
                    if (y < 0 || y >= 5 || x < 0 || x >= 6) continue;
                    sum += values_[0][static_cast<std::size_t>(((image * 4 + channel) * 5 + y) * 6 + x)] *
                           values_[1][static_cast<std::size_t>(((m * 2 + c) * 3 + u) * 3 + v)];
                }
        return sum;
    };
    expect(run(call("conv2d", {{"1", "x"}, {"2", "w"}, {"3", "c"}, {"stride", 2}, {"padding", 1}, {"groups", 2}}),
               {{"x", {2, 4, 5, 6}}, {"w", {6, 2, 3, 3}}, {"c", {6}}, {"o", {2, 6, 3, 3}}}),
           wanted);
}

// One channel, so that a convolution is a sum over a window, and its transposed form spreads each element.
TEST_F(LibraryOnHost, ConvolvesInOneAndThreeDimensions) {
    expect(run(call("conv1d", {{"1", "x"}, {"2", "w"}, {"dilation", 2}}),
               {{"x", {1, 1, 9}}, {"w", {1, 1, 3}}, {"o", {1, 1, 5}}}),
           [&](std::size_t i) {
               return values_[0][i] * values_[1][0] + values_[0][i + 2] * values_[1][1] +
                      values_[0][i + 4] * values_[1][2];
           });
    expect(run(call("conv3d", {{"1", "x"}, {"2", "w"}}),
               {{"x", {1, 1, 2, 1, 4}}, {"w", {1, 1, 2, 1, 1}}, {"o", {1, 1, 1, 1, 4}}}),
           [&](std::size_t i) { return values_[0][i] * values_[1][0] + values_[0][i + 4] * values_[1][1]; });
    expect(run(call("conv_transpose1d", {{"1", "x"}, {"2", "w"}, {"3", "c"}, {"stride", 2}}),
               {{"x", {1, 1, 3}}, {"w", {1, 1, 2}}, {"c", {1}}, {"o", {1, 1, 6}}}),
           [&](std::size_t i) { return values_[2][0] + values_[0][i / 2] * values_[1][i % 2]; });
}

// Channels last: what is written lies as the plan says.
TEST_F(LibraryOnHost, WritesChannelsLast) {
    const Json last = {{"1", "o"},
                       {"shape", {{"1", 1}, {"2", 2}, {"3", 1}, {"4", 3}}},
                       {"strides", {{"1", 6}, {"2", 1}, {"3", 6}, {"4", 2}}}};
    Json step = call("conv2d", {{"1", "x"}, {"2", "w"}});
    step["out"] = last;
    expect(run(step, {{"x", {1, 1, 1, 3}}, {"w", {2, 1, 1, 1}}, {"o", {6}}}),
           [&](std::size_t i) { return values_[0][i / 2] * values_[1][i % 2]; });
}

TEST_F(LibraryOnHost, Attends) {
    expect(run(call("scaled_dot_product_attention", {{"1", "q"}, {"2", "k"}, {"3", "v"}, {"is_causal", true}}),
               {{"q", {1, 1, 2, 4}}, {"k", {1, 1, 2, 4}}, {"v", {1, 1, 2, 3}}, {"o", {1, 1, 2, 3}}}),
           [&](std::size_t i) -> double {
               if (i < 3) return values_[2][i];  // the first query sees the first key alone
               const double a = std::exp(dot(0, 4, 1, 0, 1, 4) / 2), b = std::exp(dot(0, 4, 1, 4, 1, 4) / 2);
               return (a * values_[2][i - 3] + b * values_[2][i]) / (a + b);
           });
}

// As hone-jail-cuda does: what is opened before the lock goes on behind it, and what LibTorch asks for in vain is
// refused.
TEST_F(LibraryOnHost, GoesOnInAConfinedProcess) {
    ASSERT_FALSE(library_->folders().empty());
    EXPECT_TRUE(fs::exists(fs::path(library_->folders().front()) / "libtorch_cpu.so"));
    const pid_t child = fork();
    if (child == 0) {
        const bool locked = cuda::lock_runner(library_->folders());
        const std::vector<float> made =
            run(call("mm", {{"1", "a"}, {"2", "b"}}), {{"a", {1, 2}}, {"b", {2, 1}}, {"o", {1, 1}}});
        _exit(locked && made[0] == values_[0][0] * values_[1][0] + values_[0][1] * values_[1][1] ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST_F(LibraryOnHost, SaysWhatIsWrongInOneLine) {
    cuda::LibraryStep step =
        step_of(call("mm", {{"1", "a"}, {"2", "b"}}), task_of({{"a", {4, 8}}, {"b", {8, 6}}, {"o", {4, 6}}}));
    step.in[1].shape[0] = 7;
    std::vector<float> memory(64);
    const std::uint64_t at = reinterpret_cast<std::uint64_t>(memory.data()), addresses[] = {at, at, at};
    std::string why;
    EXPECT_EQ(library_->run(step, addresses, why), cuda::Library::Outcome::failed);
    EXPECT_EQ(why, "mat1 and mat2 shapes cannot be multiplied (4x8 and 7x6)");
}

}  // namespace
}  // namespace hone
