// What compiling a kernel costs by the compile server against a process of its own for each source, and how many a
// second N servers make. usage: nvrtc_builder_bench [LIBNVRTC [HEADERS]]; hone-nvrtc lies beside it. Every source is
// another one.
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>
#include "base/paths.hpp"
#include "base/process.hpp"
#include "cuda/compile/compile_server.hpp"
#include "cuda/compile/nvrtc.hpp"
#include "cuda/compile/unit.hpp"
#include "parts/handle.hpp"
#include "sandbox/services.hpp"

namespace {

using namespace hone;
using namespace hone::cuda;

constexpr const char* arch = "--gpu-architecture=sm_90a";

struct Sample {
    const char* name;
    const char* source;
    int repeats;
};
constexpr Sample samples[] = {
    {"f32 tiles", R"(extern "C" __global__ void k(const float* A, const float* B, float* C, int N) {
    __shared__ float a[32][33], b[32][33];
    const int x = threadIdx.x, y = threadIdx.y, r = blockIdx.y * 32 + y, c = blockIdx.x * 32 + x;
    float s = KEY;
    for (int t = 0; t < N; t += 32) {
        a[y][x] = A[r * N + t + x];
        b[y][x] = B[(t + y) * N + c];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 32; ++j) s += a[y][j] * b[j][x];
        __syncthreads();
    }
    C[r * N + c] = s;
})",
     9},
    {"half, WMMA", R"(#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void k(const half* A, const half* B, float* C, int N) {
    const int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, nb = N / 16, y = w / nb, x = w % nb;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, KEY);
    for (int t = 0; t < N; t += 16) {
        wmma::load_matrix_sync(a, A + y * 16 * N + t, N);
        wmma::load_matrix_sync(b, B + t * N + x * 16, N);
        wmma::mma_sync(c, a, b, c);
    }
    wmma::store_matrix_sync(C + y * 16 * N + x * 16, c, N, wmma::mem_row_major);
})",
     9},
    {"CUB reduce", R"(#include <cub/block/block_reduce.cuh>
extern "C" __global__ void __launch_bounds__(256) k(const float* A, float* o, int n) {
    using Reduce = cub::BlockReduce<float, 256>;
    __shared__ typename Reduce::TempStorage room;
    float v = KEY;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) v += A[i];
    const float s = Reduce(room).Sum(v);
    if (threadIdx.x == 0) atomicAdd(o, s);
})",
     5}};

std::string distinct(const Sample& sample) {
    static std::atomic<int> number{0};
    std::string text = sample.source;
    return text.replace(text.find("KEY"), 3, std::to_string(++number) + ".f");
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.at(values.size() / 2);
}

struct Tools {
    std::string library, headers;
    const hone_host* host;
    std::unique_ptr<CompileServer> start() const {
        ServeMessage message{};
        std::snprintf(message.library, sizeof message.library, "%s", library.c_str());
        std::snprintf(message.headers, sizeof message.headers, "%s", headers.c_str());
        std::snprintf(message.temporary, sizeof message.temporary, "%s", fs::temp_directory_path().c_str());
        std::snprintf(message.architecture, sizeof message.architecture, "sm_90a");
        message.seconds = compile_seconds;
        return std::make_unique<CompileServer>(Host(host), (program_path().parent_path() / "hone-nvrtc").string(),
                                               message);
    }
};

// The library is opened, and everything in it done for the first time, for each source.
double alone(const Tools& tools, const std::string& source) {
    const double begun = monotonic_seconds();
    const pid_t child = fork();
    if (child == 0) {
        const Nvrtc nvrtc(tools.library);
        const std::vector<std::string> options = {arch, "--std=c++17", "--no-cache", "--include-path=" + tools.headers,
                                                  "--include-path=" + tools.headers + "/cccl"};
        _exit(nvrtc.compile(source, options).error);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) std::printf("a process of its own failed: %x\n", status);
    return monotonic_seconds() - begun;
}

bool serve(CompileServer& server, const std::string& source, Product& product) {
    return server.compile({source, {arch}, leading_headers(source)}, product) && product.reply.status == 0;
}

// Until its headers are precompiled, as they are for all but the first candidates of a run.
void warm(CompileServer& server, const Sample& sample) {
    const std::string source = distinct(sample);
    Product product;
    for (int i = 0;
         i < 600 && serve(server, source, product) && !product.reply.precompiled && !leading_headers(source).empty();
         ++i)
        usleep(50000);
}

void compare(const Tools& tools, CompileServer& server, const Sample& sample) {
    warm(server, sample);
    std::vector<double> own, served, cpu;
    for (int i = 0; i < sample.repeats; ++i) {  // in turn, so that a busy moment meets both
        const std::string source = distinct(sample);
        own.push_back(alone(tools, source));
        Product product;
        const double begun = monotonic_seconds();
        if (!serve(server, source, product)) std::printf("the server failed: %s\n", own_lines(product.log).c_str());
        served.push_back(monotonic_seconds() - begun);
        cpu.push_back(product.reply.cpu_seconds);
    }
    std::printf("%-12s %10.1f %10.1f %10.1f\n", sample.name, 1e3 * median(own), 1e3 * median(served),
                1e3 * median(cpu));
}

void scale(const Tools& tools, int n) {
    std::vector<std::unique_ptr<CompileServer>> servers;
    for (int i = 0; i < n; ++i) servers.push_back(tools.start());
    std::printf("%7d", n);
    for (const Sample& sample : samples) {
        for (const auto& server : servers) warm(*server, sample);
        const double begun = monotonic_seconds();
        std::vector<std::thread> threads;
        for (const auto& server : servers)
            threads.emplace_back([&] {
                Product product;
                for (int i = 0; i < sample.repeats; ++i) serve(*server, distinct(sample), product);
            });
        for (std::thread& thread : threads) thread.join();
        std::printf(" %12.1f", n * sample.repeats / (monotonic_seconds() - begun));
        std::fflush(stdout);
    }
    std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
    HostServices services({}, compile_seconds);
    set_bench_services(services.offer());
    const Handle handle(make_recipe("verifier", "cuda", Json::object(), "bench"));  // for its host
    const std::string library = fs::canonical(argc > 1 ? argv[1] : "/usr/local/cuda/lib64/libnvrtc.so.13");
    const Tools tools{library, fs::canonical(argc > 2 ? argv[2] : "/usr/local/cuda/include"), handle.host()};
    const double begun = monotonic_seconds();
    const auto server = tools.start();
    std::printf("NVRTC %s, %u cores; a server is ready after %.0f ms\n", server->version().c_str(),
                std::thread::hardware_concurrency(), 1e3 * (monotonic_seconds() - begun));
    std::printf("%-12s %10s %10s %10s\n", "ms a source", "alone", "served", "its CPU");
    for (const Sample& sample : samples) compare(tools, *server, sample);
    std::printf("\nservers");
    for (const Sample& sample : samples) std::printf(" %10s/s", sample.name);
    std::printf("\n");
    for (int n = 1; n <= static_cast<int>(std::thread::hardware_concurrency()); n *= 2) scale(tools, n);
}
