#include "judge/call/bench_context.hpp"

namespace hone {

void BenchContext::make_room(const PreparedTask& prepared) {
    if (arena.fits(prepared.input_bytes(), prepared.output_bytes())) return;
    empty.reset();
    arena.fit(prepared.input_bytes(), prepared.output_bytes());
}

void BenchContext::open_empty(const Task& task) {
    if (empty) return;
    const Json brief = verifier.brief(task);
    if (!brief.contains("empty")) return;
    const std::string fences = brief.at("fences"), language = fences.substr(0, fences.find(' '));
    Json facts;
    std::optional<CandidateFailure> failure;
    empty = verifier.open(task, make_candidate(task.name(), language, brief.at("empty")), facts, failure);
    if (!empty) throw PartBroken("the verifier's own empty program cannot be opened: " + failure->reason);
}

}  // namespace hone
