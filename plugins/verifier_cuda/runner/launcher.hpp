// Carries out a Program in the context of this process: loads its modules, knows its kernels, launches its steps.
#pragma once
#include <string>
#include <vector>
#include "cuda/driver.hpp"
#include "verifier_cuda/library/library.hpp"
#include "verifier_cuda/runner/runner_page.hpp"

namespace hone::cuda {

class Launcher {
public:
    // Makes a queue and launches an empty kernel by every way that calls will take: a first launch needs more rights
    // than later ones.
    explicit Launcher(const Driver&);
    // The candidate's bytes are looked at here for the first time. What is wrong with them is told in the reply.
    void load(const Program&, const std::vector<const void*>& modules, OpenReply&);
    Stream queue() const { return queue_; }
    void use(Library* library) { library_ = library; }  // for programs with library steps; borrowed
    // Fills in the addresses of a shape's steps; where calls are graphs, records one. run does what of it was not done.
    Result prepare(std::uint32_t shape, const std::uint64_t* addresses);
    // Puts the steps of a shape, or a kernel that only waits for HONE_NULL_CALL_SECONDS, on the queue.
    Result run(std::uint32_t shape, const std::uint64_t* addresses);
    Result run_prepack(std::uint32_t shape, const std::uint64_t* addresses);  // those that come before a call
    Result run_empty();
    // Each shape's library steps once, on memory without meaning: what LibTorch refuses is told before any call, and
    // what its libraries choose and load for a shape is not part of a call's time. shape: where it ended.
    Result try_library(std::uint32_t& shape);
    std::uint32_t step() const { return step_; }         // of its shape, from 1, that the last run came to; 0: none
    const std::string& words() const { return words_; }  // of LibTorch, where a result is library_failed

private:
    struct alignas(tensor_map_alignment) EncodedMap {
        char bytes[tensor_map_bytes];
    };
    struct Prepared {
        GraphRun graph = nullptr;
        std::vector<std::uint64_t> addresses;
    };

    void find_kernels(const std::vector<Module>&, OpenReply&);
    void grant(OpenReply&);  // what steps ask for beyond what every kernel has
    void prepare_arguments(OpenReply&);
    void describe(std::uint32_t kernel, KernelFacts&) const;
    void fill(const Parameter& structure, const std::uint64_t* addresses, char* at) const;
    Result place(const StepList&, const std::uint64_t* addresses);
    Result encode(std::uint32_t map, std::uint64_t at);
    Result enqueue(const StepList&, const std::uint64_t* addresses);
    Result launch(const Step&);
    Result run_library(const LibraryStep&, const std::uint64_t* addresses);
    Result try_library(const StepList&);
    template <class Body> Result capture(GraphRun&, Body&&);

    const Driver& driver_;
    Library* library_ = nullptr;
    std::string words_;
    Stream queue_ = nullptr;
    Function pause_ = nullptr;
    GraphRun empty_graph_ = nullptr;
    Program program_;
    std::uint32_t step_ = 0;
    std::vector<Function> kernels_;
    std::vector<std::uint64_t> values_;  // of every parameter, as it is passed
    std::vector<EncodedMap> maps_;
    std::vector<std::uint64_t> structures_;  // one behind the other
    std::vector<void*> pointers_;            // to every parameter's value
    std::vector<Prepared> prepared_;         // of each shape
};

}  // namespace hone::cuda
