// `hone doctor`: is this machine fit to judge? Each finding names its cure.
#include <dlfcn.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include "base/json.hpp"
#include "base/paths.hpp"
#include "base/printable.hpp"
#include "commands/command.hpp"
#include "judge/bench_parts.hpp"
#include "judge/bench_process.hpp"
#include "judge/lease.hpp"
#include "judge/peaks.hpp"
#include "judge/sandbox.hpp"
#include "parts/library.hpp"

namespace hone {
namespace {

struct Finding {
    std::string what, state, cure;  // cure empty: nothing to be done
    bool needed;                    // without it the main job cannot run
    bool fine;
};

std::string on_path(const std::string& program) {
    std::istringstream folders(std::getenv("PATH") ? std::getenv("PATH") : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (access((folder + "/" + program).c_str(), X_OK) == 0) return folder + "/" + program;
    return {};
}

Finding compiler() {
    for (const char* name : {"g++", "clang++"})
        if (const std::string path = on_path(name); !path.empty()) return {"compiler", path, "", true, true};
    return {"compiler", "none", "install g++ or clang++ (Debian: apt install g++)", true, false};
}

Finding confinement() {
    enter_namespaces();  // as a worker does
    const Sandbox& found = sandbox();
    const bool fine = found.level() > 0;
    return {"sandbox", found.text(), fine ? "" : "host code is refused without seccomp: judge on another kernel or container", true, fine};
}

Finding runner() {
    const bool fine = access(runner_path().c_str(), X_OK) == 0;
    return {"runner", runner_path().string(), fine ? "" : "it is missing beside hone: build or install again", true, fine};
}

Finding parts() {
    std::size_t refused = 0;
    const std::vector<PartFile> files = list_parts(plugin_folders());
    for (const PartFile& file : files) {
        try { Library::open(file); } catch (const Error&) { ++refused; }
    }
    return {"parts", std::to_string(files.size()) + " found, " + std::to_string(refused) + " refused",
            refused         ? "`hone plugins` says why"
            : files.empty() ? "set HONE_PLUGIN_PATH, or build or install again"
                            : "",
            true, !files.empty()};
}

Finding folder(const std::string& what, const std::filesystem::path& path) {
    const bool fine = access(path.c_str(), W_OK) == 0;
    return {what, path.string(), fine ? "" : "it cannot be written: make it, or choose another by XDG_CACHE_HOME or XDG_RUNTIME_DIR", true,
            fine};
}

Finding driver() {
    const bool fine = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr;
    return {"CUDA", fine ? "driver found" : "no driver (libcuda.so.1; CPU tasks do not need one)",
            fine ? "" : "GPU tasks are compiled here, and judged on a machine with NVIDIA's driver", false, fine};
}

// What verifier.cuda compiles with, as it says itself.
Finding gpu_compiler() {
    std::string found;
    try { found = Verifier(make_recipe("verifier", "cuda", Json::object(), "doctor")).facts().value("compiler", ""); }
    catch (const Error& e) { return {"NVRTC", e.what(), "", false, false}; }
    const bool fine = found.find("no NVRTC") == std::string::npos;
    return {"NVRTC", fine ? found : "none (CPU tasks do not need it)",
            fine ? "" : "install CUDA's NVRTC (pip: nvidia-cuda-nvrtc) or set CUDA_HOME to compile GPU tasks", false, fine};
}

// What no program on this machine can exceed.
Finding peaks() {
    const Peaks found = measured_peaks();
    std::string text;
    char part[64];
    for (const Peaks::Level& level : found.levels) {
        std::snprintf(part, sizeof part, "%.3g GB/s in %.0f KiB a core, ", 1e-9 * level.bytes_per_second, level.bytes / 1024);
        text += part;
    }
    std::snprintf(part, sizeof part, "%.3g Gflop/s", 1e-9 * found.flops_per_second);
    return {"peaks", text + part, "", false, true};
}

int run(const Arguments& arguments) {
    const std::vector<Finding> findings = {compiler(),
                                           confinement(),
                                           runner(),
                                           parts(),
                                           folder("cache", cache_folder()),
                                           folder("runtime", std::filesystem::path(lease_file()).parent_path()),
                                           {"cores", std::to_string(core_count()), "", false, true},
                                           peaks(),
                                           driver(),
                                           gpu_compiler()};
    bool fit = true;
    Json rows = Json::array();
    for (const Finding& f : findings) {
        fit = fit && (f.fine || !f.needed);
        rows.push_back({{"what", f.what}, {"state", f.state}, {"fine", f.fine}, {"needed", f.needed}, {"cure", f.cure}});
        if (!arguments.has("--json"))
            std::printf("%-8s %-10s %s%s%s\n",
                        f.fine     ? "ok"
                        : f.needed ? "MISSING"
                                   : "-",
                        f.what.c_str(), f.state.c_str(), f.cure.empty() ? "" : "; ", f.cure.c_str());
    }
    if (arguments.has("--json")) std::fputs(document_text({{"schema", "hone.doctor/1"}, {"fit", fit}, {"findings", rows}}).c_str(), stdout);
    return fit ? 0 : static_cast<int>(Blame::environment);
}

}  // namespace

Command doctor_command() {
    return {"doctor", "", "is this machine fit to judge, and what would cure it?", "", {{"--json", "", "one JSON document on stdout"}},
            run};
}

}  // namespace hone
