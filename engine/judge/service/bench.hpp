// judge/service/bench.hpp: the expendable process that holds verifier, reference and timer and judges one candidate
// after the other.
#pragma once
#include <list>
#include <memory>
#include "judge/service/candidate_judging.hpp"
#include "judge/service/job.hpp"

namespace hone {

constexpr int bench_place = 3;  // descriptor that a worker starts a bench with: see make_place()

class Bench {
public:
    // header of the frame; throws Error(input) if the parts do not fit each other
    Bench(const Json& configure, const OnPhase&);
    Json hello() const;  // {device, sandbox, facts}
    Judgement run(const Job&, const OnPhase&);

private:
    void try_memory();
    hone_device find_device();
    void probe(const OnPhase&);
    Judgement build_only(const Job&);
    PreparedTask& prepared(const Task&, const OnPhase&);
    // Again with more memory, where a timer needs runs of more calls.
    Judgement with_room(PreparedTask&, const Job&, const OnPhase&);
    void bound_pool(const PreparedTask& in_use);

    Verifier verifier_;
    Reference reference_;
    Timer timer_;
    std::string absent_;  // why there is no device here; then candidates are built and nothing runs
    hone_device device_;
    std::string weak_;     // what does not hold of that which the verifier's walls rest on; empty: all does
    bool shaken_ = false;  // the last candidate ended badly: before the next one the apparatus is probed
    Lease lease_;
    BenchContext context_;
    std::list<std::unique_ptr<PreparedTask>> prepared_tasks_;  // most recently used first
};

}  // namespace hone
