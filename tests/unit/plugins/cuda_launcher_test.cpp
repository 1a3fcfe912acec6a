// What hone-jail-cuda says of kernels that the driver refuses: at the timed shape which and why, at a hidden one a
// fixed text. The driver is a false one, so that no GPU is needed.
#include <gtest/gtest.h>
#include <bit>
#include <cstring>
#include <memory>
#include "verifier_cuda/plan/hidden.hpp"
#include "verifier_cuda/runner/launcher.hpp"

namespace hone::cuda {
namespace {

constexpr int refused = 1, most_shared = 1000;

bool bad(const char* text) { return std::strncmp(text, "bad", 3) == 0; }

// All succeeds but a module whose text begins with "bad", a kernel that is called so, more shared memory than
// most_shared, a map of rank 5.
Driver false_driver() {
    Driver driver{};
#define HONE_CUDA_SUCCEED(name, symbol, ...) driver.name = [](auto...) -> Result { return 0; };
    HONE_CUDA_FUNCTIONS(HONE_CUDA_SUCCEED)
#undef HONE_CUDA_SUCCEED
    driver.load_module = [](Module*, const void* image) -> Result {
        return bad(static_cast<const char*>(image)) ? refused : 0;
    };
    driver.function = [](Function*, Module, const char* name) -> Result { return bad(name) ? refused : 0; };
    driver.set_function_attribute = [](Function, int, int value) -> Result {
        return value > most_shared ? refused : 0;
    };
    driver.encode_map = [](void*, int, std::uint32_t rank, auto...) -> Result {
        return rank == max_rank ? refused : 0;
    };
    driver.error_name = [](Result, const char** name) -> Result { return *name = "CUDA_ERROR", 0; };
    return driver;
}

// Two shapes, each with a kernel in a module of its own and a tensor map.
class CudaLauncher : public ::testing::Test {
protected:
    CudaLauncher() {
        program_->n_modules = program_->n_kernels = program_->n_shapes = program_->n_steps = program_->n_maps = 2;
        program_->timed = {1, 1, 1};
        for (std::uint32_t i = 0; i < 2; ++i) {
            name(i, i == 0 ? "first" : "second");
            program_->kernels[i].module = program_->kernels[i].first_step = program_->steps[i].kernel = i;
            program_->shapes[i] = {i, 1};
        }
    }
    void name(std::uint32_t kernel, const char* text) { std::strcpy(program_->kernels[kernel].name, text); }
    std::string load(const char* timed = "good", const char* hidden = "good") {
        OpenReply reply;
        Launcher(driver_).load(*program_, {timed, hidden}, reply);
        return reply.verdict[0] ? std::string(reply.verdict) + ": " + reply.reason : "";
    }

    const Driver driver_ = false_driver();
    std::unique_ptr<Program> program_ = std::make_unique<Program>();
    const std::string hidden_ = std::string("LAUNCH_ERROR: ") + hidden_load;
};

TEST_F(CudaLauncher, WhatTheDriverTakesIsLoaded) { EXPECT_EQ(load(), ""); }

TEST_F(CudaLauncher, ModulesAreNotToldApart) {
    EXPECT_EQ(load("bad"), "LAUNCH_ERROR: the driver refused the compiled kernels: CUDA_ERROR");
    EXPECT_EQ(load("good", "bad"), hidden_);
}

TEST_F(CudaLauncher, KernelsOfHiddenShapesAreNotNamed) {
    name(1, "bad_4097");
    EXPECT_EQ(load(), hidden_);
    name(0, "bad_4096");
    EXPECT_EQ(load(), "LAUNCH_ERROR: the driver finds no kernel bad_4096");
}

// Also where the timed shape launches the same kernel: which of several is chosen may follow from the size.
TEST_F(CudaLauncher, SharedMemoryIsAskedForByAStep) {
    program_->steps[0].shared = most_shared;
    program_->steps[1].shared = most_shared + 1;
    for (const std::uint32_t kernel : {1, 0}) {
        program_->steps[1].kernel = kernel;
        EXPECT_EQ(load(), hidden_);
    }
    program_->steps[0].shared = most_shared + 1;
    EXPECT_EQ(load(), "LAUNCH_ERROR: first and its launch want more shared memory than a block can have");
}

// What stands where another tensor's address does is passed as it is, in each call anew.
TEST_F(CudaLauncher, AScalarsBitsAreTheKernelsParameter) {
    static float passed;
    Driver driver = false_driver();
    driver.launch_with = [](const LaunchConfig*, Function, void** parameters, void**) -> Result {
        return std::memcpy(&passed, parameters[0], sizeof passed), 0;
    };
    program_->n_tensors = program_->n_parameters = 1;
    program_->parameters[0] = {ParameterKind::address, sizeof passed, {0, 0}};
    program_->steps[0].n_parameters = 1;
    Launcher launcher(driver);
    OpenReply reply;
    launcher.load(*program_, {"good", "good"}, reply);
    for (const float value : {0.5f, -3.0f}) {
        const std::uint64_t bits = std::bit_cast<std::uint32_t>(value);
        EXPECT_EQ(launcher.run(0, &bits), 0);
        EXPECT_EQ(passed, value);
    }
}

TEST_F(CudaLauncher, TensorMapsOfHiddenShapesAreNotCounted) {
    program_->maps[1].rank = max_rank;
    EXPECT_EQ(load(), std::string("PLAN_ERROR: ") + hidden_load);
    program_->maps[0].rank = max_rank;
    EXPECT_EQ(load(), "PLAN_ERROR: the driver refuses tensor_map 1: CUDA_ERROR");
}

}  // namespace
}  // namespace hone::cuda
