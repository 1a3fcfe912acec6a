// sandbox/services.hpp: the bench's services to verifiers (hone_host.build, share, unshare, jail) on top of build.hpp,
// shared_memory.hpp, jail.hpp.
#pragma once
#include <memory>
#include <set>
#include <string>
#include "parts/handle.hpp"
#include "sandbox/build.hpp"

namespace hone {

class HostServices {
public:
    // without: defences that a test switches off (judge/call/defences.hpp); build_seconds: that a compiler may take
    HostServices(std::set<std::string> without, double build_seconds)
        : without_(std::move(without)), build_seconds_(build_seconds) {}
    HostServices(const HostServices&) = delete;
    // To be offered before the first part is made (set_bench_services); this object outlives every part.
    BenchServices offer();
    const std::set<std::string>& without() const { return without_; }
    Builder& builder();

private:
    const std::set<std::string> without_;
    const double build_seconds_;
    std::unique_ptr<Builder> builder_;  // made by the first build
};

}  // namespace hone
