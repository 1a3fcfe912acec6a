// memory_plan.hpp: what learning takes beside the weights, before the first update takes it.
#pragma once
#include <string>
#include "torch_lm/model/network.hpp"

namespace hone::lm {

struct LearningMemory {  // bytes
    double gradient, moments, master, frozen, kept;
    double total() const { return gradient + moments + master + frozen + kept; }
};

// Of a pass that learns: as many as fit into model.most_kept; of a large model a pass whose layers run again.
std::int64_t learnt_tokens(const Model& model);
// rank: of an adapter; 0: all weights are learnt. workers: each has a gradient of its own (Learner::threads). kept:
// what a pass keeps at most, with one piece of logits.
LearningMemory learning_memory(const Model& model, std::int64_t rank, int workers);
// Free memory where the model lies. On a GPU what LibTorch holds in reserve counts as taken.
double free_memory(Place place);
// Throws Refused with the options that would fit where `need` is more than `free`.
void check_memory(const LearningMemory& need, double free, const Model& model, std::int64_t rank);

}  // namespace hone::lm
