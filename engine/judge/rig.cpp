#include "judge/rig.hpp"

namespace hone {

void Rig::make_room(const Problem& problem) {
    if (arena.fits(problem.input_bytes(), problem.output_bytes())) return;
    empty.reset();
    arena.fit(problem.input_bytes(), problem.output_bytes());
}

void Rig::open_empty(const Task& task) {
    if (empty) return;
    const Json brief = verifier.brief(task);
    if (!brief.contains("empty")) return;
    const std::string fences = brief.at("fences"), language = fences.substr(0, fences.find(' '));
    Json facts;
    std::optional<Ending> ending;
    empty = verifier.open(task, make_candidate(task.name(), language, brief.at("empty")), facts, ending);
    if (!empty) throw PartBroken("the verifier's own empty program cannot be opened: " + ending->reason);
}

}  // namespace hone
