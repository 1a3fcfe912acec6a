// NVRTC by dlopen: declarations of its stable interface, and one compilation.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace hone::cuda {

class Nvrtc {
public:
    struct Result {
        int error = 0;  // NVRTC's; 0: compiled
        std::string log, cubin;
    };
    // Throws std::runtime_error.
    explicit Nvrtc(const std::string& library);
    Result compile(const std::string& source, const std::vector<std::string>& options) const;
    int major = 0, minor = 0;
    static constexpr int out_of_memory = 1;

private:
    using Program = struct ProgramObject*;
    int (*version_)(int*, int*);
    int (*create_)(Program*, const char* source, const char* name, int n, const char* const* headers,
                   const char* const* names);
    int (*destroy_)(Program*);
    int (*compile_)(Program, int n, const char* const* options);
    int (*log_size_)(Program, std::size_t*);
    int (*log_)(Program, char*);
    int (*cubin_size_)(Program, std::size_t*);
    int (*cubin_)(Program, char*);
    const char* (*error_)(int);
};

}  // namespace hone::cuda
