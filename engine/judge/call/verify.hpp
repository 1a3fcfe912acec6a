// judge/call/verify.hpp: is a candidate right? Calls on the timed and the hidden shapes in several distributions, the
// timed one as declared first, the others in random order, each on poisoned outputs between red zones; one call is
// repeated on the same inputs at another address and must give the same bits, and then at that address on inputs of
// which one element has changed, which the output must follow. Then the same process makes many calls, half of the time
// at the smallest shape and half at the timed one.
#pragma once
#include <optional>
#include "base/chance.hpp"
#include "domain/judgement.hpp"
#include "judge/call/bench_context.hpp"
#include "judge/call/prepared_task.hpp"

namespace hone {

// Seconds that one call may take: far more than the reference needs, and enough for a kernel that is merely slow. On a
// host four times as much on inputs with numbers below the normal ones (Variant::special).
double call_limit(const BenchContext&, const PreparedTask&, Variant inputs = Variant::declared);
// Seconds that the calls of one timed run may take together: calls that each keep their limit could outlast a phase.
double run_limit(const BenchContext&, const PreparedTask&, Variant inputs = Variant::declared);

std::uint64_t random_offset(Chance&);  // a multiple of the tensors' alignment, the same for both sides of a pair

// Lets the candidate run one prepared call, or what comes before it, to its end. It is held before and after. inside:
// see Subject::wait.
std::optional<CandidateFailure> run_call(BenchContext&, Subject&, const hone_call&, double limit,
                                         void (Subject::*begin)(const hone_call&) = &Subject::launch,
                                         double* inside = nullptr);

// The end of a process that was timed: calls at the timed shape, on inputs of other laws. last: each law once, but of
// those whose inputs would have to be made again one; of an earlier process one law, half of the time that with NaN,
// infinities and zeros. So no process can tell that it is only timed.
std::optional<CandidateFailure> verify_timed(BenchContext&, PreparedTask&, Subject&, Chance&, bool last);

// verified: filled as far as the verifying came.
std::optional<CandidateFailure> verify(BenchContext&, PreparedTask&, Subject&, Chance&, judged::Verified& verified);

}  // namespace hone
