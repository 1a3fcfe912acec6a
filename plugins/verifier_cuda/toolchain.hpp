// Where the programs and libraries that verifier.cuda needs are, and compiling with NVRTC in the bench's sandbox.
#pragma once
#include <string>
#include <vector>
#include "hone/plugin.hpp"

namespace hone::cuda {

struct Compiled {
    std::string cubin, log, verdict, reason;  // verdict empty: compiled
    double seconds = 0;
};

class Toolchain {
public:
    // nvrtc: path of the library, "": searched for where toolkits and PyTorch put it. Nothing is opened here.
    explicit Toolchain(std::string nvrtc) : nvrtc_(std::move(nvrtc)) {}
    // Path of a program that is installed with this plugin: bin/ beside lib/hone/plugins.
    static std::string program(const std::string& name);
    // arch such as "sm_90a". Throws Refused if there is no NVRTC.
    Compiled compile(const Host&, const std::string& source, const std::string& arch, const std::vector<std::string>& options);
    const std::string& nvrtc();  // found library

private:
    std::string nvrtc_;
};

}  // namespace hone::cuda
