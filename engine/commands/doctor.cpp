// `hone doctor`: is this machine fit to judge? Each finding names its cure.
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include "base/json.hpp"
#include "base/paths.hpp"
#include "base/printable.hpp"
#include "commands/command.hpp"
#include "judge/call/bench_parts.hpp"
#include "judge/call/peaks.hpp"
#include "judge/service/bench_process.hpp"
#include "judge/service/lease.hpp"
#include "parts/library.hpp"
#include "parts/verifiers.hpp"
#include "sandbox/sandbox.hpp"

namespace hone {
namespace {

struct Finding {
    std::string what, state, cure;  // cure empty: nothing to be done
    bool needed;                    // without it the main job cannot run
    bool fine;
};

Finding confinement() {
    enter_namespaces();  // as a worker does
    const Sandbox& found = sandbox();
    const bool fine = found.level() > 0;
    return {"sandbox", found.text(),
            fine ? "" : "host code is refused without seccomp: judge on another kernel or container", true, fine};
}

Finding runner() {
    const bool fine = access(runner_path().c_str(), X_OK) == 0;
    return {"runner", runner_path().string(), fine ? "" : "it is missing beside hone: build or install again", true,
            fine};
}

Finding parts() {
    std::size_t refused = 0;
    const std::vector<PartFile> files = list_parts(plugin_folders());
    for (const PartFile& file : files) {
        try {
            Library::open(file);
        } catch (const Error&) {
            ++refused;
        }
    }
    return {"parts", std::to_string(files.size()) + " found, " + std::to_string(refused) + " refused",
            refused         ? "`hone plugins` says why"
            : files.empty() ? "set HONE_PLUGIN_PATH, or build or install again"
                            : "",
            true, !files.empty()};
}

Finding folder(const std::string& what, const std::filesystem::path& path) {
    const bool fine = access(path.c_str(), W_OK) == 0;
    return {what, path.string(),
            fine ? "" : "it cannot be written: make it, or choose another by XDG_CACHE_HOME or XDG_RUNTIME_DIR", true,
            fine};
}

// A verifier says what it has here (facts of verifier.facts: "ready", and "cure" where something is missing).
Finding verifier(const VerifierKind& kind) {
    const std::string what = "verifier " + kind.id;
    try {
        const Json facts = Verifier(make_recipe("verifier", kind.id, Json::object(), "doctor")).facts();
        const std::string cure = facts.value("cure", "");
        return {what, facts.value("ready", "here"), cure, kind.otherwise, cure.empty()};
    } catch (const Error& e) {
        return {what, e.what(), "", kind.otherwise, false};
    }
}

// What no program on this machine can exceed.
Finding peaks() {
    const DevicePeaks found = measured_peaks();
    std::string text;
    char part[64];
    for (const DevicePeaks::Level& level : found.levels) {
        std::snprintf(part, sizeof part, "%.3g GB/s in %.0f KiB a core, ", 1e-9 * level.bytes_per_second,
                      level.bytes / 1024);
        text += part;
    }
    std::snprintf(part, sizeof part, "%.3g Gflop/s", 1e-9 * found.flops_per_second);
    return {"peaks", text + part, "", false, true};
}

int run(const Arguments& arguments) {
    std::vector<Finding> findings = {confinement(),
                                     runner(),
                                     parts(),
                                     folder("cache", cache_folder()),
                                     folder("runtime", std::filesystem::path(lease_file()).parent_path()),
                                     {"cores", std::to_string(core_count()), "", false, true},
                                     peaks()};
    for (const VerifierKind& kind : verifier_kinds()) findings.push_back(verifier(kind));
    bool fit = true;
    Json rows = Json::array();
    for (const Finding& f : findings) {
        fit = fit && (f.fine || !f.needed);
        rows.push_back(
            {{"what", f.what}, {"state", f.state}, {"fine", f.fine}, {"needed", f.needed}, {"cure", f.cure}});
        if (!arguments.has("--json"))
            std::printf("%-8s %-10s %s%s%s\n",
                        f.fine     ? "ok"
                        : f.needed ? "MISSING"
                                   : "-",
                        f.what.c_str(), f.state.c_str(), f.cure.empty() ? "" : "; ", f.cure.c_str());
    }
    if (arguments.has("--json"))
        std::fputs(document_text({{"schema", "hone.doctor/1"}, {"fit", fit}, {"findings", rows}}).c_str(), stdout);
    return fit ? 0 : static_cast<int>(Blame::environment);
}

}  // namespace

Command doctor_command() {
    return {"doctor",
            "",
            "is this machine fit to judge, and what would cure it?",
            "",
            {{"--json", "", "one JSON document on stdout"}},
            run};
}

}  // namespace hone
