#include <algorithm>
#include <cstring>
#include "verifier_cuda/plan/plan.hpp"
#include "verifier_cuda/plan/plan_build.hpp"
#include "verifier_cuda/plan/plan_fields.hpp"
#include "verifier_cuda/plan/plan_memory.hpp"
#include "verifier_cuda/plan/plan_operators.hpp"

namespace hone::cuda {
namespace {

constexpr std::int64_t most_blocks = INT32_MAX, most_yz = 65535, most_threads = 1024, most_thread_z = 64,
                       most_cluster = 16;
constexpr std::size_t most_arguments = 64;

std::uint64_t product(const Size3& size) { return std::uint64_t{size.x} * size.y * size.z; }

Size3 size3(const Field& field, std::int64_t most_x, std::int64_t most_y, std::int64_t most_z) {
    Size3 size;
    if (!field.is_table()) {
        size.x = static_cast<std::uint32_t>(field.integer(1, most_x));
        return size;
    }
    const std::size_t n = field.count();
    if (n < 1 || n > 3) field.refuse("must be a number or a list of up to three");
    field.only({});
    size.x = static_cast<std::uint32_t>(field.element(0).integer(1, most_x));
    if (n > 1) size.y = static_cast<std::uint32_t>(field.element(1).integer(1, most_y));
    if (n > 2) size.z = static_cast<std::uint32_t>(field.element(2).integer(1, most_z));
    return size;
}

// begun: how many there were before this shape.
template <class T, std::size_t n>
std::uint32_t append(T (&list)[n], std::uint32_t& used, std::uint32_t begun, std::uint32_t a_shape, const T& item,
                     const char* what) {
    if (used - begun == a_shape) throw PlanError("more than " + std::to_string(a_shape) + " " + what);
    if (used == n) throw PlanError("more than " + std::to_string(n) + " " + what + " in all shapes together");
    list[used] = item;
    return used++;
}

// How many of each a program has.
struct Counts {
    explicit Counts(const Program& p)
        : steps(p.n_steps),
          parameters(p.n_parameters),
          kernels(p.n_kernels),
          maps(p.n_maps),
          parts(p.n_parts),
          library_steps(p.n_library_steps) {}
    std::uint32_t steps, parameters, kernels, maps, parts, library_steps;
};

class Steps {
public:
    Steps(Plan& plan, const Contract& contract, const PlanMemory& memory, std::uint32_t module)
        : program_(plan.program), contract_(contract), memory_(memory), module_(module), begun_(program_) {}

    StepList list() const { return {begun_.steps, program_.n_steps - begun_.steps}; }  // of all that were put

    void zero(std::uint32_t tensor) {
        Step step;
        step.kind = StepKind::set;
        step.to = {tensor, 0};
        step.bytes = (memory_[tensor].bytes + 3) / 4 * 4;  // workspaces end at a multiple of 256
        put(step);
    }

    void add(const Field& field) {
        // a copy engine's work is beside kernels, so that the bench's own kernels do not tell of it
        if (memory_.are_only_early() && !field.has("kernel")) field.refuse("only kernels prepack");
        if (field.has("kernel")) return kernel(field.in("kernel " + printed(field.at("kernel"))));
        if (field.has("set")) return set(field);
        if (field.has("copy")) return copy(field);
        if (field.has("torch")) return library(field.in("torch " + printed(field.at("torch"))));
        field.refuse("names no kernel, set, copy or torch");
    }

private:
    static std::string printed(const Field& name) { return "\"" + name.text().substr(0, 40) + "\""; }

    void put(const Step& step) { append(program_.steps, program_.n_steps, begun_.steps, steps_a_shape, step, "steps"); }

    void kernel(const Field& field) {
        field.only({"kernel", "grid", "block", "cluster", "shared", "cooperative", "dependent", "args"});
        Step step;
        step.grid = size3(field.at("grid"), most_blocks, most_yz, most_yz);
        step.block = size3(field.at("block"), most_threads, most_threads, most_thread_z);
        if (product(step.grid) > most_blocks)
            field.refuse("grid: more than " + std::to_string(most_blocks) + " blocks");
        if (product(step.block) > most_threads)
            field.refuse("block: more than " + std::to_string(most_threads) + " threads");
        if (field.has("cluster")) cluster(field.at("cluster"), step);
        step.shared = static_cast<std::uint32_t>(field.integer("shared", 0, 0, contract_.device.shared_bytes));
        step.cooperative = field.flag("cooperative");
        step.dependent = field.flag("dependent");
        if (step.dependent && !follows_kernel_) field.refuse("dependent: the step in front of it is no kernel");
        step.kernel = kernel_named(field.at("kernel"));
        arguments(field, step);
        put(step);
        follows_kernel_ = true;
    }

    static void cluster(const Field& field, Step& step) {
        step.cluster = size3(field, most_cluster, most_cluster, most_cluster);
        if (product(step.cluster) > most_cluster) field.refuse("more than " + std::to_string(most_cluster) + " blocks");
        if (step.grid.x % step.cluster.x || step.grid.y % step.cluster.y || step.grid.z % step.cluster.z)
            field.refuse("does not divide the grid");
    }

    std::uint32_t kernel_named(const Field& field) {
        const std::string& name = field.text();
        if (!is_name(name) || name.size() >= name_room) field.refuse("must be the name of an extern \"C\" kernel");
        Entry* const end = program_.kernels + program_.n_kernels;
        const Entry* const found =
            std::find_if(program_.kernels, end, [&](const Entry& k) { return k.module == module_ && name == k.name; });
        if (found != end) return static_cast<std::uint32_t>(found - program_.kernels);
        Entry kernel;
        std::memcpy(kernel.name, name.c_str(), name.size());
        kernel.module = module_;
        kernel.first_step = program_.n_steps;
        return append(program_.kernels, program_.n_kernels, begun_.kernels, kernels_a_shape, kernel, "kernels");
    }

    void arguments(const Field& field, Step& step) {
        step.first_parameter = program_.n_parameters;
        if (!field.has("args")) default_arguments(field);
        else {
            const Field list = field.at("args");
            list.only({});
            if (list.count() > most_arguments)
                list.refuse("more than " + std::to_string(most_arguments) + " arguments");
            for (std::size_t i = 0; i < list.count(); ++i) put(argument(list.element(i)));
        }
        step.n_parameters = program_.n_parameters - step.first_parameter;
    }

    void put(const Parameter& parameter) {
        append(program_.parameters, program_.n_parameters, begun_.parameters, parameters_a_shape, parameter,
               "arguments in all steps together");
    }

    void default_arguments(const Field& step) {
        if (memory_.are_only_early())
            step.refuse("args: is missing; what is prepacked names its constants and workspaces");
        const std::vector<TensorSizes>&inputs = contract_.task.inputs, &outputs = contract_.task.outputs;
        for (std::uint32_t i = 0; i < inputs.size() + outputs.size(); ++i) {
            const bool input = i < inputs.size();
            if (input && inputs[i].started) continue;
            put(input && inputs[i].scalar ? by_value(i) : Parameter{ParameterKind::address, 8, {i, 0}});
        }
        for (const std::int64_t size : contract_.task.sizes[program_.n_shapes])
            put({ParameterKind::value, 8, {}, static_cast<std::uint64_t>(size)});
    }

    Parameter argument(const Field& field) {
        if (field.is_table() && field.has("kind")) {
            const std::string& kind = field.at("kind").text();
            if (kind == "tensor_map")
                return {ParameterKind::map,
                        128,
                        {},
                        0,
                        append(program_.maps, program_.n_maps, begun_.maps, maps_a_shape, read_map(field, memory_),
                               "tensor maps")};
            if (kind == "struct") return structure(field.in("struct"));
        }
        return plain(field, "must be a tensor's name, a number, int(), float(), double(), struct{} or tensor_map{}");
    }

    // A scalar stands where another tensor's address does (Subject::place).
    Parameter by_value(std::uint32_t scalar) const {
        return {ParameterKind::address, static_cast<std::uint32_t>(memory_[scalar].bytes), {scalar, 0}};
    }

    // An address or a number.
    Parameter plain(const Field& field, const char* wanted) const {
        if (field.is_text()) {
            const std::optional<std::uint32_t> scalar = memory_.scalar(field);
            return scalar ? by_value(*scalar) : Parameter{ParameterKind::address, 8, {memory_.find(field), 0}};
        }
        if (field.is_number()) {
            if (field.value().is_number_float() && field.value() != std::floor(field.value().get<double>()))
                field.refuse("is no whole number: write float(x) or double(x)");
            return {ParameterKind::value, 8, {}, static_cast<std::uint64_t>(field.integer(INT64_MIN, INT64_MAX))};
        }
        if (!field.is_table()) field.refuse(wanted);
        if (!field.has("kind")) return {ParameterKind::address, 8, memory_.spot(field)};
        if (field.at("kind").text() != "value") field.refuse(wanted);
        const std::int64_t bytes = field.at("bytes").integer(4, 8);
        const std::int64_t bits =
            field.at("bits").integer(bytes == 8 ? INT64_MIN : 0, bytes == 8 ? INT64_MAX : UINT32_MAX);
        return {ParameterKind::value, static_cast<std::uint32_t>(bytes / 4 * 4), {}, static_cast<std::uint64_t>(bits)};
    }

    // Laid out as C++ does: each part at a multiple of its size, the end at a multiple of the largest.
    Parameter structure(const Field& field) {
        if (field.named().size() > 1) field.refuse("is a list of parts, which have no names");
        if (field.count() == 0) field.refuse("has no parts");
        Parameter made{
            ParameterKind::structure, 0, {}, 0, 0, program_.n_parts, static_cast<std::uint32_t>(field.count())};
        const auto aligned = [&](std::uint32_t size) { return (made.bytes + size - 1) / size * size; };
        std::uint32_t largest = 1;
        for (std::size_t i = 0; i < field.count(); ++i) {
            const Parameter part =
                plain(field.element(i), "must be a tensor's name, a number, int(), float() or double()");
            append(program_.parts, program_.n_parts, begun_.parts, parts_a_shape, {part, aligned(part.bytes)},
                   "parts of structs");
            made.bytes = aligned(part.bytes) + part.bytes;
            largest = std::max(largest, part.bytes);
        }
        made.bytes = aligned(largest);
        return made;
    }

    // Bytes of a set or copy: whole words within the tensor.
    std::uint64_t extent(const Field& field, const Spot& spot, std::uint64_t room) const {
        const std::uint64_t rest = room - spot.offset;
        const auto bytes = static_cast<std::uint64_t>(field.has("bytes") ? field.at("bytes").integer(1, INT64_MAX)
                                                                         : static_cast<std::int64_t>(rest));
        if (bytes > rest) field.refuse("bytes: beyond the end of \"" + memory_[spot.tensor].name + "\"");
        return bytes;
    }

    std::uint32_t written(const Field& field) const {
        const std::uint32_t tensor = memory_.find(field);
        if (tensor < contract_.task.inputs.size()) field.refuse("an input cannot be written");
        return tensor;
    }

    Spot spot(const Field& field, std::uint32_t tensor, const char* name) const {
        const auto most = static_cast<std::int64_t>(memory_[tensor].bytes);
        return {tensor, static_cast<std::uint64_t>(field.integer(name, 0, 0, most))};
    }

    void set(const Field& field) {
        field.only({"set", "word", "offset", "bytes"});
        Step step;
        step.kind = StepKind::set;
        step.to = spot(field, written(field.at("set")), "offset");
        step.bytes = extent(field, step.to, memory_[step.to.tensor].bytes);
        if (step.to.offset % 4 || step.bytes % 4) field.refuse("offset and bytes must be multiples of 4");
        step.word = static_cast<std::uint32_t>(field.integer("word", 0, INT32_MIN, UINT32_MAX));
        put(step);
        follows_kernel_ = false;
    }

    void copy(const Field& field) {
        field.only({"copy", "from", "offset", "from_offset", "bytes"});
        Step step;
        step.kind = StepKind::copy;
        step.to = spot(field, written(field.at("copy")), "offset");
        step.from = spot(field, memory_.find(field.at("from")), "from_offset");
        step.bytes = extent(field, step.to, memory_[step.to.tensor].bytes);
        if (step.bytes != extent(field, step.from, memory_[step.from.tensor].bytes))
            field.refuse("bytes is missing: the two have different sizes");
        put(step);
        follows_kernel_ = false;
    }

    void library(const Field& field) {
        if (!contract_.no_library.empty()) field.refuse(contract_.no_library);
        const Field out = field.at("out");
        Step step;
        step.kind = StepKind::library;
        step.library =
            append(program_.library_steps, program_.n_library_steps, begun_.library_steps, library_steps_a_shape,
                   read_library_step(field, memory_, written(out.is_table() ? out.at("1") : out)), "library steps");
        put(step);
        follows_kernel_ = false;
    }

    Program& program_;
    const Contract& contract_;
    const PlanMemory& memory_;
    std::uint32_t module_;
    Counts begun_;
    bool follows_kernel_ = false;
};

void add_all(Steps& steps, const Field& list, const std::string& place) {
    for (std::size_t i = 0; i < list.count(); ++i)
        steps.add(Field(list.element(i).value(), place + std::to_string(i + 1)));
}

// The steps that come before a call.
StepList prepacked(Plan& plan, const Field& root, const Contract& contract, PlanMemory& memory, std::uint32_t module) {
    if (!root.has("prepack")) return {};
    const Field list = root.at("prepack");
    list.only({});
    if (!memory.has_constants()) list.refuse("the task declares no constant inputs");
    memory.only_early(true);
    Steps steps(plan, contract, memory, module);
    add_all(steps, list, "prepack, step ");
    return steps.list();
}

}  // namespace

void add_shape(Plan& plan, const Field& root, std::size_t shape, const Contract& contract) {
    root.only({"workspaces", "defines", "options", "prepack"});
    Program& program = plan.program;
    PlanMemory memory(root, shape, contract.task);
    const std::uint32_t module = choose_build(plan, root, contract.fast_math);
    Steps steps(plan, contract, memory, module);
    for (const std::uint32_t tensor : memory.zeroed()) steps.zero(tensor);
    if (root.count() == 0) root.refuse("it has no steps");
    add_all(steps, root, "step ");
    program.shapes[program.n_shapes] = steps.list();
    program.prepacks[program.n_shapes] = prepacked(plan, root, contract, memory, module);
    plan.workspaces.push_back(memory.workspaces());
    plan.sizes.push_back(contract.task.sizes[shape]);
    program.n_tensors = std::max(program.n_tensors, memory.count());
    ++program.n_shapes;
    if (shape == 0) program.timed = {program.n_kernels, program.n_steps, program.n_maps};
}

std::unique_ptr<Plan> infer_plan(const TaskShapes& task, std::uint32_t block) {
    auto plan = std::make_unique<Plan>();
    for (std::size_t shape = 0; shape < task.sizes.size(); ++shape) {
        const std::uint64_t elements = task.outputs.empty() ? 1 : task.outputs.front().elements(shape);
        const Json root = {{"1", {{"kernel", "k"}, {"grid", (elements + block - 1) / block}, {"block", block}}}};
        add_shape(*plan, Field(root, ""), shape, {task, {}, true});
    }
    plan->program.inferred = 1;
    return plan;
}

}  // namespace hone::cuda
