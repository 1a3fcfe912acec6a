// What is read of cubins, on cubins made here by NVRTC and on bytes that are none.
#include "cuda/compile/cubin.hpp"
#include <gtest/gtest.h>
#include <cstring>
#include "nvrtc_fixture.hpp"

namespace hone {
namespace {

using namespace cuda;

class CubinTest : public NvrtcFixture {
protected:
    Cubin read(const std::string& source, const std::string& arch) {
        product_ = compile(source, arch);
        const auto cubin = read_cubin(product_.cubin);
        EXPECT_TRUE(cubin) << product_.log;
        return cubin.value_or(Cubin{});
    }
    Product product_;
};

const char* const plain = R"(extern "C" __global__ void k(const float* a, float* o, long n, int m) {
    __shared__ float room[512];
    room[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = room[n - threadIdx.x] * m;
}
extern "C" __global__ void second() {}
)";

TEST_F(CubinTest, KernelsAndWhatTheyNeed) {
    for (const std::string arch : {"sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100a"}) {
        const Cubin cubin = read(plain, arch);
        EXPECT_EQ("sm_" + std::to_string(cubin.architecture), arch.substr(0, arch.find('a'))) << arch;
        ASSERT_EQ(cubin.kernels.size(), 2u) << arch;
        const Kernel& k = cubin.kernels[cubin.kernels[0].name == "k" ? 0 : 1];
        EXPECT_EQ(k.name, "k");
        EXPECT_EQ(k.shared_bytes, 2048) << arch;
        EXPECT_EQ(k.stack_bytes, 0);
        EXPECT_EQ(k.parameters, (std::vector<int>{8, 8, 8, 4})) << arch;
        EXPECT_NE(product_.log.find("Used " + std::to_string(k.registers) + " registers"), std::string::npos)
            << product_.log;
        EXPECT_GE(k.code_bytes, 128u);
        EXPECT_TRUE(k.tensor.empty());
        EXPECT_NE(resource_report(cubin, product_.log)
                      .find("k: registers " + std::to_string(k.registers) + ", shared 2048 B, spills 0 B"),
                  std::string::npos);
    }
}

TEST_F(CubinTest, SpillsAndStack) {
    const Cubin cubin = read(R"(extern "C" __global__ void __launch_bounds__(1024) k(const float* a, float* o, int n) {
    float y[160], s = 0;
#pragma unroll
    for (int i = 0; i < 160; ++i) y[i] = a[i * n + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 160; ++i) s += y[i] * y[(i * 31) % 160];
    o[n] = s;
})",
                             "sm_90a");
    ASSERT_EQ(cubin.kernels.size(), 1u);
    EXPECT_GT(cubin.kernels[0].stack_bytes, 0);
    const std::string report = resource_report(cubin, product_.log);
    EXPECT_EQ(report, "registers 64, shared 0 B, spills " + std::to_string(spilled_bytes(product_.log, "k")) +
                          " B, stack " + std::to_string(cubin.kernels[0].stack_bytes) + " B");
    EXPECT_GT(spilled_bytes(product_.log, "k"), 0) << product_.log;
}

TEST_F(CubinTest, TensorCoresAreSeen) {
    for (const char* arch : {"sm_80", "sm_90a", "sm_100a"}) {
        const Cubin cubin = read(half_kernel, arch);
        ASSERT_EQ(cubin.kernels.size(), 1u);
        EXPECT_GT(cubin.kernels[0].tensor.count("HMMA"), 0u) << arch;
    }
    const Cubin hopper = read(R"(extern "C" __global__ void k(unsigned long long a, unsigned long long b, float* o) {
    float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
    asm volatile("wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3},%4,%5,1,1,1,0,0;\n"
                 "wgmma.commit_group.sync.aligned;wgmma.wait_group.sync.aligned 0;"
                 : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "l"(a), "l"(b));
    o[threadIdx.x] = c0 + c1 + c2 + c3;
})",
                              "sm_90a");
    EXPECT_EQ(hopper.kernels.at(0).tensor, (std::map<std::string, int>{{"HGMMA", 1}}));
    const Cubin blackwell =
        read(R"(extern "C" __global__ void k(unsigned d, unsigned long long a, unsigned long long b, unsigned s) {
    asm volatile("{.reg .pred p;setp.ne.u32 p,%3,0;\ntcgen05.mma.cta_group::1.kind::f16 [%0],%1,%2,%3,p;}" :: "r"(d), "l"(a), "l"(b), "r"(s));
})",
             "sm_100a");
    EXPECT_EQ(blackwell.kernels.at(0).tensor, (std::map<std::string, int>{{"UTCMMA", 1}}));
}

TEST_F(CubinTest, CallsOfTheDeviceRuntimeAreSeen) {
    EXPECT_EQ(
        read(R"(extern "C" __global__ void k(int* o) { printf("%d", *o); *o = *(int*)malloc(4); })", "sm_90a").calls,
        (std::vector<std::string>{"malloc", "vprintf"}));
}

// No part of a cubin makes the reader leave it: cut anywhere, and with any one byte changed.
TEST_F(CubinTest, DamagedCubinsAreReadWithinTheirBounds) {
    const std::string whole = compile(plain).cubin;
    for (std::size_t size = 0; size < whole.size(); size += 7) {
        const std::string cut = whole.substr(0, size);
        (void)read_cubin(std::string(cut.begin(), cut.end()));
    }
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 0xff);
        const auto cubin = read_cubin(changed);
        if (cubin) {
            EXPECT_LE(cubin->kernels.size(), 64u);
        }
    }
    EXPECT_FALSE(read_cubin(""));
    EXPECT_FALSE(read_cubin(std::string(4096, 'x')));
}

}  // namespace
}  // namespace hone
