#include "cuda/compile/nvrtc.hpp"
#include <dlfcn.h>
#include <stdexcept>
#include "cuda/compile/standard_headers.hpp"

namespace hone::cuda {
namespace {

template <class F> void find(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (!function) throw std::runtime_error(std::string("NVRTC without ") + name);
}

// NVRTC looks for its built-in functions by name in the system's folders. The wheel's lie beside it, in none of them:
// what is loaded already is found.
void load_builtins(const std::string& path, int major, int minor) {
    const std::string name = "libnvrtc-builtins.so." + std::to_string(major) + "." + std::to_string(minor);
    // where it is not there, the system's may be
    dlopen(path.substr(0, path.rfind('/') + 1).append(name).c_str(), RTLD_NOW);
}

}  // namespace

Nvrtc::Nvrtc(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_NOW);
    if (!library) throw std::runtime_error(dlerror());
    find(library, "nvrtcVersion", version_);
    find(library, "nvrtcCreateProgram", create_);
    find(library, "nvrtcDestroyProgram", destroy_);
    find(library, "nvrtcCompileProgram", compile_);
    find(library, "nvrtcGetProgramLogSize", log_size_);
    find(library, "nvrtcGetProgramLog", log_);
    find(library, "nvrtcGetCUBINSize", cubin_size_);
    find(library, "nvrtcGetCUBIN", cubin_);
    find(library, "nvrtcGetErrorString", error_);
    version_(&major, &minor);
    load_builtins(path, major, minor);
}

Nvrtc::Result Nvrtc::compile(const std::string& source, const std::vector<std::string>& options) const {
    Result made;
    std::vector<const char*> words;
    for (const std::string& option : options) words.push_back(option.c_str());
    std::vector<const char*> names, texts;
    for (const auto& [name, text] : standard_headers) names.push_back(name), texts.push_back(text);
    Program program = nullptr;
    made.error = create_(&program, source.c_str(), "k.cu", static_cast<int>(names.size()), texts.data(), names.data());
    if (made.error) return made;
    made.error = compile_(program, static_cast<int>(words.size()), words.data());
    std::size_t n = 0;
    if (log_size_(program, &n) == 0 && n > 1) {
        made.log.resize(n);
        log_(program, made.log.data());
        made.log.pop_back();  // its NUL
    }
    if (made.error && made.log.empty()) made.log = error_(made.error);
    if (!made.error && cubin_size_(program, &n) == 0) {
        made.cubin.resize(n);
        made.error = cubin_(program, made.cubin.data());
    }
    destroy_(&program);
    return made;
}

}  // namespace hone::cuda
