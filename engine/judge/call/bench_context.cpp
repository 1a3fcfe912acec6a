#include "judge/call/bench_context.hpp"
#include "base/available_memory.hpp"
#include "base/quantity.hpp"

namespace hone {
namespace {

// At least: the arena, one set of the timed inputs with its truth, and the inputs as the definition reads them.
double least_memory(const PreparedTask& prepared) {
    const Layout& timed = prepared.layout(0);
    double set = 0;
    for (const TensorSpec& spec : timed.inputs())
        set += static_cast<double>(spec.bytes()) + sizeof(double) * static_cast<double>(spec.elements());
    for (const TensorSpec& spec : timed.outputs()) set += sizeof(double) * static_cast<double>(spec.elements());
    return static_cast<double>(prepared.input_bytes()) + static_cast<double>(prepared.output_bytes()) + set;
}

}  // namespace

void BenchContext::make_room(const PreparedTask& prepared) {
    if (arena.fits(prepared.input_bytes(), prepared.output_bytes())) return;
    const double needed = least_memory(prepared), there = available_memory();
    if (code_on_host && needed > there)
        throw Error(Blame::input, "task \"" + prepared.task().name() + "\"",
                    "judging it at its timed shape needs at least " + engineering(needed, "B") + " of memory; " +
                        engineering(there, "B") + " are free",
                    "choose smaller sizes: --shape, or the shapes of the task");
    empty.reset();
    arena.fit(prepared.input_bytes(), prepared.output_bytes());
}

// A compiler that refuses even this program was given wrong options; what else goes wrong may pass.
void BenchContext::open_empty(const Task& task) {
    if (empty && (!host_code || empty_for_ == task.hash())) return;
    empty.reset();
    empty_for_ = task.hash();
    const Json brief = verifier.brief(task);
    if (!brief.contains("empty")) return;
    const std::string fences = brief.at("fences"), language = fences.substr(0, fences.find(' '));
    Json facts;
    std::optional<CandidateFailure> failure;
    empty = verifier.open(task, make_candidate(task.name(), language, brief.at("empty")), facts, failure);
    if (empty) return;
    const std::string cause = "its own empty program cannot be opened: " + failure->reason;
    if (failure->verdict != Verdict::COMPILE_ERROR) throw PartBroken("verifier \"" + verifier.id() + "\": " + cause);
    throw Error(Blame::input, "verifier \"" + verifier.id() + "\"", cause,
                "look at its options: --set verifier.NAME=VALUE");
}

}  // namespace hone
