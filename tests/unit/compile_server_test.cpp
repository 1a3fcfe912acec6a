// The compile server of verifier.cuda with a real NVRTC: what it makes, what it says, and that no source does anything to the next one.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <algorithm>
#include <chrono>
#include <fstream>
#include "base/paths.hpp"
#include "error_text.hpp"
#include "judge/services.hpp"
#include "verifier_cuda/compile_server.hpp"
#include "verifier_cuda/unit.hpp"

namespace hone {
namespace {

using namespace cuda;

const char* const folders[] = {"/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu"};

std::string find_nvrtc() {
    for (const char* folder : folders)
        for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12"})
            if (fs::exists(fs::path(folder) / name)) return fs::canonical(fs::path(folder) / name);
    return {};
}

class CompileServerTest : public ::testing::Test {
protected:
    CompileServerTest() : services_({}, 15) {
        set_bench_services(services_.offer());
        handle_ = std::make_unique<Handle>(make_recipe("verifier", "cuda", Json::object(), "test"));
    }
    void SetUp() override {
        if (find_nvrtc().empty()) GTEST_SKIP() << "no NVRTC (libnvrtc.so.13 or .12) in /usr/local/cuda/lib64 or /usr/lib/x86_64-linux-gnu";
        server_ = start(find_nvrtc());
    }
    std::unique_ptr<CompileServer> start(const std::string& library) {
        ServeMessage message{};
        const fs::path headers = fs::path(library).parent_path().parent_path() / "include";
        std::snprintf(message.library, sizeof message.library, "%s", library.c_str());
        std::snprintf(message.headers, sizeof message.headers, "%s", headers.c_str());
        std::snprintf(message.temporary, sizeof message.temporary, "%s", fs::temp_directory_path().c_str());
        std::snprintf(message.architecture, sizeof message.architecture, "sm_90a");
        return std::make_unique<CompileServer>(Host(handle_->host()), (program_path().parent_path() / "hone-nvrtc").string(), message);
    }
    Product compile(const std::string& source, const std::string& arch = "sm_90a") {
        Product product;
        EXPECT_TRUE(server_->compile({source, {"--gpu-architecture=" + arch}, leading_headers(source)}, product)) << source;
        return product;
    }
    void expect_well() { EXPECT_EQ(compile("extern \"C\" __global__ void k(float* o) { *o = 2; }").reply.status, 0); }

    HostServices services_;
    std::unique_ptr<Handle> handle_;
    std::unique_ptr<CompileServer> server_;
};

const char* const half_kernel = R"(#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void k(const half* a, const half* b, float* o) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
    wmma::fill_fragment(z, 0.f);
    wmma::load_matrix_sync(x, a, 16);
    wmma::load_matrix_sync(y, b, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(o, z, 16, wmma::mem_row_major);
}
)";

const char* const reduce_kernel = R"(#include <cub/block/block_reduce.cuh>
extern "C" __global__ void __launch_bounds__(256) k(const float* a, float* o) {
    using Reduce = cub::BlockReduce<float, 256>;
    __shared__ typename Reduce::TempStorage room;
    const float sum = Reduce(room).Sum(a[threadIdx.x]);
    if (threadIdx.x == 0) *o = sum;
}
)";

TEST_F(CompileServerTest, AKernelIsACubin) {
    const Product made = compile("extern \"C\" __global__ void k(float* o) { *o = 1; }");
    EXPECT_EQ(made.reply.status, 0);
    EXPECT_EQ(made.cubin.substr(0, 4), "\177ELF");
    EXPECT_EQ(own_lines(made.log), "");
    EXPECT_EQ(spilled_bytes(made.log), 0);
    EXPECT_GT(made.reply.cpu_seconds, 0);
    EXPECT_GT(made.reply.peak_bytes, 1e7);
}

TEST_F(CompileServerTest, HalfHeadersArePrecompiledFromTheStart) {
    const Product made = compile(half_kernel);
    EXPECT_EQ(made.reply.status, 0) << made.log;
    EXPECT_EQ(made.reply.precompiled, 1);
}

TEST_F(CompileServerTest, OtherHeadersArePrecompiledOnceTheyWereAskedFor) {
    const Product first = compile(reduce_kernel);
    EXPECT_EQ(first.reply.status, 0) << first.log;
    EXPECT_EQ(first.reply.precompiled, 0);
    Product later;
    for (int i = 0; i < 300 && !later.reply.precompiled; ++i) later = compile(i % 2 ? half_kernel : reduce_kernel);
    for (int i = 0; i < 100; ++i)
        if ((later = compile(reduce_kernel)).reply.precompiled) break;
    EXPECT_EQ(later.reply.precompiled, 1);
    EXPECT_EQ(later.cubin.size(), first.cubin.size());
    EXPECT_LT(later.reply.cpu_seconds, 0.7 * first.reply.cpu_seconds);
}

}  // namespace
}  // namespace hone
