// hone-nvrtc NVRTC_LIBRARY INCLUDE_FOLDER SOURCE PRODUCT OPTIONS...: compiles CUDA C++ to a cubin with no GPU in reach. A program of its
// own so that hostile source text meets the compiler in a confined process. INCLUDE_FOLDER "-": none. Exit 1: the source was refused, its
// log is on stderr.
#include <dlfcn.h>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using Program = struct ProgramObject*;

struct Nvrtc {  // declarations of NVRTC's stable interface
    int (*create)(Program*, const char* source, const char* name, int n, const char* const* headers, const char* const* names);
    int (*compile)(Program, int n, const char* const* options);
    int (*log_size)(Program, std::size_t*);
    int (*log)(Program, char*);
    int (*cubin_size)(Program, std::size_t*);
    int (*cubin)(Program, char*);
    const char* (*error)(int);
};

template <class F> bool find(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
}

bool open_library(const char* path, Nvrtc& nvrtc) {
    void* library = dlopen(path, RTLD_NOW);
    if (!library) {
        std::fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    return find(library, "nvrtcCreateProgram", nvrtc.create) && find(library, "nvrtcCompileProgram", nvrtc.compile) &&
           find(library, "nvrtcGetProgramLogSize", nvrtc.log_size) && find(library, "nvrtcGetProgramLog", nvrtc.log) &&
           find(library, "nvrtcGetCUBINSize", nvrtc.cubin_size) && find(library, "nvrtcGetCUBIN", nvrtc.cubin) &&
           find(library, "nvrtcGetErrorString", nvrtc.error);
}

}  // namespace

int main(int argc, char** argv) {
    Nvrtc nvrtc{};
    if (argc < 5 || !open_library(argv[1], nvrtc)) {
        std::fprintf(stderr, "hone-nvrtc: cannot be used like this\n");
        return 2;
    }
    std::ifstream file(argv[3]);
    const std::string source{std::istreambuf_iterator<char>(file), {}};
    std::vector<const char*> options(argv + 5, argv + argc);
    const std::string include = std::string("--include-path=") + argv[2];
    if (argv[2] != std::string("-")) options.push_back(include.c_str());

    Program program = nullptr;
    if (nvrtc.create(&program, source.c_str(), "k.cu", 0, nullptr, nullptr)) return 2;
    const int result = nvrtc.compile(program, static_cast<int>(options.size()), options.data());
    std::size_t n = 0;
    nvrtc.log_size(program, &n);
    std::string log(n, '\0');
    nvrtc.log(program, log.data());
    std::fputs(log.c_str(), stderr);
    if (result) {
        if (n <= 1) std::fprintf(stderr, "%s\n", nvrtc.error(result));
        return 1;
    }
    nvrtc.cubin_size(program, &n);
    std::string cubin(n, '\0');
    if (nvrtc.cubin(program, cubin.data())) return 2;
    std::ofstream(argv[4], std::ios::binary) << cubin;
}
