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
#include "commands/judging.hpp"
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

// What no program can exceed on a verifier's device, by its own facts.
std::string peaks_text(const Json& facts) {
    const DevicePeaks found = find_peaks(facts);
    std::string text;
    char part[64];
    for (const DevicePeaks::Level& level : found.levels) {
        std::snprintf(part, sizeof part, "%.3g GB/s", 1e-9 * level.bytes_per_second);
        text += (text.empty() ? "" : ", ") + std::string(part);
        std::snprintf(part, sizeof part, " in %.0f KiB a core", level.bytes / 1024);
        if (level.bytes > 0) text += part;
    }
    std::snprintf(part, sizeof part, ", %.3g Gflop/s", 1e-9 * found.flops_per_second);
    if (found.flops_per_second > 0) text += part;
    return text.empty() ? "not known before a bench starts" : text;
}

// A verifier says what it has here (facts of verifier.facts: "ready", and "cure" where something is missing).
void ask_verifier(const VerifierKind& kind, std::vector<Finding>& findings) {
    const std::string what = "verifier " + kind.id;
    try {
        const Verifier verifier(make_recipe("verifier", kind.id, Json::object(), "doctor"));
        const std::string cure = verifier.facts().value("cure", "");
        findings.push_back({what, verifier.facts().value("ready", "here"), cure, kind.otherwise, cure.empty()});
        findings.push_back({"peaks " + kind.id, peaks_text(verifier.facts()), "", false, true});
    } catch (const Error& e) {
        findings.push_back({what, e.what(), "", kind.otherwise, false});
    }
}

int run_doctor(const Arguments& arguments) {
    tell_passed_over();
    std::vector<Finding> findings = {confinement(),
                                     runner(),
                                     parts(),
                                     folder("cache", cache_folder()),
                                     folder("runtime", std::filesystem::path(lease_file()).parent_path()),
                                     {"cores", std::to_string(core_count()), "", false, true}};
    for (const VerifierKind& kind : verifier_kinds()) ask_verifier(kind, findings);
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
            run_doctor};
}

}  // namespace hone
