// hone/verifier.hpp: the base classes of a verifier: how programs are built and launched on a device. Override what you
// need and write `override` behind each function: a name or a signature that is not one of these is then a compile
// error. A function that is left out is not offered. hone/verifier.h and hone/ext/ have the contract of each function;
// keys, poison, red zones and the comparison with truth are the judge's.
//
// All functions run on the bench's one thread; brief() also in the engine, without a device and without services.
#pragma once
#include <functional>
#include "hone/memory.hpp"
#include "hone/plugin.hpp"

namespace hone {

// One candidate, built and loaded by open().
class LoadedCandidate {
public:
    virtual ~LoadedCandidate() = default;

    // Queues one call and does not wait.
    virtual void launch(const hone_call& call) = 0;

    // Until the call has ended, `seconds` at most. inside: seconds as the candidate's own process saw them, NaN if it
    // does not say. false: the candidate crashed, hung or broke a rule; `end` gets "verdict" and "reason".
    virtual bool wait(double seconds, double& inside, Out end) = 0;

    virtual void suspend(bool suspended) { (void)suspended; }    // true: nothing of it runs; false: its next call may
    virtual void null_call() {}                                  // as launch, by the same channel, without work
    virtual double recorded() { return NAN; }                    // seconds of the last call by a profiler; NaN: none
    virtual int32_t process() { return 0; }                      // that runs its calls, for counters; 0: the bench
    virtual void prepare(const hone_call& call) { (void)call; }  // what of a launch need not be timed
    virtual void prepack(const hone_call& call) { (void)call; }  // its own work on constant inputs
    virtual void check(const hone_call& call, Out verdict) { (void)call, (void)verdict; }  // rules beyond the judge's
};

// A class derived from VerifierPart also has, with Subject a class derived from LoadedCandidate:
//     using Subject = ...;
//     std::unique_ptr<Subject> open(hone::Doc task, hone::Doc candidate, hone::Out facts);
// null: a bad candidate, told in facts by "verdict", "reason" and "log". What the verifier takes stands in
//     static constexpr const char* takes = R"({"fence": ...})";
// (hone_verifier.takes). Its memory and its comparisons: hone/memory.hpp; where the device works in the
// bench's own memory, derive from HostVerifierPart, which has them all.
class VerifierPart : public Memory {
public:
    // For a prompt: "text", "fences" such as "cuda lua", "prototype", "tier"; "empty": a program that does nothing.
    virtual void brief(Doc task, Out out) = 0;

    // The bench's own context and queue. Throw Failed where there is no device: open() then only builds.
    virtual hone_device device() = 0;

    // Once, before the first open: tries out what the device's walls and the timer's flush rest on. flush may be null.
    virtual void probe(const std::function<void()>& flush, Out out) { (void)flush, (void)out; }
    // For the record: product, driver, memory, compiler; "ready" and "cure" for `hone doctor`.
    virtual void facts(Out out) { (void)out; }
};

using HostVerifierPart = OnHost<VerifierPart>;

}  // namespace hone
