#include "toolchain.hpp"
#include <dlfcn.h>
#include <array>
#include <cstdlib>
#include <filesystem>

namespace hone::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::array libraries = {"libnvrtc.so.13", "libnvrtc.so.12"};

// Toolkits, then the wheels that come with PyTorch; the loader's own search comes first.
std::vector<fs::path> library_folders() {
    std::vector<fs::path> folders;
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* value = std::getenv(name)) folders.emplace_back(fs::path(value) / "lib64");
    folders.emplace_back("/usr/local/cuda/lib64");
    folders.emplace_back("/usr/lib/x86_64-linux-gnu");
    if (const char* torch = std::getenv("HONE_TORCH_DIR"))
        for (const char* version : {"cu13", "cuda_nvrtc"}) folders.emplace_back(fs::path(torch) / "nvidia" / version / "lib");
    return folders;
}

std::string find_nvrtc() {
    for (const auto& folder : library_folders())
        for (const char* name : libraries)
            if (fs::exists(folder / name)) return fs::canonical(folder / name);
    throw Refused(
        "verifier.cuda: NVRTC (libnvrtc.so.13 or .12) was not found; install CUDA's NVRTC (pip: nvidia-cuda-nvrtc), set CUDA_HOME, or pass "
        "the "
        "option nvrtc = \"/path/to/libnvrtc.so.13\"");
}

// Headers of a toolkit (cuda_fp16.h, mma.h); wheels keep them in the same relative place.
std::string include_folder(const fs::path& library) {
    for (fs::path folder = library.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
        if (fs::exists(folder / "include" / "cuda_fp16.h")) return folder / "include";
    return "-";
}

struct Collected {
    Compiled compiled;
    static void text(void* ctx, const char* key, hone_text value) {
        auto& to = static_cast<Collected*>(ctx)->compiled;
        const std::string_view name = key;
        if (name == "product") to.cubin = hone::text(value);
        if (name == "log") to.log = hone::text(value);
        if (name == "verdict") to.verdict = hone::text(value);
        if (name == "reason") to.reason = hone::text(value);
    }
    static void num(void* ctx, const char* key, double value) {
        if (std::string_view(key) == "seconds") static_cast<Collected*>(ctx)->compiled.seconds = value;
    }
};

}  // namespace

std::string Toolchain::program(const std::string& name) {
    Dl_info here{};
    dladdr(reinterpret_cast<const void*>(&find_nvrtc), &here);
    const fs::path path = fs::canonical(here.dli_fname).parent_path() / "../../../bin" / name;
    if (!fs::exists(path))
        throw Refused("verifier.cuda: its program " + path.lexically_normal().string() + " is missing; install hone whole");
    return fs::canonical(path);
}

const std::string& Toolchain::nvrtc() {
    if (nvrtc_.empty()) nvrtc_ = find_nvrtc();
    return nvrtc_;
}

Compiled Toolchain::compile(const Host& host, const std::string& source, const std::string& arch, const std::vector<std::string>& options) {
    std::vector<std::string> argv = {
        program("hone-nvrtc"), nvrtc(),     include_folder(nvrtc()), "@/k.cu", "@/k.cubin", "--gpu-architecture=" + arch,
        "--std=c++17",         "--no-cache"};
    argv.insert(argv.end(), options.begin(), options.end());
    std::vector<const char*> pointers;
    for (const auto& word : argv) pointers.push_back(word.c_str());
    pointers.push_back(nullptr);
    const hone_file file{borrow("k.cu"), borrow(source)};
    Collected collected;
    hone_out out{&collected, Collected::num, Collected::text};
    host.check(host.raw()->build(host.raw()->ctx, pointers.data(), &file, 1, "k.cubin", &out),
               "verifier.cuda: the compiler could not be started");
    return std::move(collected.compiled);
}

}  // namespace hone::cuda
