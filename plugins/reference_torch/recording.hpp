// A call of a definition recorded as a CUDA graph: what it costs is then the device's work alone, not how fast
// operators are dispatched.
#pragma once
#include <c10/core/Device.h>
#include <functional>
#include <vector>
#include "cuda/driver.hpp"
#include "hone/abi.h"

namespace hone::torch_reference {

// The device's primary context is current in every call.

void pause(cuda::Stream);  // puts a kernel on a queue that only waits for HONE_NULL_CALL_SECONDS

// Device seconds between two places of a queue.
class Stopwatch {
public:
    Stopwatch();
    ~Stopwatch();
    Stopwatch(const Stopwatch&) = delete;
    void start(cuda::Stream);
    void stop(cuda::Stream);
    double seconds() const;  // once the queue has come to stop

private:
    cuda::Event begun_ = nullptr, ended_ = nullptr;
};

class Recording {
public:
    explicit Recording(c10::Device);
    ~Recording();
    Recording(const Recording&) = delete;
    // What body asks of torch for this call, recorded unless it was last time; where an operator cannot be (it waits
    // for the device), it is run at each launch.
    void launch(const hone_call&, const std::function<void()>& body);
    cuda::Stream queue() const { return queue_; }
    void null_call();  // a graph that only waits for HONE_NULL_CALL_SECONDS

private:
    bool record(const std::function<void()>& body, cuda::GraphRun&);
    void run(const std::function<void()>& body);
    c10::Device device_;
    cuda::Stream queue_;
    cuda::GraphRun call_ = nullptr, empty_ = nullptr;
    std::vector<std::uint64_t> recorded_;  // addresses and sizes
    std::vector<std::int64_t> warm_;       // sizes for which libraries have their workspaces
    bool possible_ = true;
};

}  // namespace hone::torch_reference
