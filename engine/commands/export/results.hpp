// commands/export/results.hpp: result files in KernelBench's layout, which its own analysis script reads.
#pragma once
#include <filesystem>
#include <string>
#include <vector>
#include "commands/export/answers.hpp"

namespace hone {

// Writes below `folder`, for a level:
//   runs/RUN-levelN/eval_results.json         every answer: compiled, right, time in milliseconds
//   runs/RUN-levelN/pass_at_k_results.json    pass@k of each problem and on average
//   results/timing/HARDWARE/hone_FORM.json    times of the reference's forms (eager, compiled, ...) and of the one that
//                                             was the baseline (best). Other levels stay in the file.
// Throws Error(environment) where a file cannot be written, Error(input) of a file there that is no such file.
void write_results(const std::filesystem::path& folder, const std::string& run, const std::string& hardware, int level,
                   const std::vector<BenchmarkAnswer>&);

}  // namespace hone
