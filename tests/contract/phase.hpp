// phase.hpp: what a timer gives in one phase of its check. A meter that dies meanwhile would pass what follows unread.
#pragma once
#include <cstddef>
#include <string>
#include "contract.hpp"

namespace hone::contract {

class Phase {
public:
    // may_discard: what the runs of this phase do is nothing for a meter of its kind, or too short for it
    explicit Phase(Contract& contract, bool may_discard = false) : contract_(contract), may_discard_(may_discard) {}
    // One reading of a run.
    hone_rc read(const hone_timer&, const hone_run&, hone_sample&);
    // Whether a quarter of the readings was kept, or may be discarded; says so where it was not.
    bool has_enough() const;
    static void count(std::size_t more);  // readings of the check that were taken outside of a phase

private:
    std::string loss() const;
    Contract& contract_;
    const bool may_discard_;
    std::size_t taken_ = 0, failed_ = 0, discarded_ = 0;
    std::string error_;  // of the last that failed
};

}  // namespace hone::contract
