// judge/timing/machine_load.hpp: what else the machine did while a candidate was timed.
#pragma once
#include <optional>
#include <set>
#include "base/load.hpp"
#include "judge/call/bench_context.hpp"

namespace hone {

struct Comparison;

// Both in cores, on average over the time, of those that the bench may use.
struct MachineLoad {
    double foreign = 0;  // busy with neither the bench nor its candidates
    double stolen = 0;   // had work, and the host of this virtual machine gave them to others
};

// Begins with its construction. A clock that no load disturbs (context.real_clock) has none.
class LoadMeter {
public:
    LoadMeter(const BenchContext&, const Comparison&);
    std::optional<MachineLoad> read() const;  // nullopt: the kernel does not tell

private:
    double own() const;  // processor time of the bench and its candidates, in seconds
    std::set<int> makers() const;
    const BenchContext& context_;
    const Comparison& comparison_;
    std::set<int> makers_;  // processes that fork the candidates' processes: they know the time of those that ended
    std::optional<CoreTimes> before_;
    double own_before_ = 0, begun_ = 0;
};

}  // namespace hone
