// Where the tests find NVRTC: as verifier.cuda does.
#pragma once
#include <dlfcn.h>
#include <string>
#include "cuda/compile/toolchain.hpp"

namespace hone {

// "": there is none.
inline std::string find_nvrtc() {
    try {
        return cuda::Toolchain("").nvrtc();
    } catch (const Refused&) {
        return {};
    }
}

inline bool has_gpu() { return dlopen("libcuda.so.1", RTLD_NOW) != nullptr; }
inline bool nvrtc_and_no_gpu() { return !find_nvrtc().empty() && !has_gpu(); }

inline const char* const no_nvrtc = "no NVRTC (libnvrtc.so.13 or .12) on this machine";
inline const char* const needs_nvrtc_and_no_gpu = "needs NVRTC and no GPU";

}  // namespace hone
