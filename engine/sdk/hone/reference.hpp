// hone/reference.hpp: the base classes of a reference: what runs a task's own definition, for baselines and for truth
// in float64. Override what you need and write `override` behind each function: a name or a signature that is not one
// of these is then a compile error. A function that is left out is not offered.
//
// All functions run on the bench's one thread. Throw Failed for a form that there is not, Broken where nothing will
// work any more.
#pragma once
#include "hone/plugin.hpp"

namespace hone {

// A definition in one form, made by open().
class LoadedReference {
public:
    virtual ~LoadedReference() = default;

    // One call: finished on return where the device is the host, else queued. In the form "float64" the call's float
    // tensors are F64.
    virtual void launch(const hone_call& call) = 0;

    // Until all that was launched is finished; where it is left out, device.queue tells.
    virtual void wait() {}

    // As launch, without work: the zero of a clock (hone_run.null_call).
    virtual void null_call() {}

    // After wait(): seconds of the last call by the device's own events.
    virtual void inside(double& seconds) { (void)seconds; }

    // After wait(): copies results that the last call left elsewhere into its outputs.
    virtual void deliver(const hone_call& call) { (void)call; }
};

// A class derived from ReferencePart also has, with Program a class derived from LoadedReference:
//     using Program = ...;
//     std::unique_ptr<Program> open(const hone_device& device, hone::Doc task, std::string_view form);
// form: "eager", "graph", "compiled", "compiled graph", "float64"; task.source is the Lua text, task.index which of its
// tasks.
class ReferencePart {
public:
    virtual ~ReferencePart() = default;

    // For the record: library, version, threads.
    virtual void facts(Out out) { (void)out; }
};

}  // namespace hone
