// judge/service/largest_tensor.hpp: what is said of a task that no bench could judge, beside how the bench was lost.
#pragma once
#include <string>
#include "domain/task.hpp"

namespace hone {

// "; its largest tensor, a, has 600 MB: a smaller shape takes less time and memory (...)"; empty: none is large.
std::string largest_tensor_text(const Task&);

}  // namespace hone
