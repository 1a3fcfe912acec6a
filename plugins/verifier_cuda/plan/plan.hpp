// A candidate's launch plan: what to build, which memory to keep, and the steps of a call at each shape of the task.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include "hone/plugin.hpp"
#include "verifier_cuda/plan/task_shapes.hpp"
#include "verifier_cuda/runner/program.hpp"

namespace hone::cuda {

constexpr std::uint64_t max_workspace_bytes = std::uint64_t{1} << 30, workspace_alignment = 256;

struct DeviceFacts {  // of an H200, where there is no device to ask
    std::int64_t multiprocessors = 132, shared_bytes = 232448, l2_bytes = 62914560;
};

struct Plan {
    struct Workspaces {
        std::vector<std::uint64_t> begins;
        std::uint64_t bytes = 0;
    };                                             // in the memory kept for them
    std::vector<std::vector<std::string>> builds;  // compiler options of each module
    std::vector<Workspaces> workspaces;            // of each shape
    std::vector<std::vector<std::int64_t>> sizes;  // of each shape: a call is recognised by them
    Program program;
    std::uint64_t workspace_bytes() const;  // of the shape that needs most
    std::uint32_t prepack_steps() const;    // of the timed shape; 1 where hidden ones alone have some
    std::string operators() const;          // of the timed shape's library steps: "conv2d, linear"
};

struct Contract {
    TaskShapes task;
    DeviceFacts device;
    bool fast_math = true;        // whether the task's numbers allow it
    std::string no_library = {};  // why this machine has no library steps; empty: it has
};

// One kernel k, one thread an element of the first output, all tensors and sizes as arguments.
std::unique_ptr<Plan> infer_plan(const TaskShapes&, std::uint32_t block);

// Evaluates the Lua text in the bench's sandbox. null: the plan is at fault, `reason` says why.
std::unique_ptr<Plan> read_plan(const Host&, const std::string& text, const Contract&, std::string& reason);

// The evaluated plan of one shape as steps; throws PlanError. For read_plan.
class Field;
void add_shape(Plan&, const Field& root, std::size_t shape, const Contract&);

}  // namespace hone::cuda
