// commands/judge/shapes.hpp: at which timed shapes `hone judge` judges: what --shape and --sweep say.
#pragma once
#include <string>
#include <vector>
#include "domain/task.hpp"

namespace hone {

// The task with these sizes, "R=1024,C=1024", in place of its own. Throws Error(usage) where the text names no size of
// the task, Error(input) where the task does not take the shape.
Task at_sizes(const Task&, const std::string& sizes);
// A task for each shape of "C=256,1024,4096"; of several sizes each value with each, the last size changes fastest.
// fixed: the sizes that at_sizes gave the task, none of which may have other values here, or "". Throws as at_sizes
// does, before anything is judged.
std::vector<Task> at_all_sizes(const Task&, const std::string& sizes, const std::string& fixed);
std::string shape_text(const Task&);  // "R = 256, C = 512", in the order of its sizes

}  // namespace hone
