// Runs the kernels of probes.cu through everything that a candidate goes through.
#pragma once
#include "cuda/bench/workbench.hpp"
#include "verifier_cuda/runner/driver_probe.hpp"
#include "verifier_cuda/runner/subject.hpp"

namespace hone::cuda {

// cubin: of probe_source. flush: the timer's. The device belongs to this process alone meanwhile; the runner is spent.
DriverProbe probe_driver(const Host&, const Bench&, Workbench&, const std::vector<Reserved>&, Runners&,
                         const std::string& cubin, const std::function<void()>& flush);

}  // namespace hone::cuda
