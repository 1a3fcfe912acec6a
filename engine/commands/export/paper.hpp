// commands/export/paper.hpp: a run's answers as rows of CUDA-L1's tables (arXiv 2507.14111, tables 2, 3 and 5).
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "store/journal.hpp"

namespace hone {

// Of each task the best right answer counts: the one with the highest lower end of its interval.
struct PaperRow {
    std::string label;
    // tasks: without those whose right answer has no time of the row's form; faster: by more than 1 %
    std::size_t tasks = 0, right = 0, faster = 0;
    std::optional<double> mean, most, upper, median, lower;  // over the tasks with a right answer; quartiles
    std::optional<double> geomean;                           // of the same
    double mean_of_all = 1;                                  // a task without a right answer counts 1
};

struct PaperTables {
    std::vector<PaperRow> stages;       // each stage against the judgements' own baseline
    std::vector<PaperRow> baselines;    // one stage against each form of the reference, by level of KernelBench
    std::string stage;                  // that stage: the given one, or the last of the run
    std::size_t lost = 0;               // answers that nobody could judge, in no row
    std::vector<std::string> left_out;  // stages that were measured in another unit than seconds
};

// Throws Error(input) where the run has no such stage or no judgement at all, or none in seconds.
PaperTables paper_tables(const Journal&, const std::string& stage);
std::string paper_text(const PaperTables&);  // Markdown
Json to_json(const PaperTables&);

}  // namespace hone
