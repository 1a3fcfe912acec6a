// A candidate's launches as data: what the verifier makes of a launch plan and the runner carries out, without pointers
// so that it travels through shared memory. One list of steps a shape of the task.
#pragma once
#include <cstdint>
#include <type_traits>

namespace hone::cuda {

constexpr std::uint32_t max_shapes = 32, max_tensors = 64, max_rank = 5, name_room = 128;
// Of each shape's call, and again of its prepacking. Of all shapes together: ten times as much, since a task and a
// judging have about ten shapes and few plans come near the limit.
constexpr std::uint32_t kernels_a_shape = 64, steps_a_shape = 512, parameters_a_shape = 4096, maps_a_shape = 128,
                        parts_a_shape = 1024, library_steps_a_shape = 32;
constexpr std::uint32_t max_kernels = 10 * kernels_a_shape, max_steps = 10 * steps_a_shape,
                        max_parameters = 10 * parameters_a_shape, max_maps = 10 * maps_a_shape,
                        max_parts = 10 * parts_a_shape, max_library_steps = 10 * library_steps_a_shape;
constexpr std::uint32_t max_modules = max_shapes;  // each shape may have defines of its own

// Where a call's memory begins: its inputs, its outputs, then the plan's workspaces, numbered in this order. A scalar's
// bits stand in place of its address.
struct Spot {
    std::uint32_t tensor = 0;
    std::uint64_t offset = 0;
};

struct Size3 {
    std::uint32_t x = 1, y = 1, z = 1;
};

enum class ParameterKind : std::uint32_t { address, value, map, structure };
struct Parameter {
    ParameterKind kind = ParameterKind::value;
    std::uint32_t bytes = 8;  // as the kernel declares it
    Spot spot;
    std::uint64_t bits = 0;  // of a value
    std::uint32_t map = 0;
    std::uint32_t first_part = 0, n_parts = 0;  // of a structure
};

struct Part {  // an address or a value within a structure
    Parameter parameter;
    std::uint32_t offset = 0;
};

enum class StepKind : std::uint32_t { kernel, set, copy, library };
struct Step {
    StepKind kind = StepKind::kernel;
    std::uint32_t kernel = 0;
    Size3 grid, block, cluster;
    std::uint32_t shared = 0;  // dynamic, a block
    std::uint32_t cooperative = 0;
    std::uint32_t dependent = 0;  // may start before the step in front of it has ended
    std::uint32_t first_parameter = 0, n_parameters = 0;
    Spot to, from;  // of sets and copies
    std::uint64_t bytes = 0;
    std::uint32_t word = 0;
    std::uint32_t library = 0;  // which library step
};

// The operators of LibTorch that a plan can ask for: nothing of it chooses other code.
enum class Operator : std::uint32_t { matmul, add_matmul, linear, convolution, transposed_convolution, attention };
constexpr std::uint32_t max_operands = 3, max_window = 3, operator_room = 32;

// A tensor of an operator: memory of the call, seen in a shape.
struct Operand {
    Spot spot;
    std::uint64_t bytes = 0;  // from the spot to the end of the last element; 0: there is no such tensor
    std::int32_t dtype = 0;   // HONE_F32, ...
    std::uint32_t rank = 0;
    std::int64_t shape[max_rank] = {}, strides[max_rank] = {};  // strides in elements
};

struct Window {  // of a convolution, outermost dimension first
    std::uint32_t rank = 0;
    std::int64_t stride[max_window] = {}, padding[max_window] = {}, dilation[max_window] = {},
                 output_padding[max_window] = {};
    std::int64_t groups = 1;
};

struct LibraryStep {
    Operator what = Operator::matmul;
    char name[operator_room] = {};  // as the plan calls it
    Operand out, in[max_operands];
    Window window;
    double alpha = 1, beta = 1;  // of add_matmul
    double scale = 0;            // of attention; 0: the usual one
    std::uint32_t causal = 0;
};

// The arguments of cuTensorMapEncodeTiled, innermost dimension first.
struct TensorMap {
    Spot spot;
    std::uint32_t type = 0, rank = 0, interleave = 0, swizzle = 0, l2 = 0, fill = 0;
    std::uint64_t shape[max_rank] = {}, strides[max_rank] = {};  // strides[0]: of dimension 1
    std::uint32_t box[max_rank] = {}, element_strides[max_rank] = {};
};

struct Entry {
    char name[name_room] = {};
    std::uint32_t module = 0;
    std::uint32_t first_step = 0;  // one that launches it: for its occupancy
};

struct StepList {
    std::uint32_t first = 0, n = 0;
};

// How many of each are the timed shape's. It comes first, so they are the first ones; more than its own module, number
// 0, it never has.
struct Timed {
    std::uint32_t kernels = 0, steps = 0, maps = 0;
};

struct Program {
    std::uint32_t n_modules = 0, n_kernels = 0, n_shapes = 0, n_steps = 0, n_parameters = 0, n_maps = 0, n_parts = 0,
                  n_tensors = 0, n_library_steps = 0;
    std::uint32_t inferred = 0;  // there was no plan
    std::uint32_t graph = 0;     // a call is one launch of a CUDA graph
    std::uint32_t tf32 = 0;      // operators may round float32 factors to it, as those of the reference may
    Timed timed;
    Entry kernels[max_kernels];
    StepList shapes[max_shapes];
    StepList prepacks[max_shapes];  // before a call, with nothing there but constants and workspaces
    Step steps[max_steps];
    Parameter parameters[max_parameters];
    TensorMap maps[max_maps];
    Part parts[max_parts];
    LibraryStep library_steps[max_library_steps];
};
static_assert(std::is_trivially_copyable_v<Program>);

}  // namespace hone::cuda
