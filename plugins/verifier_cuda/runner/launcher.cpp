#include "verifier_cuda/runner/launcher.hpp"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>
#include "verifier_cuda/plan/hidden.hpp"
#include "verifier_cuda/runner/trial_memory.hpp"

namespace hone::cuda {
namespace {

constexpr std::uint64_t aligned_address = 1 << 20;  // stands for any tensor's while maps are tried
constexpr unsigned portable_cluster = 8;            // blocks that every device grants

void refuse(OpenReply& reply, const char* verdict, bool timed, const std::string& reason) {
    if (reply.verdict[0]) return;
    std::snprintf(reply.verdict, sizeof reply.verdict, "%s", verdict);
    std::snprintf(reply.reason, sizeof reply.reason, "%s", told(timed, reason, hidden_load).c_str());
}

unsigned product(const Size3& size) { return size.x * size.y * size.z; }
std::size_t words_of(const Parameter& structure) { return (structure.bytes + 7) / 8; }
std::uint64_t address(const Spot& spot, const std::uint64_t* addresses) { return addresses[spot.tensor] + spot.offset; }

}  // namespace

Launcher::Launcher(const Driver& driver) : driver_(driver) {
    driver_.check(driver_.make_stream(&queue_, stream_without_default), "cuStreamCreate");
    pause_ = load_pause(driver_);
    driver_.check(run_empty(), "cuLaunchKernel (an empty kernel)");
    driver_.check(capture(empty_graph_, [&] { return run_empty(); }), "capturing a graph");
    driver_.check(driver_.launch_graph(empty_graph_, queue_), "cuGraphLaunch (an empty kernel)");
    driver_.check(driver_.synchronize(queue_), "cuStreamSynchronize");
}

void Launcher::load(const Program& program, const std::vector<const void*>& images, OpenReply& reply) {
    program_ = program;
    std::vector<Module> modules;
    for (const void* image : images) {
        Module& module = modules.emplace_back();
        if (const Result loaded = driver_.load_module(&module, image))
            return refuse(reply, loaded == out_of_memory ? "OUT_OF_MEMORY" : "LAUNCH_ERROR", modules.size() == 1,
                          "the driver refused the compiled kernels: " + driver_.name(loaded));
    }
    find_kernels(modules, reply);
    if (!reply.verdict[0]) prepare_arguments(reply);
    if (library_) library_->set_precision(program_.tf32 != 0);
    prepared_.resize(program_.n_shapes);
}

void Launcher::find_kernels(const std::vector<Module>& modules, OpenReply& reply) {
    for (std::uint32_t i = 0; i < program_.n_kernels; ++i) {
        const Entry& kernel = program_.kernels[i];
        Function& function = kernels_.emplace_back();
        if (driver_.function(&function, modules.at(kernel.module), kernel.name))
            return refuse(reply, "LAUNCH_ERROR", i < program_.timed.kernels,
                          std::string("the driver finds no kernel ") + kernel.name);
    }
    grant(reply);
    for (std::uint32_t i = 0; i < program_.timed.kernels; ++i) describe(i, reply.kernels[i]);
}

void Launcher::grant(OpenReply& reply) {
    std::vector<std::uint32_t> granted(kernels_.size());
    for (std::uint32_t i = 0; i < program_.n_steps; ++i) {
        const Step& step = program_.steps[i];
        if (step.kind != StepKind::kernel) continue;
        const Function function = kernels_[step.kernel];
        if (product(step.cluster) > portable_cluster)
            driver_.set_function_attribute(function, attribute::wide_cluster, 1);
        if (step.shared <= granted[step.kernel]) continue;
        granted[step.kernel] = step.shared;  // 48 KiB, static ones included, would be there unasked
        if (driver_.set_function_attribute(function, attribute::most_dynamic_shared_bytes,
                                           static_cast<int>(step.shared)))
            return refuse(reply, "LAUNCH_ERROR", i < program_.timed.steps,
                          std::string(program_.kernels[step.kernel].name) +
                              " and its launch want more shared memory than a block can have");
    }
}

void Launcher::describe(std::uint32_t kernel, KernelFacts& facts) const {
    const Function function = kernels_[kernel];
    const Step& step = program_.steps[program_.kernels[kernel].first_step];
    driver_.function_attribute(&facts.registers, attribute::registers, function);
    driver_.function_attribute(&facts.shared_bytes, attribute::shared_bytes, function);
    driver_.function_attribute(&facts.local_bytes, attribute::local_bytes, function);
    driver_.function_attribute(&facts.max_threads, attribute::threads, function);
    driver_.blocks_at_once(&facts.blocks, function, static_cast<int>(product(step.block)), step.shared);
}

void Launcher::prepare_arguments(OpenReply& reply) {
    values_.resize(program_.n_parameters);
    maps_.resize(program_.n_maps);
    std::size_t words = 0;
    for (std::uint32_t i = 0; i < program_.n_parameters; ++i)
        if (program_.parameters[i].kind == ParameterKind::structure) words += words_of(program_.parameters[i]);
    structures_.resize(words);
    std::uint64_t* room = structures_.data();
    for (std::uint32_t i = 0; i < program_.n_parameters; ++i) {
        const Parameter& parameter = program_.parameters[i];
        values_[i] = parameter.bits;
        void* at = &values_[i];
        if (parameter.kind == ParameterKind::map) at = &maps_[parameter.map];
        if (parameter.kind == ParameterKind::structure) at = std::exchange(room, room + words_of(parameter));
        pointers_.push_back(at);
    }
    for (std::uint32_t i = 0; i < program_.n_maps; ++i)
        if (const Result refused = encode(i, aligned_address))
            return refuse(reply, "PLAN_ERROR", i < program_.timed.maps,
                          "the driver refuses tensor_map " + std::to_string(i + 1) + ": " + driver_.name(refused));
}

Result Launcher::encode(std::uint32_t i, std::uint64_t at) {
    const TensorMap& map = program_.maps[i];
    return driver_.encode_map(&maps_[i], static_cast<int>(map.type), map.rank, reinterpret_cast<void*>(at), map.shape,
                              map.strides, map.box, map.element_strides, static_cast<int>(map.interleave),
                              static_cast<int>(map.swizzle), static_cast<int>(map.l2), static_cast<int>(map.fill));
}

void Launcher::fill(const Parameter& structure, const std::uint64_t* addresses, char* at) const {
    for (std::uint32_t i = structure.first_part; i < structure.first_part + structure.n_parts; ++i) {
        const auto& [part, offset] = program_.parts[i];
        const std::uint64_t value = part.kind == ParameterKind::address ? address(part.spot, addresses) : part.bits;
        std::memcpy(at + offset, &value, part.bytes);
    }
}

// Fills in the addresses of one call.
Result Launcher::place(const StepList& list, const std::uint64_t* addresses) {
    for (std::uint32_t s = list.first; s < list.first + list.n; ++s) {
        const Step& step = program_.steps[s];
        for (std::uint32_t i = step.first_parameter; i < step.first_parameter + step.n_parameters; ++i) {
            const Parameter& parameter = program_.parameters[i];
            if (parameter.kind == ParameterKind::address) values_[i] = address(parameter.spot, addresses);
            if (parameter.kind == ParameterKind::structure)
                fill(parameter, addresses, static_cast<char*>(pointers_[i]));
            if (parameter.kind != ParameterKind::map) continue;
            const Spot& spot = program_.maps[parameter.map].spot;
            if (const Result refused = encode(parameter.map, address(spot, addresses))) return refused;
        }
    }
    return 0;
}

Result Launcher::run(std::uint32_t shape, const std::uint64_t* addresses) {
    if (const Result refused = prepare(shape, addresses)) return refused;
    return program_.graph ? driver_.launch_graph(prepared_[shape].graph, queue_)
                          : enqueue(program_.shapes[shape], addresses);
}

// Never a graph: it runs once for weights that stay.
Result Launcher::run_prepack(std::uint32_t shape, const std::uint64_t* addresses) {
    step_ = 0;
    const StepList& list = program_.prepacks[shape];
    const Result refused = place(list, addresses);
    return refused ? refused : enqueue(list, addresses);
}

Result Launcher::run_empty() {
    if (program_.graph) return driver_.launch_graph(empty_graph_, queue_);
    return driver_.launch(pause_, 1, 1, 1, 1, 1, 1, 0, queue_, nullptr, nullptr);
}

Result Launcher::enqueue(const StepList& list, const std::uint64_t* addresses) {
    Result result = 0;
    for (std::uint32_t s = list.first; s < list.first + list.n && !result; ++s) {
        const Step& step = program_.steps[s];
        step_ = s - list.first + 1;
        const Address to = address(step.to, addresses), from = address(step.from, addresses);
        switch (step.kind) {
            case StepKind::kernel:
                result = launch(step);
                break;
            case StepKind::set:
                result = driver_.set_words(to, step.word, step.bytes / 4, queue_);
                break;
            case StepKind::copy:
                result = driver_.copy(to, from, step.bytes, queue_);
                break;
            case StepKind::library:
                result = run_library(program_.library_steps[step.library], addresses);
                break;
        }
    }
    return result;
}

Result Launcher::run_library(const LibraryStep& step, const std::uint64_t* addresses) {
    switch (library_->run(step, addresses, words_)) {
        case Library::Outcome::done:
            return 0;
        case Library::Outcome::without_memory:
            return library_without_memory;
        default:
            return library_failed;
    }
}

Result Launcher::try_library(std::uint32_t& shape) {
    Result result = 0;
    for (shape = 0; shape < program_.n_shapes; ++shape)
        if ((result = try_library(program_.shapes[shape]))) break;
    return result;
}

Result Launcher::try_library(const StepList& list) {
    const TrialMemory memory(driver_, program_, list);
    Result result = 0;
    for (std::uint32_t s = list.first; s < list.first + list.n && !result && memory.is_there(); ++s) {
        const Step& step = program_.steps[s];
        if (step.kind != StepKind::library) continue;
        step_ = s - list.first + 1;
        result = run_library(program_.library_steps[step.library], memory.addresses());
        if (!result) result = driver_.synchronize(queue_);
    }
    return result;
}

Result Launcher::launch(const Step& step) {
    LaunchAttribute attributes[3];
    LaunchConfig config{{step.grid.x, step.grid.y, step.grid.z},
                        {step.block.x, step.block.y, step.block.z},
                        step.shared,
                        queue_,
                        attributes,
                        0};
    const auto add = [&](LaunchAttributeId id) -> LaunchAttribute& {
        attributes[config.n_attributes].id = id;
        return attributes[config.n_attributes++];
    };
    if (product(step.cluster) > 1) add(cluster_size).value.cluster = {step.cluster.x, step.cluster.y, step.cluster.z};
    if (step.cooperative) add(cooperative_launch).value.on = 1;
    if (step.dependent) add(dependent_launch).value.on = 1;
    return driver_.launch_with(&config, kernels_[step.kernel], pointers_.data() + step.first_parameter, nullptr);
}

// Records what body puts on the queue; a graph that was there gets the new addresses.
template <class Body> Result Launcher::capture(GraphRun& run, Body&& body) {
    Graph graph = nullptr;
    // LibTorch may ask for memory meanwhile, which is nothing to record
    const int mode = program_.n_library_steps ? capture_relaxed : capture_this_thread;
    Result result = driver_.begin_capture(queue_, mode);
    if (result) return result;
    result = body();
    const Result ended = driver_.end_capture(queue_, &graph);
    if (!result) result = ended;
    UpdateResult updated;
    if (!result && (!run || driver_.update_graph(run, graph, &updated))) {
        if (run) driver_.destroy_runnable(run);
        result = driver_.make_runnable(&run, graph, 0);
    }
    if (graph) driver_.destroy_graph(graph);
    return result;
}

Result Launcher::prepare(std::uint32_t shape, const std::uint64_t* addresses) {
    step_ = 0;
    const std::vector<std::uint64_t> now(addresses, addresses + program_.n_tensors);
    Prepared& prepared = prepared_[shape];
    if (prepared.addresses == now) return 0;
    prepared.addresses.clear();
    const StepList& list = program_.shapes[shape];
    Result result = place(list, addresses);
    if (!result && program_.graph) result = capture(prepared.graph, [&] { return enqueue(list, addresses); });
    if (!result && program_.graph) result = driver_.upload_graph(prepared.graph, queue_);
    if (!result) prepared.addresses = now;
    return result;
}

}  // namespace hone::cuda
