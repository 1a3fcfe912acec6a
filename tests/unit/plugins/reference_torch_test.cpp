// reference.torch against values worked out by hand. Skipped where the tree was configured without LibTorch.
#include <gtest/gtest.h>
#include <unistd.h>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>
#include "base/json.hpp"
#include "domain/task.hpp"
#include "hone/inputs.h"
#include "lua/suites.hpp"
#include "lua/task_file.hpp"
#include "parts/handle.hpp"
#include "test_folders.hpp"

namespace {

using hone::Json;

struct Tensor {
    std::vector<std::int64_t> shape;
    std::vector<float> values;
};

class ReferenceTorch : public ::testing::Test {
protected:
    void SetUp() override {
        if (!std::filesystem::exists(HONE_TEST_PLUGIN_DIR "/reference.torch.so"))
            GTEST_SKIP() << "configured with HONE_TORCH=OFF";
        handle_ = std::make_unique<hone::Handle>(hone::make_recipe("reference", "torch", Json{{"threads", 1}}, "test"));
        functions_ = static_cast<const hone_reference*>(handle_->part().functions);
    }

    // Runs `body` (a Lua function over inputs) with one output of `shape`; three times, since the first call at a shape
    // teaches the others.
    std::vector<float> eager(const std::string& body, const std::vector<Tensor>& inputs,
                             std::vector<std::int64_t> shape) {
        std::vector<float> result;
        void* program = open(body, "eager");
        for (int repeat = 0; repeat < 3; ++repeat) {
            std::vector<float> values(count(shape), std::nanf(""));
            launch(program, inputs, HONE_F32, shape, values.data());
            if (repeat && values != result) ADD_FAILURE() << "call " << repeat << " differs from the first: " << body;
            result = values;
        }
        functions_->close(program);
        return result;
    }

    void* open(const std::string& body, const char* form) {
        const Json task = {{"name", "t"},
                           {"index", 1},
                           {"outputs", {{{"name", "o"}}}},
                           {"source", "return { reference = " + body + " }"}};
        return open_task(task, form);
    }
    void* open_task(const Json& task, const char* form, const char* kind = "cpu") {
        hone_device device{};
        device.size = sizeof device;
        device.kind = kind;
        void* program = nullptr;
        handle_->check(functions_->open(handle_->self(), &device, hone::as_doc(task), form, &program), "open");
        return program;
    }

    template <class T>
    void launch(void* program, const std::vector<Tensor>& inputs, int dtype, const std::vector<std::int64_t>& shape,
                T* values) {
        std::vector<std::vector<T>> memory;
        std::vector<hone_tensor> in;
        for (const auto& input : inputs) {
            memory.emplace_back(input.values.begin(), input.values.end());
            in.push_back({reinterpret_cast<std::uint64_t>(memory.back().data()), dtype,
                          static_cast<std::int32_t>(input.shape.size()), input.shape.data()});
        }
        const hone_tensor out{reinterpret_cast<std::uint64_t>(values), dtype, static_cast<std::int32_t>(shape.size()),
                              shape.data()};
        hone_call call{};
        call.size = sizeof call;
        call.in = in.data();
        call.n_in = static_cast<std::uint32_t>(in.size());
        call.out = &out;
        call.n_out = 1;
        handle_->check(functions_->launch(program, &call), "launch");
    }

    template <class T> std::vector<double> run(const hone::Task&, const hone::Shape&, const char* form);

    std::string error_of(const std::string& body, const std::vector<Tensor>& inputs = {},
                         std::vector<std::int64_t> shape = {1}) {
        try {
            eager(body, inputs, shape);
            return "no error";
        } catch (const hone::Error& e) {
            return e.what();
        }
    }

    static std::size_t count(const std::vector<std::int64_t>& shape) {
        std::size_t n = 1;
        for (const auto d : shape) n *= static_cast<std::size_t>(d);
        return n;
    }

    std::unique_ptr<hone::Handle> handle_;
    const hone_reference* functions_ = nullptr;
};

// A task of one size, as the engine hands it over, with a folder for packages.
class ReferenceTorchCompiled : public ReferenceTorch {
protected:
    void SetUp() override {
        ReferenceTorch::SetUp();
        if (IsSkipped()) return;
        handle_ = std::make_unique<hone::Handle>(
            hone::make_recipe("reference", "torch", Json{{"threads", 1}, {"compiled", folder_.string()}}, "test"));
        functions_ = static_cast<const hone_reference*>(handle_->part().functions);
        std::filesystem::remove_all(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    static Json task(const std::string& body) {
        return {{"name", "t"},
                {"hash", "0123456789abcdef"},
                {"index", 1},
                {"outputs", {{{"name", "o"}}}},
                {"sizes", {"N"}},
                {"shape", {{"N", 3}}},
                {"source", "return { reference = " + body + " }"}};
    }
    void call(void* program, std::int64_t n) {
        std::vector<float> a(static_cast<std::size_t>(n), 1.f), o(a.size());
        const hone_tensor in{reinterpret_cast<std::uint64_t>(a.data()), HONE_F32, 1, &n},
            out{reinterpret_cast<std::uint64_t>(o.data()), HONE_F32, 1, &n};
        hone_call call{};
        call.size = sizeof call;
        call.in = &in;
        call.out = &out;
        call.n_in = call.n_out = 1;
        call.sizes = &n;
        call.n_sizes = 1;
        handle_->check(functions_->launch(program, &call), "launch");
    }
    Json transcript_of(const std::string& body) {
        void* program = open_task(task(body), "eager");
        call(program, 5);  // a hidden shape
        EXPECT_FALSE(std::filesystem::exists(folder_ / "t-0123456789ab-cpu.json"));
        call(program, 3);
        functions_->close(program);
        std::ifstream file(folder_ / "t-0123456789ab-cpu.json");
        return Json::parse(file, nullptr, false);
    }
    const std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("hone-compiled-" + std::to_string(getpid()));
};

TEST_F(ReferenceTorchCompiled, WithoutAPackageItLeavesATranscript) {
    const Json doc = transcript_of(
        "function(a) return torch.clamp((a + 2):to(torch.float64), {max = math.huge}):sum(0, {keepdim = true, dtype = "
        "torch.float32}):expand({a.shape[1]}) end");
    ASSERT_TRUE(doc.is_object());
    EXPECT_EQ(doc["schema"], "hone.transcript/1");
    EXPECT_EQ(doc["inputs"], Json::parse(R"([{"dtype": "float32", "shape": [3]}])"));
    ASSERT_EQ(doc["steps"].size(), 5u);
    EXPECT_EQ(doc["steps"][0], Json::parse(R"({"op": "aten::add.Tensor", "args": [{"tensor": 0}, 2, 1]})"));
    EXPECT_EQ(doc["steps"][1]["args"][1], Json::parse(R"({"dtype": "float64"})"));
    EXPECT_EQ(doc["steps"][2]["args"], Json::parse(R"([{"tensor": 2}, null, {"number": "inf"}])"));
    EXPECT_EQ(
        doc["steps"][3],
        Json::parse(R"({"op": "aten::sum.dim_IntList", "args": [{"tensor": 3}, [0], true, {"dtype": "float32"}]})"));
    EXPECT_EQ(doc["outputs"], Json::parse("[5]"));
}

TEST_F(ReferenceTorchCompiled, WhatCannotBeWrittenDownSaysWhy) {
    EXPECT_EQ(transcript_of("function(a) return torch.masked_select(a, a:gt(0)) end")["fault"],
              "its operators look at values, so another call may run others");
}

TEST_F(ReferenceTorchCompiled, AReferenceThatFailsLeavesNoneAndFailsAgainInItsOwnWords) {
    void* program = open_task(task("function(a) return torch.relu(a):reshape({7}) end"), "eager");
    for (int i = 0; i < 2; ++i) {
        try {
            call(program, 3);
            ADD_FAILURE() << "it ran";
        } catch (const hone::Error& e) {
            EXPECT_NE(std::string(e.what()).find("shape '[7]' is invalid for input of size 3"), std::string::npos)
                << e.what();
        }
        EXPECT_FALSE(std::filesystem::exists(folder_ / "t-0123456789ab-cpu.json"));
    }
    functions_->close(program);
}

TEST_F(ReferenceTorchCompiled, ThereIsNoFormWithoutAPackageAndADamagedOneIsNamed) {
    const Json one = task("function(a) return a + 1 end");
    try {
        open_task(one, "compiled");
        ADD_FAILURE() << "opened";
    } catch (const hone::PartFailed& e) {
        EXPECT_NE(std::string(e.what()).find("no package of this task"), std::string::npos) << e.what();
    }
    std::filesystem::create_directories(folder_);
    const std::string package = (folder_ / "t-0123456789ab-cpu.pt2").string();
    std::ofstream(package) << "no package";
    try {
        open_task(one, "compiled");
        ADD_FAILURE() << "opened";
    } catch (const hone::Error& e) {
        const std::string text = e.what();
        EXPECT_NE(text.find("reference.torch: " + package + " cannot be loaded: "), std::string::npos) << text;
        EXPECT_NE(text.find("; remove it, then scripts/compile_references.py makes it anew"), std::string::npos)
            << text;
        EXPECT_EQ(text.find("reference.torch: reference.torch"), std::string::npos) << text;
    }
}

struct Case {
    const char* body;
    std::vector<Tensor> inputs;
    std::vector<std::int64_t> shape;
    std::vector<float> wanted;
};

TEST_F(ReferenceTorch, AnUnknownKindOfDeviceIsRefusedBeforeItsMemoryIsTouched) {
    const Json task = {{"name", "t"}, {"index", 1}, {"outputs", {{{"name", "o"}}}}, {"source", "return {}"}};
    try {
        open_task(task, "eager", "dsp");
        ADD_FAILURE() << "opened";
    } catch (const hone::PartFailed& e) {
        EXPECT_EQ(std::string(e.what()),
                  "reference \"torch\": open: reference.torch runs on devices of kind cpu and cuda, not \"dsp\"");
    }
}

TEST_F(ReferenceTorch, OperatorsGiveTheValuesWorkedOutByHand) {
    const Tensor m{{2, 3}, {1, 2, 3, 4, 5, 6}}, n{{3, 2}, {1, 0, 0, 1, 1, 1}}, v{{3}, {-1, 0, 2}};
    const Tensor image{{1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}}, box{{1, 1, 2, 2}, {1, 1, 1, 1}};
    const float e1 = 0.09003057f, e2 = 0.24472848f, e3 = 0.66524094f, z = 1.2247356f;  // z: sqrt(3/2) less eps 1e-5
    const std::vector<Case> cases = {
        {"function(a) return torch.softmax(a, 1) end", {m}, {2, 3}, {e1, e2, e3, e1, e2, e3}},
        {"function(a) return F.layer_norm(a, {3}) end", {m}, {2, 3}, {-z, 0, z, -z, 0, z}},
        {"function(a, b) return torch.matmul(a, b) end", {m, n}, {2, 2}, {4, 5, 10, 11}},
        {"function(a, b) return torch.einsum('ij,jk->ik', {a, b}) end", {m, n}, {2, 2}, {4, 5, 10, 11}},
        {"function(a, k) return F.conv2d(a, k) end", {image, box}, {1, 1, 2, 2}, {12, 16, 24, 28}},
        {"function(a, k) return F.conv2d(a, k, nil, {stride = 2, padding = {1, 1}}) end",
         {image, box},
         {1, 1, 2, 2},
         {1, 5, 11, 28}},
        {"function(a) return torch.cumsum(a, 1) end", {m}, {2, 3}, {1, 3, 6, 4, 9, 15}},
        {"function(a) return F.max_pool2d(a, 2, 1) end", {image}, {1, 1, 2, 2}, {5, 6, 8, 9}},
        {"function(a) return torch.where(a:gt(0), a, a * 0.5) end", {v}, {3}, {-0.5f, 0, 2}},
        {"function(a) return torch.where(a:gt(0), a, -7) end", {v}, {3}, {-7, -7, 2}},
        {"function(a) return a:sum(1, {keepdim = true}) end", {m}, {2, 1}, {6, 15}},
        {"function(a) return a:sum{dim = 0} end", {m}, {3}, {5, 7, 9}},
        {"function(a) return a.T end", {m}, {3, 2}, {1, 4, 2, 5, 3, 6}},
        {"function(a) return a:t() + 1 end", {m}, {3, 2}, {2, 5, 3, 6, 4, 7}},
        {"function(a) return 1 / (2 - a) end", {v}, {3}, {1.f / 3, 0.5f, INFINITY}},
        {"function(a) return -a * a / 2 end", {v}, {3}, {-0.5f, 0, -2}},
        {"function(a) return a[1] end", {m}, {3}, {4, 5, 6}},
        {"function(a) return a:narrow(1, 1, 2) end", {m}, {2, 2}, {2, 3, 5, 6}},
        {"function(a) local values = torch.max(a, 1) return values end", {m}, {2}, {3, 6}},
        {"function(a) return torch.cat({a, a}, 0):select(0, 3) end", {m}, {3}, {4, 5, 6}},
        {"function(a) local x = torch.relu(a) x = x + 1 x = x * x return x end", {v}, {3}, {1, 1, 9}},
        {"function(a) return torch.ones({3}) + a end", {v}, {3}, {0, 1, 3}},
        {"function(a) return F.mse_loss(a, a * 0, {reduction = 'sum'}):reshape({1}) end", {v}, {1}, {5}},
        {"function(a) return F.mse_loss(a, a * 0) end", {v}, {}, {5.f / 3}},
        {"function(a) return F.smooth_l1_loss(a, a * 0) end", {v}, {}, {2.f / 3}},
        {"function(a) return a:reshape({a.shape[1] * a.shape[2] // 2, 2}) end", {m}, {3, 2}, {1, 2, 3, 4, 5, 6}},
        {"function(a) return a end", {v}, {3}, {-1, 0, 2}},
    };
    for (const auto& c : cases) {
        SCOPED_TRACE(c.body);
        const auto got = eager(c.body, c.inputs, c.shape);
        for (std::size_t i = 0; i < got.size(); ++i)
            if (std::isinf(c.wanted[i])) EXPECT_EQ(got[i], c.wanted[i]);
            else EXPECT_NEAR(got[i], c.wanted[i], 2e-6);
    }
}

TEST_F(ReferenceTorch, TheFloat64FormComputesInFloat64) {
    void* program = open("function(a) return torch.ones({2}) / 3 + a * 0 end", "float64");
    double values[2] = {};
    launch(program, {{{2}, {5, 7}}}, HONE_F64, {2}, values);
    functions_->close(program);
    EXPECT_EQ(values[0], 1.0 / 3.0);
    EXPECT_EQ(values[1], 1.0 / 3.0);
}

TEST_F(ReferenceTorch, AProgramServesEveryShape) {
    void* program = open("function(a) return torch.softmax(a, 1) end", "eager");
    for (const std::int64_t columns : {1, 2, 4, 2, 1}) {
        std::vector<float> values(static_cast<std::size_t>(columns));
        launch(program, {{{1, columns}, std::vector<float>(values.size(), 3.f)}}, HONE_F32, {1, columns},
               values.data());
        for (const float x : values) EXPECT_EQ(x, 1.f / static_cast<float>(columns));
    }
    functions_->close(program);
}

// Tensors of a task in the memory of the host, floats as T: what a bench would pass.
template <class T> struct Bound {
    std::vector<hone::TensorSpec> specs;
    std::vector<std::string> memory;
    std::vector<hone_tensor> tensors;

    Bound(std::vector<hone::TensorSpec> made, bool filled) : specs(std::move(made)), memory(specs.size()) {
        for (std::size_t i = 0; i < specs.size(); ++i) {
            const auto& spec = specs[i];
            const bool real = spec.dtype == HONE_F32;
            const int dtype = real ? sizeof(T) == 8 ? HONE_F64 : HONE_F32 : spec.dtype;
            const std::size_t width = hone::dtype_bytes(dtype);
            memory[i].assign(static_cast<std::size_t>(spec.elements()) * width, '\xff');
            for (std::int64_t e = 0; filled && e < spec.elements(); ++e) {
                const float value =
                    hone_input(7, static_cast<std::uint32_t>(i), static_cast<std::uint64_t>(e),
                               static_cast<std::uint64_t>(spec.elements()), hone::parse_law(spec.law), 0);
                const T number = value;
                const std::int64_t whole = static_cast<std::int64_t>(value);
                std::memcpy(&memory[i][static_cast<std::size_t>(e) * width],
                            real ? static_cast<const void*>(&number) : &whole, width);
            }
            tensors.push_back({reinterpret_cast<std::uint64_t>(memory[i].data()), dtype,
                               static_cast<std::int32_t>(spec.shape.size()), spec.shape.data()});
        }
    }
};

template <class T> std::vector<double> numbers(const Bound<T>& outputs) {
    std::vector<double> all;
    for (std::size_t i = 0; i < outputs.specs.size(); ++i)
        for (std::int64_t e = 0; e < outputs.specs[i].elements(); ++e) {
            if (outputs.specs[i].dtype == HONE_F32)
                all.push_back(reinterpret_cast<const T*>(outputs.memory[i].data())[e]);
            else
                all.push_back(static_cast<double>(static_cast<unsigned char>(
                    outputs.memory[i][static_cast<std::size_t>(e) * hone::dtype_bytes(outputs.specs[i].dtype)])));
        }
    return all;
}

template <class T>
std::vector<double> ReferenceTorch::run(const hone::Task& task, const hone::Shape& shape, const char* form) {
    const Bound<T> in(hone::tensors(task, "inputs", shape), true), out(hone::tensors(task, "outputs", shape), false);
    const auto sizes = hone::sizes(task, shape);
    hone_call call{};
    call.size = sizeof call;
    call.in = in.tensors.data();
    call.out = out.tensors.data();
    call.n_in = static_cast<std::uint32_t>(in.tensors.size());
    call.n_out = static_cast<std::uint32_t>(out.tensors.size());
    call.sizes = sizes.data();
    call.n_sizes = static_cast<std::uint32_t>(sizes.size());
    void* program = open_task(to_json(task), form);
    handle_->check(functions_->launch(program, &call), "launch");
    functions_->close(program);
    return numbers(out);
}

// Both forms of a task's definition at its first hidden shape (the smallest work), compared with each other.
TEST_F(ReferenceTorch, EveryTaskOfEverySuiteIsDefinedInBothForms) {
    const auto suites = hone::suite_names();
    ASSERT_FALSE(suites.empty());
    for (const auto& suite : suites)
        for (const auto& task : hone::load_suite(suite)) {
            if (task.verifier) continue;  // the fake device's tasks are written for reference.lua
            // narrow formats, and outputs of one element: tests/gpu/honest.lua runs them all
            if (suite == "gpu-basics") continue;
            SCOPED_TRACE(suite + "/" + task.name());
            const auto shapes = hone::hidden_shapes(task);
            const auto shape = shapes.empty() ? hone::timed_shape(task) : shapes[0];
            const auto results = std::make_pair(run<float>(task, shape, "eager"), run<double>(task, shape, "float64"));
            ASSERT_EQ(results.first.size(), results.second.size());
            double error = 0, size = 0;
            for (std::size_t i = 0; i < results.first.size(); ++i) {
                ASSERT_TRUE(std::isfinite(results.first[i]) && std::isfinite(results.second[i])) << "element " << i;
                error += std::pow(results.first[i] - results.second[i], 2);
                size += std::pow(results.second[i], 2);
            }
            EXPECT_GT(size, 0);
            EXPECT_LT(std::sqrt(error / size), 1e-4);
        }
}

// One line for both forms: what the output is, in this form.
TEST_F(ReferenceTorch, AFunctionMayAskWhatItsOutputsAre) {
    const Tensor m{{2, 3}, {1, 2, 3, 4, 5, 6}};
    const char* body = "function(a, o) return torch.sum(a, 1, {dtype = o.dtype}):reshape(o.shape) end";
    EXPECT_EQ(eager(body, {m}, {2, 1}), (std::vector<float>{6, 15}));
    void* program = open(body, "float64");
    double sums[2];
    launch(program, {m}, HONE_F64, {2}, sums);
    functions_->close(program);
    EXPECT_EQ(sums[1], 15);
}

TEST_F(ReferenceTorch, ACastToAFixedTypeIsToldWithTheCure) {
    void* program = open("function(a) return torch.sum(a:to(torch.float32), 1) end", "float64");
    double sums[2];
    try {
        launch(program, {{{2, 3}, {1, 2, 3, 4, 5, 6}}}, HONE_F64, {2}, sums);
        ADD_FAILURE() << "it is taken";
    } catch (const hone::Error& e) {
        const std::string text = e.what();
        EXPECT_NE(text.find("task \"t\": output \"o\": in float64 its reference returned Float [2]; hone also runs the "
                            "reference in float64: do not cast to a fixed type, but to that of the output, which comes "
                            "as a further argument: function(a, o) ... a:to(o.dtype)"),
                  std::string::npos)
            << text;
    }
    functions_->close(program);
}

// A scalar has no dimension, so that it takes part as a number does.
TEST_F(ReferenceTorch, AScalarIsATensorWithoutDimensions) {
    const Tensor x{{2}, {1, 2}}, s{{}, {0.5f}}, y{{2}, {10, 20}};
    EXPECT_EQ(eager("function(x, s, y) return s * x + y end", {x, s, y}, {2}), (std::vector<float>{10.5f, 21}));
}

TEST_F(ReferenceTorch, ErrorsNameTaskOutputAndCause) {
    const Tensor m{{2, 3}, {1, 2, 3, 4, 5, 6}};
    const auto has = [&](const std::string& text, const std::string& part) {
        EXPECT_NE(text.find(part), std::string::npos) << text;
    };
    has(error_of("function(a) return torch.softmx(a, 1) end", {m}),
        "torch has no operator \"softmx\" (did you mean \"softmax\"?)");
    has(error_of("function(a) return torch.softmax(a, 'x') end", {m}),
        "torch.softmax(tensor, string) fits none of:\n  aten::softmax.int(Tensor self, int dim, ScalarType? "
        "dtype=None) -> Tensor");
    has(error_of("function(a) return a:sum(1) end", {m}, {5}),
        "task \"t\": output \"o\" is declared Float [5], its reference returned Float [2]");
    has(error_of("function(a) return a:argmax(1) end", {m}, {2}),
        "output \"o\" is declared Float [2], its reference returned Long [2]");
    has(error_of("function(a) return a, a end", {m}), "task \"t\": its reference returned 2 values for 1 outputs");
    has(error_of("function(a) return 1 end", {m}), "output \"o\": its reference returned a number");
    has(error_of("function(a) return a:add_(1) end", {m}),
        "torch.add_ writes its argument; use the form that returns a new tensor");
    has(error_of("function(a) return torch.rand({1}) end", {m}), "torch.rand draws random numbers");
    has(error_of("function(a) return F.dropout(a, 0.5, true) end", {m}), "torch.dropout draws random numbers");
    has(error_of("function(a) return torch.from_file('x') end", {m}), "torch.from_file is not offered to references");
    has(error_of("function(a) return torch.empty({1}) end", {m}), "torch.empty is not offered to references");
    has(error_of("function(a) kept = kept or a:relu() return kept end", {m}, {2, 3}),
        "a tensor of an earlier call was kept");
    has(error_of("function(a) return torch.matmul(a, a) end", {m}),
        "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)");
    has(error_of("function(a) return io.open('x') end", {m}), "attempt to index a nil value (global 'io')");
    has(error_of("function(a) return array.relu(a) end", {m}),
        "(global 'array'); this definition is written for reference.lua: --reference lua, or run:reference(\"lua\")");
    has(error_of("7"), "task \"t\": has no function \"reference\"");
    EXPECT_THROW(open("function(a) return a end", "fast"), hone::PartFailed) << "no such form";
    EXPECT_THROW(open("function(a) return a end", "graph"), hone::PartFailed) << "not here";
}

}  // namespace
