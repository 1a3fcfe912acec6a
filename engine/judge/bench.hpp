// judge/bench.hpp: the expendable process that holds verifier, reference and timer and judges one candidate after the other.
#pragma once
#include <list>
#include <memory>
#include "judge/job.hpp"
#include "judge/protocol.hpp"

namespace hone {

class Bench {
public:
    Bench(const Json& configure, const OnPhase&);  // header of the frame; throws Error(input) if the parts do not fit each other
    Json hello() const;                     // {device, sandbox, facts}
    Json run(const Job&, const OnPhase&);   // a judgement's document

private:
    hone_device find_device();
    void probe(const OnPhase&);
    Json build_only(const Job&);
    Problem& problem(const Task&, const OnPhase&);
    void bound_pool(const Problem& in_use);

    Verifier verifier_;
    Reference reference_;
    Timer timer_;
    std::string absent_;  // why there is no device here; then candidates are built and nothing runs
    hone_device device_;
    std::string weak_;    // what does not hold of that which the verifier's walls rest on; empty: all does
    bool shaken_ = false;  // the last candidate ended badly: before the next one the apparatus is probed
    Lease lease_;
    Rig rig_;
    std::list<std::unique_ptr<Problem>> problems_;  // most recently used first
};

}  // namespace hone
