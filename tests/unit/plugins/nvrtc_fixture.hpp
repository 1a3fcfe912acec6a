// A compile server with the NVRTC of this machine; tests are passed over where there is none.
#pragma once
#include <gtest/gtest.h>
#include "base/paths.hpp"
#include "cuda/compile/compile_server.hpp"
#include "cuda/compile/unit.hpp"
#include "nvrtc.hpp"
#include "parts/handle.hpp"
#include "sandbox/services.hpp"

namespace hone {

class NvrtcFixture : public ::testing::Test {
protected:
    NvrtcFixture() : services_({}, 15) {
        set_bench_services(services_.offer());
        handle_ = std::make_unique<Handle>(make_recipe("verifier", "cuda", Json::object(), "test"));
    }
    void SetUp() override {
        if (find_nvrtc().empty()) GTEST_SKIP() << no_nvrtc;
        server_ = start(find_nvrtc());
    }
    std::unique_ptr<cuda::CompileServer> start(const std::string& library, unsigned seconds = 60) {
        cuda::ServeMessage message{};
        const fs::path headers = fs::path(library).parent_path().parent_path() / "include";
        std::snprintf(message.library, sizeof message.library, "%s", library.c_str());
        std::snprintf(message.headers, sizeof message.headers, "%s", headers.c_str());
        std::snprintf(message.temporary, sizeof message.temporary, "%s", fs::temp_directory_path().c_str());
        std::snprintf(message.architecture, sizeof message.architecture, "sm_90a");
        message.seconds = seconds;
        return std::make_unique<cuda::CompileServer>(Host(handle_->host()),
                                                     (program_path().parent_path() / "hone-nvrtc").string(), message);
    }
    cuda::Product compile(const std::string& source, const std::string& arch = "sm_90a") {
        cuda::Product product;
        EXPECT_TRUE(server_->compile({source, {"--gpu-architecture=" + arch}, cuda::leading_headers(source)}, product))
            << source;
        return product;
    }
    void expect_well() { EXPECT_EQ(compile("extern \"C\" __global__ void k(float* o) { *o = 2; }").reply.status, 0); }

    HostServices services_;
    std::unique_ptr<Handle> handle_;
    std::unique_ptr<cuda::CompileServer> server_;
};

inline const char* const half_kernel = R"(#include <cuda_fp16.h>
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

}  // namespace hone
