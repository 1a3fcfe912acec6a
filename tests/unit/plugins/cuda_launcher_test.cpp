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

// In LibTorch's place.
struct FalseLibrary : Library {
    Outcome outcome = Outcome::done;
    std::uint32_t fails_at = 0;  // tensor to be written
    bool tf32 = false;
    std::vector<std::uint64_t> written;
    void set_precision(bool on) override { tf32 = on; }
    Outcome run(const LibraryStep& step, const std::uint64_t* addresses, std::string& why) noexcept override {
        written.push_back(addresses[step.out.spot.tensor] + step.out.spot.offset);
        why = "no such size";
        return step.out.spot.tensor == fails_at ? outcome : Outcome::done;
    }
    std::vector<std::string> folders() const override { return {}; }
};

// The two shapes' kernels and an operator behind each, which writes tensor 0 at the timed shape and tensor 1 at the
// hidden one.
class CudaLibraryLauncher : public CudaLauncher {
protected:
    CudaLibraryLauncher() {
        program_->n_steps = 4;
        program_->n_tensors = program_->n_library_steps = 2;
        program_->timed.steps = 2;
        program_->steps[2] = program_->steps[1];
        for (std::uint32_t i = 0; i < 2; ++i) {
            program_->shapes[i] = {2 * i, 2};
            Step& step = program_->steps[2 * i + 1] = {};
            step.kind = StepKind::library;
            step.library = i;
            LibraryStep& library = program_->library_steps[i];
            std::strcpy(library.name, "mm");
            library.out.spot = {i, 16};
            library.out.bytes = 64;
        }
        driver_with_memory_.allocate = [](Address* at, std::size_t) -> Result { return *at = 4096, 0; };
    }
    std::unique_ptr<Launcher> loaded() {
        OpenReply reply;
        auto launcher = std::make_unique<Launcher>(driver_with_memory_);
        launcher->use(&library_);
        launcher->load(*program_, {"good", "good"}, reply);
        EXPECT_STREQ(reply.verdict, "");
        return launcher;
    }

    Driver driver_with_memory_ = false_driver();
    FalseLibrary library_;
};

TEST_F(CudaLibraryLauncher, OperatorsAreTriedBeforeThereIsACall) {
    program_->tf32 = 1;
    std::uint32_t shape = 0;
    EXPECT_EQ(loaded()->try_library(shape), 0);
    EXPECT_EQ(library_.written, (std::vector<std::uint64_t>{4096 + 16, 4096 + 16}));
    EXPECT_TRUE(library_.tf32);
}

TEST_F(CudaLibraryLauncher, ATrialTellsShapeAndStep) {
    library_.outcome = Library::Outcome::failed;
    std::uint32_t shape = 9;
    auto launcher = loaded();
    EXPECT_EQ(launcher->try_library(shape), library_failed);
    EXPECT_EQ(shape, 0u);
    EXPECT_EQ(launcher->step(), 2u);
    EXPECT_EQ(launcher->words(), "no such size");
    library_.fails_at = 1;
    library_.outcome = Library::Outcome::without_memory;
    EXPECT_EQ(launcher->try_library(shape), library_without_memory);
    EXPECT_EQ(shape, 1u);
}

TEST_F(CudaLibraryLauncher, WithoutRoomForATrialTheCallTells) {
    driver_with_memory_.allocate = [](Address*, std::size_t) -> Result { return out_of_memory; };
    library_.outcome = Library::Outcome::failed;
    auto launcher = loaded();
    std::uint32_t shape = 0;
    EXPECT_EQ(launcher->try_library(shape), 0);
    const std::uint64_t addresses[] = {1 << 20, 2 << 20};
    EXPECT_EQ(launcher->run(0, addresses), library_failed);
    EXPECT_EQ(launcher->step(), 2u);
    EXPECT_EQ(launcher->run(1, addresses), 0);
    EXPECT_EQ(library_.written, (std::vector<std::uint64_t>{(1 << 20) + 16, (2 << 20) + 16}));
}

TEST_F(CudaLauncher, TensorMapsOfHiddenShapesAreNotCounted) {
    program_->maps[1].rank = max_rank;
    EXPECT_EQ(load(), std::string("PLAN_ERROR: ") + hidden_load);
    program_->maps[0].rank = max_rank;
    EXPECT_EQ(load(), "PLAN_ERROR: the driver refuses tensor_map 1: CUDA_ERROR");
}

}  // namespace
}  // namespace hone::cuda
