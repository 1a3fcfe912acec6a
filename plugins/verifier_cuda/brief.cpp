#include "brief.hpp"
#include <utility>
#include "hone/arguments.hpp"
#include "verifier_cuda/plan/plan_operators.hpp"

namespace hone::cuda {
namespace {

constexpr const char* plan_language = R"(
Where that does not do, add a launch plan in a second block, ```lua, behind the program's; the kernels may then have any names and parameters. It returns a table
and is evaluated once for each shape. Known in it: every size by its name, device.multiprocessors, device.shared_bytes, device.l2_bytes,
ceil_div(a, b), round_up(a, b), min, max; no libraries.
return {
  workspaces = { partial = 4*1024, flags = { bytes = 64, zero = true } },  -- bytes; not initialised unless zero (then within the time)
  defines = { TILE = 32 }, options = { "--use_fast_math" },               -- makes tanhf right to 11 bits alone, and sinf and cosf for small arguments; also --maxrregcount=N, --fmad=false; each different set is compiled
  { kernel = "first", grid = { 1024, 1, 1 }, block = 256, shared = 49152, -- dynamic shared bytes
    args = { "a", "partial", { "partial", 2048 }, N, int(N), float(2.5) } },
  { set = "flags", word = 0, bytes = 64 }, { copy = "o", from = "partial", bytes = 4096 },
}
Steps run in order, up to 512 a shape. More of a kernel: cluster = { 2, 1, 1 }, cooperative = true, dependent = true (programmatic dependent launch on the step
before). args: a tensor's or workspace's name is a pointer, { name, bytes } a pointer behind its beginning, a plain number a long, int() 4
bytes, float(), double(), a scalar's name its value, struct{ "a", int(N) } a structure by value, tensor_map{ tensor = "a", shape = { C, R }, box = { 64, 64 }, swizzle = 128 } a CUtensorMap (<cuda.h>) by value (innermost
dimension first; also type, strides, offset). Without args: all inputs, outputs, then the sizes. A fault at the timed
shape is told with its place, one at another shape by its kind alone.)";

std::string library_language() {
    return R"(
A step may also be an operator of torch, run by cuBLAS and cuDNN as the reference's are, so that your kernel only fuses what comes before or behind it:
  { torch = "linear", args = { "x", "w" }, out = "o" }, { kernel = "bias_gelu", grid = 1024, block = 256, args = { "o", "b" } },
args: tensors in torch's order, then options by their names (stride = 2, padding = { 1, 1 }, groups = 4). out: an output, which your kernel may then change in
place, or a workspace with a shape: workspaces = { t = { shape = { M, N }, type = "f32" } }. In place of a name { "x", shape = { M, N }, strides = { 1, M },
offset = 0 } is that memory in another shape (strides in elements, offset in bytes). Operators: )" +
           operator_names() + ".";
}

// Of tasks with constant inputs: the names are theirs.
std::string prepack_language(const std::string& constants) {
    return "\nConstant inputs, which may be prepacked before a call and outside of its time (once for weights that "
           "stay): " +
           constants + ". Add to the plan\n  prepack = { { kernel = \"pack\", grid = 64, block = 256, args = { \"" +
           constants.substr(0, constants.find(',')) +
           "\", \"packed\" } } },\nwhich takes constants and workspaces (none with zero = true); what it leaves in "
           "workspaces is there in the steps.";
}

std::string constants_of(Doc task) {
    std::string names;
    for (long i = 0; i < task.count("inputs"); ++i) {
        const std::string at = "inputs." + std::to_string(i) + ".";
        if (task.flag(at + "constant")) names += (names.empty() ? "" : ", ") + task.text(at + "name");
    }
    return names;
}

std::string c_type(const std::string& dtype) {
    static const std::pair<const char*, const char*> types[] = {
        {"f64", "double"}, {"f16", "__half"},     {"bf16", "__nv_bfloat16"}, {"i64", "long long"},
        {"i32", "int"},    {"i8", "signed char"}, {"u8", "unsigned char"},   {"bool", "bool"}};
    for (const auto& [name, type] : types)
        if (dtype == name) return type;
    return "float";
}

}  // namespace

std::string prototype(Doc task) { return "extern \"C\" __global__ void k(" + c_parameters(task, c_type) + ")"; }

std::string brief_text(Doc task, int block, bool library) {
    const std::string constants = constants_of(task);
    return "Write CUDA C++ with one kernel " + prototype(task) + "\n" + in_place_text(task) +
           "It is launched once with a one-dimensional grid: blocks of " + std::to_string(block) +
           " threads, enough blocks for one thread an element of the first output (compute i = blockIdx.x * blockDim.x "
           "+ threadIdx.x as long and "
           "check its range). Tensors are dense and row-major and begin at multiples of 64 bytes. Device code alone: "
           "no host code. Inputs are read-only memory. "
           "atomicAdd of floats from several threads adds in another order each time. "
           "Compiled by NVRTC as C++17; <cuda_fp16.h>, <cuda_bf16.h>, <mma.h>, <cooperative_groups.h>, CUB's single "
           "headers (such as "
           "<cub/block/block_reduce.cuh>) and <cuda/...> may be included." +
           plan_language + (library ? library_language() : "") + (constants.empty() ? "" : prepack_language(constants));
}

}  // namespace hone::cuda
