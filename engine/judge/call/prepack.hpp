// judge/call/prepack.hpp: a call's memory made ready for a program. Where the program prepacks (hone_verifier.prepack),
// that comes in between, with no data in reach but this call's constants: what it may do beforehand is what it could do
// once for weights that stay. Every call has constants of its own and prepacks them again, so that nothing kept from
// another call is of use.
#pragma once
#include <cstdint>
#include <optional>
#include "judge/call/bench_context.hpp"
#include "judge/call/prepared_task.hpp"

namespace hone {

struct Placement {
    std::uint64_t offset, salt;  // of the tensors; of the poison
    bool open = false;           // see call_failed
    Inputs which = Inputs::all;  // see CallSetup::prepare
};

// limit: seconds for prepacking and call together; what is left of them for the call. told: what prepacking took by the
// program's own process, which may have forged it; 0: it does not prepack, or its process does not say. An ending says
// where it was.
std::optional<CandidateFailure> make_ready(BenchContext&, Layout&, Subject&, const InputSet&, const Placement&,
                                           double& limit, double* told = nullptr);

}  // namespace hone
