// A call of a definition recorded as a CUDA graph: what it costs is then the device's work alone, not how fast operators are dispatched.
#pragma once
#include <c10/core/Stream.h>
#include <functional>
#include <vector>
#include "cuda/driver.hpp"
#include "hone/abi.h"

namespace hone::torch_reference {

// The device's primary context is current in every call.
class Recording {
public:
    explicit Recording(c10::Device);
    ~Recording();
    Recording(const Recording&) = delete;
    // What body asks of torch for this call, recorded unless it was last time; where an operator cannot be (it waits for the device), it is run at
    // each launch.
    void launch(const hone_call&, const std::function<void()>& body);
    void empty();  // a graph without work

private:
    bool record(const std::function<void()>& body, cuda::GraphRun&);
    void run(const std::function<void()>& body);
    c10::Device device_;
    cuda::Stream queue_;
    cuda::Function nothing_;
    cuda::GraphRun call_ = nullptr, empty_ = nullptr;
    std::vector<std::uint64_t> recorded_;  // addresses and sizes
    std::vector<std::int64_t> warm_;       // sizes for which libraries have their workspaces
    bool possible_ = true;
};

}  // namespace hone::torch_reference
