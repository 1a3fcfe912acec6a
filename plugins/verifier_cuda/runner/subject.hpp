// One candidate's kernels in a process with a context of its own.
#pragma once
#include <chrono>
#include <memory>
#include <vector>
#include "cuda/bench/bench.hpp"
#include "hone/plugin.hpp"
#include "hone/shared_memory.hpp"
#include "verifier_cuda/plan/plan.hpp"
#include "verifier_cuda/runner/runner_page.hpp"
#include "verifier_cuda/runner/runners.hpp"

namespace hone::cuda {

// Seconds of the clock that nobody sets.
inline double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Memory that only one candidate has, filled anew after each call: nothing of a call is found there by the next one.
class Workspace {
public:
    Workspace(const Bench&, std::uint64_t bytes);  // 0: none
    ~Workspace();
    Workspace(const Workspace&) = delete;
    void poison();  // queued, not waited for
    const Mapped& memory() const { return memory_; }

private:
    Bench bench_;
    Mapped memory_;
    std::uint32_t word_ = 0x7fedbeefu;  // as f32 and, in its upper half, as bf16 a NaN
};

class Subject : public LoadedCandidate {
public:
    // Gives the plan's modules to a runner; null: the candidate is at fault, told in facts.
    static std::unique_ptr<Subject> start(const Host&, const Bench&, Runners&, std::unique_ptr<Plan>,
                                          const std::vector<std::string>& modules, const std::vector<Reserved>&,
                                          Out facts);
    void launch(const hone_call&) override;
    void null_call() override;
    void prepare(const hone_call&) override;
    void prepack(const hone_call&) override;
    bool wait(double seconds, double& inside, Out end) override;
    double recorded() override { return recorded_; }
    // Nothing can stop a kernel; but one that runs on after its end was told makes the bench's own kernels wait for a
    // time slice.
    void suspend(bool suspended) override;
    void check(const hone_call&, Out verdict) override;

private:
    struct Opening;
    Subject(const Host&, const Bench&, std::unique_ptr<Plan>);
    bool open(Runners&, const std::vector<std::string>& modules, const std::vector<Reserved>&, Out facts);
    bool try_library(Out facts);                           // false: an operator fails, told in facts
    void tell_kernels(const OpenReply&, Out facts) const;  // the timed shape's
    void place(const hone_call&);                          // on the page
    std::uint64_t translate(std::uint64_t at) const;
    std::uint32_t shape_of(const hone_call&) const;
    std::string refused_step() const;
    std::string said(int result) const;
    void ring(Work);
    bool await(const std::atomic<std::uint32_t>& word, double seconds);

    Host host_;
    Bench bench_;
    std::unique_ptr<Plan> plan_;
    Workspace workspace_;
    SharedMemory page_region_;
    RunnerPage* page_;
    RunnerProcess runner_;  // declared last of what it uses: it ends first
    struct Window {
        std::uint64_t begin, bytes, inside;
    };
    std::vector<Window> windows_;  // of the reserved memory: its address here and in the runner
    std::uint64_t workspace_inside_ = 0;
    std::uint32_t calls_ = 0, shape_ = 0;
    double recorded_ = 0;        // seconds of the last call by CUPTI
    Work work_ = Work::nothing;  // of the call that is waited for
    bool late_ = false;          // the launch call has not returned in time
    double launching_ = 0;       // s, of the last call
    bool dead_ = false;          // the runner has ended
    bool lingers_ = false;       // something of it ran on after its call had ended
};

}  // namespace hone::cuda
