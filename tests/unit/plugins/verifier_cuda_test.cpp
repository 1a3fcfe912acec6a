// verifier.cuda where there is no GPU: what it tells and compiles, and that it says clearly what it could not do. NVRTC
// needs no device.
#include <gtest/gtest.h>
#include <unistd.h>
#include "base/paths.hpp"
#include "error_text.hpp"
#include "nvrtc.hpp"
#include "sandbox/own_runner.hpp"
#include "sandbox/services.hpp"
#include "verifier_cuda/runner/runner_page.hpp"

namespace hone {
namespace {

const Json task = {
    {"name", "axpy"},
    {"sizes", {"N"}},
    {"shape", {{"N", 4096}}},
    {"hidden", {{{"N", 1000}}}},
    {"tolerance", {{"class", "f32"}}},
    {"outputs", {{{"name", "o"}, {"dtype", "f32"}, {"shape", {"N"}}}}},
    {"inputs",
     {{{"name", "a"}, {"dtype", "f32"}, {"shape", {"N"}}}, {{"name", "b"}, {"dtype", "i64"}, {"shape", {"2*N"}}}}}};

class VerifierCuda : public ::testing::Test {
protected:
    VerifierCuda() : services_({}, 15) {
        set_bench_services(services_.offer());
        handle_ = std::make_unique<Handle>(make_recipe("verifier", "cuda", Json::object(), "test"));
        functions_ = static_cast<const hone_verifier*>(handle_->part().functions);
    }
    Json open(const Json& candidate) {
        Collect facts;
        void* subject = nullptr;
        handle_->check(functions_->open(handle_->self(), as_doc(task), as_doc(candidate), &subject, facts.out()),
                       "open");
        EXPECT_EQ(subject, nullptr);
        return facts.json();
    }

    HostServices services_;
    std::unique_ptr<Handle> handle_;
    const hone_verifier* functions_;
};

TEST_F(VerifierCuda, TheBriefHoldsThePrototype) {
    Collect brief;
    handle_->check(functions_->brief(handle_->self(), as_doc(task), brief.out()), "brief");
    EXPECT_EQ(brief.json().at("prototype"),
              "extern \"C\" __global__ void k(const float* a, const long long* b, float* o, long N)");
    EXPECT_EQ(brief.json().at("fences"), "cuda lua");
    EXPECT_EQ(brief.json().at("tier"), "device");
}

TEST_F(VerifierCuda, TheBriefTellsOfScalarsAndOfOutputsInPlace) {
    Json update = task;
    update["inputs"][1] = {{"name", "o0"}, {"dtype", "f32"}, {"shape", {"N"}}};
    update["inputs"].push_back({{"name", "s"}, {"dtype", "f16"}, {"scalar", true}});
    update["outputs"][0]["starts_as"] = "o0";
    Collect brief;
    handle_->check(functions_->brief(handle_->self(), as_doc(update), brief.out()), "brief");
    EXPECT_EQ(brief.json().at("prototype"),
              "extern \"C\" __global__ void k(const float* a, __half s, float* o, long N)");
    EXPECT_NE(brief.json().at("text").get<std::string>().find(
                  "\no is updated in place: when a call begins it holds the values that the definition calls o0, which "
                  "is no argument. It is launched once"),
              std::string::npos);
}

TEST_F(VerifierCuda, ABadCandidateIsJudgedWithoutADevice) {
    if (find_nvrtc().empty()) GTEST_SKIP() << no_nvrtc;
    const Json facts = open({{"code", "extern \"C\" __global__ void k() { nothing; }"}});
    EXPECT_EQ(facts.at("verdict"), "COMPILE_ERROR");
    EXPECT_NE(facts.at("log").get<std::string>().find("k.cu(1): error: identifier \"nothing\" is undefined"),
              std::string::npos)
        << facts;
}

TEST_F(VerifierCuda, AGoodCandidateIsBuiltAndNotRunWithoutADevice) {
    if (!nvrtc_and_no_gpu()) GTEST_SKIP() << needs_nvrtc_and_no_gpu;
    hone_device device{};
    EXPECT_EQ(functions_->device(handle_->self(), &device), HONE_FAILED);
    try {
        open({{"code", "extern \"C\" __global__ void k(float* o) { o[0] = 1; }"}});
        ADD_FAILURE() << "it was opened";
    } catch (const PartFailed& e) {
        EXPECT_NE(std::string(e.what()).find("built for sm_90a, not run: there is no CUDA driver"), std::string::npos)
            << e.what();
    }
}

TEST_F(VerifierCuda, TheRunnerSaysThatItCannotWorkHere) {
    if (has_gpu()) GTEST_SKIP() << "this machine has a GPU";
    const std::string program = program_path().parent_path() / "hone-jail-cuda";
    hone_jail_plan plan{};
    plan.runner = program.c_str();
    plan.symbol = "0";
    OwnRunner runner(plan, {});
    const cuda::OpenMessage message{};
    cuda::OpenReply reply;
    std::uint64_t got = 0;
    const std::vector<int> files = {STDERR_FILENO, STDERR_FILENO};
    EXPECT_FALSE(runner.watch());
    const auto ended = runner.tell({reinterpret_cast<const char*>(&message), sizeof message}, files,
                                   {reinterpret_cast<char*>(&reply), sizeof reply}, got, 10);
    ASSERT_FALSE(ended) << ended->reason;
    ASSERT_EQ(got, sizeof reply);
    EXPECT_STREQ(reply.verdict, "INFRASTRUCTURE");
    EXPECT_NE(std::string(reply.reason).find("there is no CUDA driver"), std::string::npos);
    for (int i = 0; i < 1000 && !runner.watch(); ++i) usleep(5000);
    EXPECT_TRUE(runner.watch());
}

}  // namespace
}  // namespace hone
