// Where the programs and libraries that verifier.cuda needs are, and compiling with NVRTC by a compile server.
#pragma once
#include <deque>
#include <memory>
#include <string>
#include <vector>
#include "cuda/compile/compile_server.hpp"
#include "cuda/compile/cubin.hpp"
#include "hone/plugin.hpp"

namespace hone::cuda {

struct Compiled {
    std::string cubin, log, verdict, reason;  // verdict empty: compiled
    double seconds = 0;
    double cpu_seconds = 0, peak_bytes = 0;
    bool precompiled = false;  // its headers were read in precompiled form
    Cubin contents;
    std::string resources;  // "registers 40, shared 4096 B, spills 0 B"
};

// As facts of a subject: what it cost and what came of it. The verdict of one that failed is its own affair.
void tell(const Compiled&, Out facts);

class Toolchain {
public:
    // nvrtc: path of the library, "": searched for where toolkits and PyTorch put it. Nothing is opened here.
    explicit Toolchain(std::string nvrtc) : nvrtc_(std::move(nvrtc)) {}
    // Path of a program that is installed with this plugin: bin/ beside lib/hone/plugins.
    static std::string program(const std::string& name);
    static std::string runner_library(const std::string& name);  // lib/hone/runners; "": it was not built
    // arch such as "sm_90a". The same again is remembered. Throws Refused if there is no NVRTC, Failed if it cannot be
    // served.
    Compiled compile(const Host&, const std::string& source, const std::string& arch,
                     const std::vector<std::string>& options);
    const std::string& nvrtc();   // found library
    static std::string cupti();   // found library; throws Refused
    std::string version() const;  // such as "13.0"; "": nothing was compiled yet

private:
    // throws Refused where it is the architecture
    void explain_silence(const Host&, const std::string& arch, Compiled&);
    void ask(const Host&, const CompileRequest&, const std::string& arch, Product&);

    std::string nvrtc_;
    std::unique_ptr<CompileServer> server_;
    struct Known {
        std::string key;
        Compiled compiled;
    };
    std::deque<Known> known_;
};

}  // namespace hone::cuda
