// judge/call/staged_call.hpp: a call on a device, repeated in this process's memory: for references that run on the
// host alone, where the device's addresses mean nothing.
#pragma once
#include <memory>
#include <vector>
#include "hone/memory.hpp"

namespace hone {

class StagedCall {
public:
    // Reads the inputs. call and memory are borrowed; the staged call has no scratch memory.
    StagedCall(const hone_call&, Memory&);
    const hone_call& call() const { return staged_; }
    void write_outputs();  // to where the call on the device has them

private:
    hone_tensor make_room(const hone_tensor&);

    const hone_call& on_device_;
    Memory& memory_;
    std::vector<std::unique_ptr<double[]>> room_;  // double: the strictest alignment of a dtype
    std::vector<hone_tensor> in_, out_;
    hone_call staged_;
};

}  // namespace hone
