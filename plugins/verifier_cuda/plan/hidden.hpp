// What is told of a failure at a hidden shape: one of these texts, whatever its sizes are. Reasons reach whoever writes
// the next program, and a plan can put a size into all that it chooses: names, numbers, the line that fails, the
// messages of a compiler. Of the timed shape, which is public, all is told.
#pragma once
#include <string>

namespace hone::cuda {

constexpr const char* hidden_evaluation = "the launch plan fails at a hidden shape: its evaluation ends with an error";
constexpr const char* hidden_table =
    "the launch plan fails at a hidden shape: what it returns has something out of bounds, missing or of the wrong "
    "kind";
constexpr const char* hidden_build =
    "the program does not compile with the defines and options that the launch plan gives at a hidden shape";
constexpr const char* hidden_fit =
    "the launch plan fails at a hidden shape: a kernel is missing, or takes other parameters than are passed";
constexpr const char* hidden_load =
    "the launch plan fails at a hidden shape: the driver refuses a module, its shared memory or a tensor map, or an "
    "operator its arguments";

inline std::string told(bool timed, const std::string& reason, const char* hidden) { return timed ? reason : hidden; }

}  // namespace hone::cuda
