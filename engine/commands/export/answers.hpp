// commands/export/answers.hpp: the answers of a run that were given to KernelBench's problems.
#pragma once
#include <map>
#include <string>
#include <vector>
#include "base/error.hpp"
#include "store/journal.hpp"

namespace hone {

struct BenchmarkAnswer {
    int problem = 0;   // KernelBench's number of it within its level
    std::string file;  // of the problem: "19_ReLU.py"
    Judgement judgement;
};

struct BenchmarkAnswers {
    std::map<int, std::vector<BenchmarkAnswer>> levels;  // in the order in which they were given
    std::size_t lost = 0;                                // INFRASTRUCTURE, which says nothing of an answer
    std::size_t others = 0;                              // of other tasks, or at other sizes than the benchmark's
};

// Throws Error(input) with the stages that have answers, unless this is one of them or "".
void require_stage(const Journal&, const std::string& stage);
bool is_in_other_unit(const Judgement&);  // a right answer that was measured in another unit than seconds
Error no_times(const Journal&, const std::string& unit);
// A task that `hone import kernelbench` made is called level1_19_ReLU; with a colon behind that it has other sizes.
// stage: of this stage alone; "": of all. Throws Error(input) where one was measured in another unit than seconds.
BenchmarkAnswers benchmark_answers(const Journal&, const std::string& stage);
// {op, grp, member, task, stage} of each answer to a prompt. A stage that judges its best once more adds none.
std::vector<Json> answered_rows(const Journal&);
std::optional<int> level_of(const std::string& task);  // of a task with such a name

}  // namespace hone
