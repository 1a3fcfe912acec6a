#include "verifier_cuda/plan/plan_fit.hpp"
#include <algorithm>
#include <set>
#include "verifier_cuda/plan/hidden.hpp"

namespace hone::cuda {
namespace {

constexpr std::size_t most_listed = 200;

std::string missing(const Program& program, const std::string& name, const Cubin& cubin) {
    std::set<std::string> names;
    for (const Kernel& kernel : cubin.kernels) names.insert(kernel.name);
    std::string there;
    for (const std::string& kernel : names) there += (there.empty() ? "; it has: " : ", ") + kernel;
    if (there.empty()) there = "; it has none";
    const std::string cure =
        program.inferred ? ": declare it extern \"C\" __global__ void " + name + "(...), or add a launch plan" : "";
    return "the code has no kernel " + name + cure + there.substr(0, most_listed);
}

// Why a step does not fit; empty: it does. Where there was no plan, a kernel may leave out the last parameters.
std::string misfit(const Program& program, const Step& step, const Cubin& cubin) {
    const std::string name = program.kernels[step.kernel].name;
    const auto found = std::find_if(cubin.kernels.begin(), cubin.kernels.end(),
                                    [&](const Kernel& kernel) { return kernel.name == name; });
    if (found == cubin.kernels.end()) return missing(program, name, cubin);
    const Kernel& kernel = *found;
    const auto n = kernel.parameters.size();
    if (n > step.n_parameters || (n < step.n_parameters && !program.inferred))
        return "kernel " + kernel.name + " takes " + std::to_string(n) + " parameters, " +
               std::to_string(step.n_parameters) + " are passed";
    for (std::size_t i = 0; i < n; ++i) {
        const auto bytes = static_cast<int>(program.parameters[step.first_parameter + i].bytes);
        if (kernel.parameters[i] == bytes) continue;
        return "parameter " + std::to_string(i + 1) + " of " + kernel.name + " has " +
               std::to_string(kernel.parameters[i]) + " bytes, " +
               (program.inferred && bytes == 8 ? "pointers and long have 8" : std::to_string(bytes) + " are passed");
    }
    return {};
}

}  // namespace

std::string misfit(const Program& program, std::uint32_t module, const Cubin& cubin) {
    for (std::uint32_t i = 0; i < program.n_steps; ++i) {
        const Step& step = program.steps[i];
        if (step.kind != StepKind::kernel || program.kernels[step.kernel].module != module) continue;
        if (const std::string reason = misfit(program, step, cubin); !reason.empty())
            return told(i < program.timed.steps, reason, hidden_fit);
    }
    return {};
}

}  // namespace hone::cuda
